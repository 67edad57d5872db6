/** The equity of the account at a time of the world, and its gain since the account was opened, without transfers. */
export type EquityPoint = { readonly at: string; readonly equity: number; readonly gain: number }

/** The equity that the account would have without transfers since the first point. */
export function withoutTransfers(points: readonly EquityPoint[]): readonly Worth[] {
  const [first] = points
  return points.map(({ at, gain }) => ({ at, equity: first!.equity + gain - first!.gain }))
}

type Worth = Pick<EquityPoint, 'at' | 'equity'>

export type Statistics = {
  /** The largest fall from a peak, as a fraction of the peak. */
  readonly maxDrawdown: number
  /** Annualized, from the equity at the end of each day (UTC). Absent below 20 daily returns. */
  readonly sharpe?: number | undefined
}

const DAILY_RETURNS_MIN = 20
const TRADING_DAYS_PER_YEAR = 252

export function statisticsOf(curve: readonly Worth[]): Statistics {
  let [peak, maxDrawdown] = [Number.NEGATIVE_INFINITY, 0]
  for (const { equity } of curve) {
    peak = Math.max(peak, equity)
    if (peak > 0) maxDrawdown = Math.max(maxDrawdown, (peak - equity) / peak)
  }
  return { maxDrawdown, sharpe: sharpeOf(curve) }
}

/** The mean of the daily returns over their standard deviation, with an interest rate of zero. */
function sharpeOf(curve: readonly Worth[]): number | undefined {
  const closes = [...new Map(curve.map(({ at, equity }) => [at.slice(0, 10), equity])).values()]
  const returns = closes.slice(1).map((close, index) => close / closes[index]! - 1)
  if (returns.length < DAILY_RETURNS_MIN) return undefined
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
  const variance = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (returns.length - 1)
  return variance > 0 ? (mean / Math.sqrt(variance)) * Math.sqrt(TRADING_DAYS_PER_YEAR) : undefined
}
