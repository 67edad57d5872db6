import type { AccountSnapshotRecord, InputOf, SnapshotChanges } from '@quipu/contract'
import {
  accountWindows,
  addShares,
  earlier,
  entryIn,
  format,
  type Instant,
  MINUTE,
  newYorkDate,
  type PortfolioStep,
  settingsOf,
  toMoney,
  toQuantity,
} from '@quipu/core'
import { flowActivities } from '../../trading/portfolio-flows.ts'
import { equitiesOf, type Past, portfolioPointsOf } from '../../trading/portfolio-history.ts'
import { endWithin, type PortfolioPoint, pointsToWire } from '../../trading/portfolio-points.ts'
import { portfolioRange } from '../../trading/portfolio-range.ts'
import type { Captured } from './capture.ts'

export type CurvePeriod = NonNullable<InputOf<'getAccountSnapshot'>['query']['curve']>

const frames = { '1D': '1Min', '1W': '15Min', '1M': '1D', '3M': '1D', '1A': '1D', '10A': '1D' } as const

/**
 * The query of the portfolio history that is the curve of a period. A market that never closes has frames at night too, and
 * its day begins at midnight in New York, so that a day has the same first frame all the time.
 */
function queryOf(period: CurvePeriod, { world, at }: Captured) {
  const isAlwaysOpen = settingsOf(world.view).hours === 'always'
  return {
    ...(isAlwaysOpen && period === '1D' ? { date_start: newYorkDate(at) } : { period }),
    timeframe: frames[period],
    intraday_reporting: isAlwaysOpen ? 'continuous' : 'market_hours',
    pnl_reset: 'per_day',
  } as const
}

/** New points of one message; beyond that the whole curve is sent. */
const POINTS_MAX = 1_000

/**
 * The equity curve of an account for one reader. The whole is computed once; then only the frames that have ended since,
 * from the holdings, and the frame in progress, from the equity of the snapshot.
 */
export class LiveCurve {
  readonly #period: CurvePeriod
  /** The frames that were sent: the first and the last one. */
  #first: bigint | undefined
  #last: PortfolioPoint | undefined
  /** The last ended frame, after which the next points begin. */
  #ended: PortfolioPoint | undefined
  #minute = 0n
  #isOver = true

  constructor(period: CurvePeriod) {
    this.#period = period
  }

  /** The past may be another one: the next part is the whole curve. */
  readonly restart = (): void => {
    this.#isOver = true
  }

  async whole(captured: Captured): Promise<AccountSnapshotRecord['curve']> {
    this.#isOver = false
    const { world, account, event } = captured
    await world.storage.untilQueryTables(Math.min(account.lastSeq, event))
    const { record, points } = await portfolioPointsOf(captured, queryOf(this.#period, captured))
    this.#first = points[0]?.window.label
    this.#last = points.at(-1)
    this.#ended = points.findLast(({ window }) => window.end <= captured.at)
    this.#minute = captured.at / MINUTE
    return record
  }

  /** What changed since the last part. */
  async next(captured: Captured): Promise<Pick<SnapshotChanges, 'curve' | 'curve_points'>> {
    const points = this.#isOver ? undefined : await this.#newPoints(captured)
    if (points === undefined) return { curve: await this.whole(captured) }
    return points.length === 0 ? {} : { curve_points: pointsToWire(points) }
  }

  /** The frames after the last ended one; undefined if the whole curve must be computed. */
  async #newPoints(captured: Captured): Promise<readonly PortfolioPoint[] | undefined> {
    const last = this.#last
    const minute = captured.at / MINUTE
    const isSameFrame = last !== undefined && captured.at < last.window.end
    if (minute === this.#minute || (isSameFrame && newYorkDate(captured.at) === last.window.date))
      return this.#inProgress(captured)
    const range = portfolioRange(queryOf(this.#period, captured), captured.at)
    const windows = accountWindows(range, captured.opened)
    this.#minute = minute
    const ended = this.#ended
    const fresh = windows.filter(({ label }) => label > (ended?.window.label ?? -1n))
    if (fresh.length === 0) return []
    const isContinued =
      last !== undefined &&
      ended !== undefined &&
      range.frame !== 'day' &&
      windows[0]?.label === this.#first &&
      fresh.length <= POINTS_MAX &&
      fresh.every(({ date }) => date === last.window.date && date === ended.window.date)
    if (!isContinued) return undefined
    const past = await pastSince(captured, ended.window.end)
    const ends = fresh.map((window) => endWithin(window, captured.at))
    const worths = await equitiesOf(captured, range, ends, past)
    const points = fresh.map((window) => {
      const worth = entryIn(worths, endWithin(window, captured.at))
      return { window, worth, gain: ended.gain + (worth - ended.worth), base: ended.base }
    })
    this.#last = points.at(-1)
    this.#ended = points.findLast(({ window }) => window.end <= captured.at) ?? ended
    return points
  }

  /** The frame in progress has the equity of now. */
  #inProgress({ at, opened, balances }: Captured): readonly PortfolioPoint[] {
    const last = this.#last
    if (last === undefined || last.worth === balances.equity) return []
    // The window of an account that was opened after the session always ends now (`accountWindows`).
    const isBeforeSession = last.window.start === opened
    if (last.window.end <= at && !isBeforeSession) return []
    const worth = balances.equity
    this.#last = { ...last, worth, gain: last.gain + (worth - last.worth) }
    return [this.#last]
  }
}

/** The holdings at an instant, and what changed them since: computed back from the holdings of now. */
async function pastSince(captured: Captured, since: Instant): Promise<Past> {
  const { world, account, event, holdings } = captured
  await world.storage.untilQueryTables(Math.min(account.lastSeq, event))
  const after = earlier(since, 1n)
  const found = await flowActivities(captured, { after })
  const steps: readonly PortfolioStep[] = found.filter(({ seq, at }) => seq <= event && at >= since)
  let cash: bigint = holdings.cash
  const shares = new Map(holdings.shares)
  for (const { cash: moved, symbol, quantity } of steps) {
    cash -= moved
    if (symbol && quantity) addShares(shares, symbol, toQuantity(-quantity))
  }
  return { opening: { cash: toMoney(cash), shares }, steps }
}

const TODAY = { period: '1D', timeframe: '1D', pnl_reset: 'per_day' } as const

/** The gain since the previous close. It is computed once a day, and moves with the equity. */
export class DayGain {
  #day: bigint | undefined
  #gain = 0n
  #equity = 0n

  readonly restart = (): void => {
    this.#day = undefined
  }

  async at(captured: Captured): Promise<string> {
    const { account, event, world, opened, balances } = captured
    const day = accountWindows(portfolioRange(TODAY, captured.at), opened).at(-1)?.label ?? -1n
    if (day !== this.#day) {
      this.#day = day
      await world.storage.untilQueryTables(Math.min(account.lastSeq, event))
      const last = (await portfolioPointsOf(captured, TODAY)).points.at(-1)
      this.#gain = last?.gain ?? 0n
      this.#equity = last?.worth ?? balances.equity
    }
    return format(toMoney(this.#gain + (balances.equity - this.#equity)))
  }
}
