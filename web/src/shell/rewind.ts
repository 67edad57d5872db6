import { computed, effect, signal } from '@preact/signals'
import { dayKey, minuteText } from '../format/times.ts'
import { nowMs } from '../live/clock.ts'
import { api, type World, world, worldName, worlds } from '../session/selection.ts'
import { branchAt } from './clock-actions.ts'
import { chooseWorld } from './switches.tsx'

/** A past instant that the viewer chose: Enter forks there, Escape puts the mark back. */
export const rewindTarget = signal<number | undefined>(undefined)

const STEP_MS = 60_000

/** One step further back, from the present or from the chosen instant. */
export function stepBack(): void {
  const from = rewindTarget.peek() ?? nowMs.peek()
  if (from !== undefined) rewindTarget.value = Math.ceil(from / STEP_MS - 1) * STEP_MS
}

export const putBack = (): void => {
  rewindTarget.value = undefined
}

/** The name of the branch: `rewind-10-24`, with a number if it is taken. */
export function branchName(atMs: number): string {
  const taken = new Set((worlds.value ?? []).map((one) => one.world))
  const name = `rewind-${minuteText(atMs).replace(':', '-')}`
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? name : `${name}-${number}`
    if (!taken.has(wanted)) return wanted
  }
}

/** Forks at the chosen instant and shows the branch. The world before stays as it is. */
export async function rewind(): Promise<void> {
  const atMs = rewindTarget.peek()
  if (atMs === undefined) return
  putBack()
  await branchAt(atMs, branchName(atMs))
}

/** The last world on screen that existed. */
const lastWorld = signal<World | undefined>(undefined)

/** The world that the one on screen was forked from, if it still exists. A branch that ended meanwhile had one too. */
export const worldBefore = computed(() => {
  const last = lastWorld.value
  const parent = (world.value ?? (last?.world === worldName.value ? last : undefined))?.parent
  return worlds.value?.some((one) => one.world === parent) ? parent : undefined
})

export function showWorldBefore(): void {
  const before = worldBefore.peek()
  if (before !== undefined) chooseWorld(before)
}

type Curve = { readonly name: string; readonly points: readonly (readonly [number, number])[] }
const curve = signal<Curve | undefined>(undefined)

/** The equity of the account at the chosen instant, to the minute; undefined while it is not known. */
export const equityThen = computed(() => {
  const atMs = rewindTarget.value
  if (atMs === undefined || curve.value?.name !== curveName.value) return undefined
  return curve.value?.points.findLast(([at]) => at <= atMs)?.[1]
})

const targetDay = computed(() => (rewindTarget.value === undefined ? undefined : dayKey(rewindTarget.value)))
const curveName = computed(() => `${api.value?.name} ${world.value?.seq} ${targetDay.value}`)

/** Reads the curve of the day that the viewer goes back to, and forgets the instant in another world. */
export function followRewind(): () => void {
  const stops = [
    effect(() => {
      if (world.value) lastWorld.value = world.value
    }),
    effect(() => {
      void worldName.value
      putBack()
    }),
    effect(() => {
      if (targetDay.value !== undefined && curve.peek()?.name !== curveName.value) void readCurve()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

async function readCurve(): Promise<void> {
  const [name, day, connection] = [curveName.peek(), targetDay.peek(), api.peek()]
  if (day === undefined || !connection) return
  const hours = world.peek()?.hours === 'always' ? 'continuous' : 'market_hours'
  const query = { date_start: day, date_end: day, timeframe: '1Min', intraday_reporting: hours } as const
  const history = await connection.client.getPortfolioHistory({ query }).catch(() => undefined)
  if (!history || name !== curveName.peek()) return
  const points = history.timestamp.map(
    (at, index) => [Number(at) * 1000, Number(history.equity[index] ?? 0)] as const,
  )
  curve.value = { name, points }
}
