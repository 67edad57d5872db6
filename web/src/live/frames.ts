import { batch } from '@preact/signals'

let jobs: (() => void)[] = []

/**
 * Runs a change of signals with all others of the same frame, so that a thousand messages a second draw sixty times. A
 * hidden page draws no frames, so a timer replaces them.
 */
export function inNextFrame(job: () => void): void {
  jobs.push(job)
  if (jobs.length > 1) return
  if (document.hidden) setTimeout(run, 250)
  else requestAnimationFrame(run)
}

function run(): void {
  const now = jobs
  jobs = []
  batch(() => {
    for (const job of now) job()
  })
}

/** Collects items and passes all of one frame on together, with at least a pause between two frames. */
export function collect<Item>(pass: (items: readonly Item[]) => void, pauseMs = 0): (item: Item) => void {
  let items: Item[] = []
  let passedAtMs = Number.NEGATIVE_INFINITY
  const passAll = () => {
    const taken = items
    items = []
    passedAtMs = performance.now()
    pass(taken)
  }
  return (item) => {
    items.push(item)
    if (items.length > 1) return
    const waitMs = passedAtMs + pauseMs - performance.now()
    if (waitMs > 0) setTimeout(() => inNextFrame(passAll), waitMs)
    else inNextFrame(passAll)
  }
}
