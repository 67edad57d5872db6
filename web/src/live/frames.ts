import { batch } from '@preact/signals'

/** The page, as far as it draws. Its spec runs without a browser. */
const page = globalThis as unknown as {
  readonly document: { readonly hidden: boolean }
  requestAnimationFrame(run: () => void): void
}

let jobs: (() => void)[] = []
let late: (() => void)[] = []
let lateTimer: ReturnType<typeof setTimeout> | undefined

/** Longer than from one snapshot of a running world to the next, less the pause of what is drawn with it. */
const LATE_MS = 100

/**
 * Runs a change of signals with all others of the same frame, so that a thousand messages a second draw sixty times. A
 * hidden page draws no frames, so a timer replaces them.
 */
export function inNextFrame(job: () => void): void {
  jobs.push(job)
  if (jobs.length > 1) return
  if (page.document.hidden) setTimeout(run, 250)
  else page.requestAnimationFrame(run)
}

/**
 * Runs a change in the next frame that another change draws, and after 100 ms at the latest. What changes a few times a
 * second is so drawn together: a frame costs the same for one number and for all.
 */
export function inLaterFrame(job: () => void): void {
  late.push(job)
  lateTimer ??= setTimeout(() => inNextFrame(() => undefined), LATE_MS)
}

function run(): void {
  const now = [...jobs, ...late]
  jobs = []
  late = []
  clearTimeout(lateTimer)
  lateTimer = undefined
  batch(() => {
    for (const job of now) job()
  })
}

/** Collects items and passes all of one frame on together, with at least a pause between two. */
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
    if (waitMs > 0) setTimeout(() => inLaterFrame(passAll), waitMs)
    else inNextFrame(passAll)
  }
}
