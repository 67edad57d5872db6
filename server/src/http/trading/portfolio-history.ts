import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import { repricedBy } from '@quipu/broker/market/with-actions.ts'
import type { HistoryQuery } from '@quipu/broker/query-tables/history.ts'
import type { ActivityType, InputOf, PortfolioHistoryRecord } from '@quipu/contract'
import {
  accountWindows,
  add,
  type CivilDate,
  type Close,
  decodeClose,
  definedFields,
  divide,
  earlier,
  entryIn,
  equitiesAt,
  type HistoryWindow,
  type Holdings,
  holdingsOf,
  type Instant,
  itemAt,
  later,
  type Marks,
  type Money,
  NO_MONEY,
  newYorkDate,
  type PortfolioStep,
  previousSession,
  session,
  stepsOfCloses,
  type Ticker,
} from '@quipu/core'
import { kindsBeside, kindsOf } from '../../wire/activity-wire.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { waitForQueryTables } from '../wait-for-query-tables.ts'
import { externalBefore, externalFlows, flowActivities, flowsOf, sumsByType } from './portfolio-flows.ts'
import { LOOK_BACK, PortfolioMarks } from './portfolio-marks.ts'
import { type PortfolioRange, portfolioRange } from './portfolio-range.ts'

type PortfolioHistoryQuery = InputOf<'getPortfolioHistory'>['query']

const marksCache = new PortfolioMarks()

export const portfolioHistoryHandlers = {
  getPortfolioHistory: async ({ query }, context) => {
    await waitForQueryTables(context)
    const range = portfolioRange(query, context.account.world.engine.latest)
    const opened = entryIn(context.account.world.view.accounts, context.account.accountId).createdAt
    const windows = accountWindows(range, opened)
    const past = await pastOf(context, range, windows)
    const instants = instantsOf(range, windows, opened)
    const equity = await equitiesOf(context, range, instants, past)
    const external = await externalOf(context, range, instants, closeWithin(windows[0]?.date, opened))
    const flows = await cashflowsOf(context, query, range, windows)
    return historyOf({ range, query, windows, opened, equity, external, flows })
  },
} satisfies SomeHandlers

/** The holdings of the account: the opening holdings and the changes since. */
type Past = { readonly opening: Holdings; readonly steps: readonly PortfolioStep[] }

const NOTHING: Holdings = { cash: NO_MONEY, shares: new Map() }

/** Daily frames use the holdings at each close; intraday frames use every change since the previous close. */
async function pastOf(
  context: Context,
  range: PortfolioRange,
  windows: readonly HistoryWindow[],
): Promise<Past> {
  const [first] = windows
  if (!first) return { opening: NOTHING, steps: [] }
  const isTradingDay = range.frame === 'day' && session(first.date)?.close === first.end
  return isTradingDay ? daily(context, first, range.now) : intraday(context, first)
}

async function daily(context: Context, first: HistoryWindow, now: Instant): Promise<Past> {
  const { world, accountId } = context.account
  const closesIn = (part: Partial<HistoryQuery>) =>
    world.storage.queryTables.history({ accountId, part: 'close', direction: 'asc', ...part })
  const before = await closesIn({ direction: 'desc', limit: 2, until: first.start })
  const after = await closesIn({ after: earlier(first.start, 1n) })
  const closes = [...before.toReversed(), ...after].map(decodeClose)
  const today = holdingsOf(world.view, accountId)
  const running = session(newYorkDate(now))
  // A day that has not ended uses the current holdings.
  const last: Close[] =
    running && running.open <= now && now < running.close
      ? [{ date: running.date, at: now, seq: world.view.seq, ...today }]
      : []
  const closeOf = ({ date, at }: Close): Instant => {
    const regular = session(date)?.close
    return regular === undefined || regular > now ? at : regular
  }
  return { opening: NOTHING, steps: stepsOfCloses([...closes, ...last], closeOf) }
}

async function intraday(context: Context, first: HistoryWindow): Promise<Past> {
  const { world, accountId } = context.account
  const until = closeBefore(first.date) ?? first.start
  const [record] = await world.storage.queryTables.history({
    accountId,
    part: 'close',
    direction: 'desc',
    limit: 1,
    until: later(until, 1n),
  })
  const opening = record === undefined ? undefined : decodeClose(record)
  const steps = await flowActivities(context.account, opening ? { beyond: { ...opening, n: 255 } } : {})
  return { opening: opening ?? NOTHING, steps }
}

/** An amount at each of some instants. */
type Amounts = ReadonlyMap<Instant, Money>

