import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type RunFile, type RunLogLine, runLog } from '@quipu/sdk/runs'

/** One position in a run, which its chart, its requests and its output share. */
export type Scrub = {
  readonly file: RunFile
  /** Requests and output of the shown part, by time. */
  readonly log: ReadonlySignal<readonly RunLogLine[]>
  /** Index in the log. */
  readonly index: Signal<number>
  readonly atMs: ReadonlySignal<number>
  /** Where the position is between the first and the last point of the equity, from 0 to 1. */
  readonly share: ReadonlySignal<number>
  /** The drill whose requests are shown; undefined: the run itself. */
  readonly drill: Signal<string | undefined>
  readonly shareOf: (at: string | number) => number
  readonly toRequest: (step: 1 | -1) => void
  readonly toNextFault: () => void
  readonly toShare: (share: number) => void
  readonly show: (drill: string | undefined) => void
}

export function scrubOf(file: RunFile): Scrub {
  const drill = signal<string | undefined>(undefined)
  const log = computed(() => {
    const isShown = (line: { readonly drill?: string }) => line.drill === drill.value
    const { request, output } = file.parts
    return runLog({ request: request.filter(isShown), output: output.filter(isShown) })
  })
  const index = signal(
    Math.max(
      0,
      log.value.findIndex(({ kind }) => kind === 'request'),
    ),
  )
  const atMs = computed(() => Date.parse(log.value[index.value]?.at ?? file.run.from))
  // Nights and weekends have no points, so they take no width.
  const times = file.parts.equity.map(({ at }) => Date.parse(at))
  const shareOf = (at: string | number): number =>
    shareIn(times, typeof at === 'string' ? Date.parse(at) : at)
  const move = (to: number): void => {
    if (to >= 0 && to < log.value.length) index.value = to
  }
  return {
    file,
    log,
    index,
    atMs,
    share: computed(() => shareOf(atMs.value)),
    drill,
    shareOf,
    toRequest(step) {
      let to = index.value + step
      while (log.value[to] && log.value[to]?.kind !== 'request') to += step
      move(to)
    },
    toNextFault() {
      const next = nextFaultAfter(file, log.value, index.value, atMs.value)
      move(next)
    },
    toShare(share) {
      const at = timeAt(times, share)
      const found = log.value.findIndex((line) => Date.parse(line.at) >= at)
      move(found < 0 ? log.value.length - 1 : found)
    },
    show(name) {
      drill.value = name
      index.value = Math.max(
        0,
        log.value.findIndex(({ kind }) => kind === 'request'),
      )
    },
  }
}

/** The first line after a position that a fault changed, or that comes after a market event. */
function nextFaultAfter({ parts }: RunFile, log: readonly RunLogLine[], index: number, atMs: number): number {
  const changed = log.findIndex(
    (line, at) => at > index && line.kind === 'request' && line.fault !== undefined,
  )
  const event = parts.fault.find(({ at }) => Date.parse(at) > atMs)
  const after = event ? log.findIndex((line) => Date.parse(line.at) >= Date.parse(event.at)) : -1
  const found = [changed, after].filter((one) => one > index)
  return found.length === 0 ? -1 : Math.min(...found)
}

function shareIn(times: readonly number[], atMs: number): number {
  const last = times.length - 1
  if (last < 1) return 0
  const next = times.findIndex((time) => time >= atMs)
  if (next < 0) return 1
  if (next === 0) return 0
  const [from, to] = [times[next - 1] ?? 0, times[next] ?? 0]
  return (next - 1 + (to > from ? (atMs - from) / (to - from) : 0)) / last
}

function timeAt(times: readonly number[], share: number): number {
  const place = Math.min(1, Math.max(0, share)) * (times.length - 1)
  const from = times[Math.floor(place)] ?? 0
  const to = times[Math.ceil(place)] ?? from
  return from + (to - from) * (place % 1)
}
