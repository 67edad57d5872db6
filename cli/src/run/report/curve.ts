import type { Measured } from './measured.ts'

/** The equity of the account at a time of the world, and its gain since the account was opened, without transfers. */
export type EquityPoint = {
  readonly at: string
  readonly equity: number
  readonly gain: number
  /** The trading day that ends here. */
  readonly day?: string
}

/** Below, the samples are closer. */
const HISTORY_FROM_MS = 600_000
const DAY_MS = 86_400_000
/** The longest spans of frames within the day. */
const frames = [
  { timeframe: '1Min', minutes: 1, days: 2 },
  { timeframe: '5Min', minutes: 5, days: 7 },
  { timeframe: '1H', minutes: 60, days: 29 },
] as const

/** The curve of the account. A long run in world time has a better one in the history of the account than in its samples. */
export async function curveOf(
  measured: Measured,
  samples: readonly EquityPoint[],
): Promise<readonly EquityPoint[]> {
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const span = Date.parse(last.at) - Date.parse(first.at)
  if (span < HISTORY_FROM_MS) return samples
  const days = (await historyOf(measured, first, last, '1D')).flatMap(({ labelMs, ...point }) =>
    closedDay(labelMs, point),
  )
  const frame = frames.find(({ days: most }) => span <= most * DAY_MS)
  const within = frame ? await historyOf(measured, first, last, frame.timeframe) : []
  const points = within.map(({ labelMs, ...point }) => ({
    at: new Date(labelMs + (frame?.minutes ?? 0) * 60_000).toISOString(),
    ...point,
  }))
  return joined(first, [...points, ...(await Promise.all(days))], last)
}

type Worth = Pick<EquityPoint, 'equity' | 'gain'>

/** The points of the history, with the start of their frames. Their values are those at its end. */
async function historyOf(
  { operator, world, accountId }: Measured,
  first: EquityPoint,
  last: EquityPoint,
  timeframe: '1D' | (typeof frames)[number]['timeframe'],
): Promise<readonly (Worth & { readonly labelMs: number })[]> {
  const { timestamp, equity, profit_loss } = await operator.getPortfolioHistoryForAccount({
    params: { account_id: accountId },
    headers: { 'x-quipu-world': world },
    query: {
      start: first.at,
      end: last.at,
      timeframe,
      intraday_reporting: 'continuous',
      pnl_reset: 'no_reset',
    },
  })
  // The history counts its gains from another instant, and its last frame may end before the run.
  const transferred = last.equity - last.gain
  const offset = Number(equity.at(-1) ?? 0) - transferred - Number(profit_loss.at(-1) ?? 0)
  return timestamp.map((seconds, index) => ({
    labelMs: Number(seconds) * 1000,
    equity: Number(equity[index]),
    gain: Number(profit_loss[index]) + offset,
  }))
}

/** A point of a trading day has the values of its close. */
async function closedDay(labelMs: number, worth: Worth): Promise<EquityPoint> {
  const { civilDateOf, formatInstant, instantOfMs, newYorkDate, session } = await import('@quipu/core')
  const day = newYorkDate(instantOfMs(labelMs))
  const close = session(civilDateOf(day))?.close ?? instantOfMs(labelMs)
  return { at: formatInstant(close), day, ...worth }
}

/** By time. At one instant the point that ends a day stays. */
function joined(
  first: EquityPoint,
  points: readonly EquityPoint[],
  last: EquityPoint,
): readonly EquityPoint[] {
  const inner = points.filter(
    ({ at }) => Date.parse(at) > Date.parse(first.at) && Date.parse(at) < Date.parse(last.at),
  )
  const byTime = new Map<number, EquityPoint>()
  for (const point of inner) {
    const ms = Date.parse(point.at)
    if (byTime.get(ms)?.day === undefined) byTime.set(ms, point)
  }
  const sorted = [...byTime].sort(([a], [b]) => a - b).map(([, point]) => point)
  // The last day has not closed, or goes on after its close until the end.
  const open = points.find(({ at, day }) => day !== undefined && Date.parse(at) >= Date.parse(last.at))
  if (open?.day !== undefined) return [first, ...sorted, { ...last, day: open.day }]
  const closed = sorted.findLast(({ day }) => day !== undefined)
  if (closed?.day === undefined) return [first, ...sorted, last]
  const { day, ...point } = closed
  return [first, ...sorted.map((one) => (one === closed ? point : one)), { ...last, day }]
}