/** The ends of the windows and the closes that gains count from, oldest first. */
function instantsOf(
  { now }: PortfolioRange,
  windows: readonly HistoryWindow[],
  opened: Instant,
): readonly Instant[] {
  const instants = new Set<Instant>(windows.map((window) => endWithin(window, now)))
  for (const date of new Set(windows.map((window) => window.date))) {
    const close = closeWithin(date, opened)
    if (close !== undefined) instants.add(close)
  }
  return [...instants].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The equity of the account just before each instant. */
async function equitiesOf(
  context: Context,
  { frame, now }: PortfolioRange,
  instants: readonly Instant[],
  { opening, steps }: Past,
): Promise<Amounts> {
  const [first] = instants
  if (first === undefined) return new Map()
  const { world } = context.account
  const marks = new Map<Ticker, Marks>()
  const repriced = repricedBy(world.view.actions.values())
  // Needs no prices from before the first holding.
  const held = opening.shares.size > 0 ? first : (steps[0]?.at ?? first)
  const from = earlier(held > first ? held : first, LOOK_BACK)
  for (const symbol of symbolsIn(opening, steps)) {
    await pauseWork()
    marks.set(
      symbol,
      await marksCache.of(world.market, symbol, frame, {
        from,
        now,
        repriced: repriced.get(symbol),
      }),
    )
  }
  return byInstant(instants, equitiesAt(instants, opening, steps, marks))
}

/** External flows, and the part with which the account was opened. */
type External = { readonly opening: Money; readonly before: Amounts }

/** The external flows before each instant, since a close or since the opening of the account. */
async function externalOf(
  context: Context,
  { now }: PortfolioRange,
  instants: readonly Instant[],
  since: Instant | undefined,
): Promise<External> {
  const after = since === undefined ? undefined : earlier(since, 1n)
  const flows = await externalFlows(context.account, now, definedFields({ after }))
  const opening = flows.filter(({ activity }) => activity.seq === flows[0]?.activity.seq)
  return {
    opening: opening.reduce((sum, { worth }) => add(sum, worth), NO_MONEY),
    before: byInstant(instants, externalBefore(instants, flows)),
  }
}

const byInstant = (instants: readonly Instant[], amounts: readonly Money[]): Amounts =>
  new Map(instants.map((instant, row) => [instant, itemAt(amounts, row)]))

function symbolsIn({ shares }: Holdings, steps: readonly PortfolioStep[]): ReadonlySet<Ticker> {
  const symbols = new Set(shares.keys())
  for (const { symbol, quantity } of steps) if (symbol && quantity) symbols.add(symbol)
  return symbols
}

/** A window that has not ended ends now. */
const endWithin = ({ end }: HistoryWindow, now: Instant): Instant => (end > now ? later(now, 1n) : end)

const closeBefore = (date: CivilDate): Instant | undefined => previousSession(date)?.close

/** The previous close of a day, if the account existed then. */
function closeWithin(date: CivilDate | undefined, opened: Instant): Instant | undefined {
  const close = date === undefined ? undefined : closeBefore(date)
  return close !== undefined && close > opened ? close : undefined
}

/** The flows of each window by activity type. */
type Flows = ReadonlyMap<ActivityType, readonly Money[]>

async function cashflowsOf(
  context: Context,
  { cashflow_types: wanted = [] }: PortfolioHistoryQuery,
  { now }: PortfolioRange,
  windows: readonly HistoryWindow[],
): Promise<Flows | undefined> {
  const [first] = windows
  if (wanted.length === 0 || wanted.includes('NONE') || !first) return undefined
  const named = wanted.includes('ALL') ? undefined : (wanted as readonly ActivityType[])
  const kinds = named ? kindsOf(named) : kindsBeside('fill')
  const activities = await flowActivities(context.account, { kinds, after: earlier(first.start, 1n) })
  const within = activities.filter(({ at }) => at >= first.start)
  return sumsByType(await flowsOf(within, context.account.world.market, now), windows, named)
}

type Facts = {
  readonly range: PortfolioRange
  readonly query: PortfolioHistoryQuery
  readonly windows: readonly HistoryWindow[]
  readonly opened: Instant
  readonly equity: Amounts
  readonly external: External
  readonly flows: Flows | undefined
}

/** A gain is the growth of equity since its base, without external flows. */
function historyOf({
  range,
  query,
  windows,
  opened,
  equity,
  external,
  flows,
}: Facts): PortfolioHistoryRecord {
  const { now, frame, timeframe } = range
  const earned = (instant: Instant): bigint => entryIn(equity, instant) - entryIn(external.before, instant)
  const baseFor = (date: CivilDate | undefined) => {
    const close = closeWithin(date, opened)
    return close === undefined
      ? { worth: external.opening, earned: 0n }
      : { worth: entryIn(equity, close), earned: earned(close) }
  }
  const first = windows[0]?.date
  const base = baseFor(first)
  const resets = frame !== 'day' && query.pnl_reset === 'per_day'
  const points = windows.map((window) => {
    const end = endWithin(window, now)
    const from = resets ? baseFor(window.date) : base
    return { worth: entryIn(equity, end), gain: earned(end) - from.earned, base: from.worth }
  })
  return {
    timestamp: windows.map(({ label }) => Number(label / 1_000_000_000n)),
    equity: points.map(({ worth }) => dollars(worth)),
    profit_loss: points.map(({ gain }) => dollars(gain)),
    profit_loss_pct: points.map((point) => shareOf(point.gain, point.base)),
    base_value: dollars(base.worth),
    base_value_asof:
      first === undefined || closeWithin(first, opened) === undefined
        ? undefined
        : previousSession(first)?.date,
    timeframe,
    cashflow: flows && Object.fromEntries([...flows].map(([type, sums]) => [type, sums.map(dollars)])),
  }
}

const dollars = (amount: bigint): number => Number(divide(amount, 10_000_000n, 'nearest')) / 100

const shareOf = (gain: bigint, base: Money): number =>
  base === NO_MONEY ? 0 : Number(divide(gain * 10_000_000_000n, base, 'nearest')) / 10_000_000_000
