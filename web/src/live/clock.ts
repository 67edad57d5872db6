import { computed, effect, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'

export type WorldClock = Output<'getWorldClock'>
export type Advanced = Output<'advanceClock'>

/** The clock of the world on screen, as it was at `readAtMs` of this machine. */
export type ClockState = {
  readonly world: string
  readonly isVirtual: boolean
  readonly nowMs: number
  readonly readAtMs: number
  /** 0 if the clock is frozen. */
  readonly speed: number
  readonly isOpen: boolean
  readonly nextOpenMs: number
  readonly nextCloseMs: number
  /** Seconds of the world per second; less than `speed` if the server cannot keep up. */
  readonly rate: number
  /** The advance in progress. */
  readonly advance: WorldClock['advance']
}

export const clock = signal<ClockState | undefined>(undefined)
/** The clocks of all worlds by name, as the server last sent them. */
export const clocks = signal<ReadonlyMap<string, WorldClock>>(new Map())
/** Counts the advances of the world on screen, and the times when one may have been missed. */
export const advances = signal(0)

/** Counts display updates: a running clock changes on screen a few times a second. */
const tick = signal(0)
const TICK_MS = 250

/** The server sends a running virtual clock ten times a second. Without messages it is not known to go on. */
const AHEAD_MS = 150

/** The time of a clock now, from the last message. */
export function timeOf({ nowMs, readAtMs, rate, isVirtual }: ClockState): number {
  const elapsedMs = performance.now() - readAtMs
  return nowMs + (isVirtual ? Math.min(elapsedMs, AHEAD_MS) : elapsedMs) * rate
}

/** The time of the world now, in milliseconds since 1970. Components that read it are drawn again as it passes. */
export const nowMs = computed(() => {
  void tick.value
  const state = clock.value
  return state && timeOf(state)
})

/** Takes a clock that the server sent, if it is that of the world on screen. */
export function takeClock(read: WorldClock): void {
  clocks.value = new Map(clocks.peek()).set(read.world, read)
  if (read.world !== worldName.value) return
  // The server reports the progress of an advance; the clock stands still in between.
  const speed = read.frozen || read.advance !== undefined ? 0 : read.speed
  const sample = { world: read.world, speed, nowMs: Date.parse(read.now), atMs: performance.now() }
  clock.value = {
    world: read.world,
    isVirtual: read.clock === 'virtual',
    nowMs: sample.nowMs,
    readAtMs: sample.atMs,
    speed,
    // A wall clock runs at the speed of this machine's; late messages do not slow it.
    rate: read.clock === 'wall' ? speed : rateOf(sample),
    isOpen: read.is_open,
    nextOpenMs: Date.parse(read.next_open),
    nextCloseMs: Date.parse(read.next_close),
    advance: read.advance,
  }
}

type Sample = {
  readonly world: string
  readonly speed: number
  readonly nowMs: number
  readonly atMs: number
}
/** The clock of the world on screen in the last seconds, at one speed. */
let samples: readonly Sample[] = []
const WINDOW_MS = 3000
const SHORTEST_MS = 1000

/** The measured speed of a running clock. It is the requested one until enough time has passed. */
function rateOf(last: Sample): number {
  const isSame = samples.at(-1)?.world === last.world && samples.at(-1)?.speed === last.speed
  samples = [...(isSame ? samples.filter(({ atMs }) => last.atMs - atMs < WINDOW_MS) : []), last]
  const first = samples[0]!
  const elapsedMs = last.atMs - first.atMs
  if (elapsedMs < SHORTEST_MS) return last.speed
  return Math.min(Math.max((last.nowMs - first.nowMs) / elapsedMs, 0), last.speed)
}

/** Draws a running clock, and follows the clock of viewers without operator rights. */
export function followClock(): void {
  setInterval(() => {
    if (!document.hidden && clock.value && clock.value.speed > 0) tick.value += 1
  }, TICK_MS)
  effect(() => {
    if (!isOperator.value && api.value) void readOwnClock()
  })
  effect(() => {
    const [state, now] = [clock.value, nowMs.value]
    if (isOperator.value || !state || now === undefined) return
    const endMs = state.isOpen ? state.nextCloseMs : state.nextOpenMs
    // The market has opened or closed.
    if (now > endMs && performance.now() - state.readAtMs > 1000) void readOwnClock()
  })
}

async function readOwnClock(): Promise<void> {
  const world = worldName.value
  const read = await api.value?.client.getClock().catch(() => undefined)
  if (read !== undefined)
    takeClock({ ...read, now: read.timestamp, world, clock: 'wall', frozen: false, speed: 1 })
}
