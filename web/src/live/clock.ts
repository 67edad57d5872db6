import { computed, effect, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import { rateOf } from './clock-rate.ts'
import { inLaterFrame } from './frames.ts'

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
/** Counts how often the clock of the world on screen came to stand at another time, and when that may have been missed. */
export const advances = signal(0)

/** Counts display updates: a running clock changes on screen a few times a second. */
const tick = signal(0)
/** The server sends a snapshot every 220 ms, and the clock is drawn with it. */
const TICK_MS = 200

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
  const before = clock.peek()
  // The server reports the progress of an advance; the clock stands still in between.
  const speed = read.frozen || read.advance !== undefined ? 0 : read.speed
  const isVirtual = read.clock === 'virtual'
  const sample = { world: read.world, isVirtual, speed, nowMs: Date.parse(read.now), atMs: performance.now() }
  clock.value = {
    world: read.world,
    isVirtual,
    nowMs: sample.nowMs,
    readAtMs: sample.atMs,
    speed,
    rate: rateOf(sample),
    isOpen: read.is_open,
    nextOpenMs: Date.parse(read.next_open),
    nextCloseMs: Date.parse(read.next_close),
    advance: read.advance,
  }
  if (before?.world === read.world && hasStopped(before, clock.value)) advances.value += 1
}

/** Whether a clock stands, and has moved since the last message: it was paused, or a jump has ended. */
const hasStopped = (before: ClockState, now: ClockState): boolean =>
  isStill(now) && !(isStill(before) && before.nowMs === now.nowMs)

const isStill = ({ isVirtual, speed, advance }: ClockState): boolean =>
  isVirtual && speed === 0 && advance === undefined

/** Draws a running clock, and follows the clock of viewers without operator rights. */
export function followClock(): void {
  drawAgain()
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

function drawAgain(): void {
  setTimeout(() => {
    if (document.hidden || !clock.value || clock.value.speed === 0) return drawAgain()
    inLaterFrame(() => {
      tick.value += 1
      drawAgain()
    })
  }, TICK_MS)
}

async function readOwnClock(): Promise<void> {
  const world = worldName.value
  const read = await api.value?.client.getClock().catch(() => undefined)
  if (read !== undefined)
    takeClock({ ...read, now: read.timestamp, world, clock: 'wall', frozen: false, speed: 1 })
}
