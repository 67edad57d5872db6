/** A clock that the server sent, and when it arrived at this machine. */
export type ClockSample = {
  readonly world: string
  readonly isVirtual: boolean
  readonly speed: number
  readonly nowMs: number
  readonly atMs: number
}
/** The clock of the world on screen in the last seconds, at one speed. */
let samples: readonly ClockSample[] = []
const WINDOW_MS = 3000
const SHORTEST_MS = 1000

/**
 * Seconds of the world per second. A virtual clock is measured, because the server may not keep up with the requested speed.
 * A wall clock runs as that of this machine; late messages do not slow it.
 */
export function rateOf(last: ClockSample): number {
  if (!last.isVirtual) return last.speed
  const isSame = samples.at(-1)?.world === last.world && samples.at(-1)?.speed === last.speed
  samples = [...(isSame ? samples.filter(({ atMs }) => last.atMs - atMs < WINDOW_MS) : []), last]
  const first = samples[0]!
  const elapsedMs = last.atMs - first.atMs
  if (elapsedMs < SHORTEST_MS) return last.speed
  return Math.min(Math.max((last.nowMs - first.nowMs) / elapsedMs, 0), last.speed)
}
