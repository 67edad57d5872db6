import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import { repricedBy } from '@quipu/broker/market/with-actions.ts'
import type { HistoryQuery } from '@quipu/broker/query-tables/history.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { ActivityType, InputOf, PortfolioHistoryRecord } from '@quipu/contract'
import {
  type AccountId,
  accountWindows,
  add,
  type Close,
  decodeClose,
  definedFields,
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
  session,
  stepsOfCloses,
  type Ticker,
} from '@quipu/core'
import { kindsBeside, kindsOf } from '../../wire/activity-wire.ts'
import type { SomeHandlers } from '../context.ts'
import { waitForQueryTables } from '../wait-for-query-tables.ts'
import { externalBefore, externalFlows, flowActivities, flowsOf, sumsByType } from './portfolio-flows.ts'
import { PortfolioMarks } from './portfolio-marks.ts'
import {
  closeBeforeDay,
  closeWithin,
  type ExternalFlows,
  endWithin,
  type PortfolioPoints,
  portfolioOf,
} from './portfolio-points.ts'
import { type PortfolioRange, portfolioRange } from './portfolio-range.ts'

type PortfolioHistoryQuery = InputOf<'getPortfolioHistory'>['query']

const marksCache = new PortfolioMarks()

export const portfolioHistoryHandlers = {
  getPortfolioHistory: async ({ query }, context) => {
    await waitForQueryTables(context)
    const { world, accountId } = context.account
    const account = accountNow(world, accountId)
    return portfolioHistoryOf({ ...account, at: world.engine.latest }, query)
  },
} satisfies SomeHandlers

/** An account at one instant. The query tables must have all of its events up to number `event`. */
export type AccountAt = {
  readonly world: World
  readonly accountId: AccountId
  readonly at: Instant
  readonly event: number
  readonly opened: Instant
  readonly holdings: Holdings
}

/** The account as it is now, read in one turn. `view`: the state of an earlier event at a given instant. */
export const accountNow = (
  world: World,
  accountId: AccountId,
  view = world.view,
  at = world.engine.now,
): AccountAt => ({
  world,
  accountId,
  at,
  event: view.seq,
  opened: entryIn(view.accounts, accountId).createdAt,
  holdings: holdingsOf(view, accountId),
})

export const portfolioHistoryOf = async (
  account: AccountAt,
  query: PortfolioHistoryQuery,
): Promise<PortfolioHistoryRecord> => (await portfolioPointsOf(account, query)).record

/** The history, and its frames before they are rounded. */
export async function portfolioPointsOf(
  account: AccountAt,
  query: PortfolioHistoryQuery,
): Promise<PortfolioPoints> {
  const { opened } = account
  const range = portfolioRange(query, account.at)
  const windows = accountWindows(range, opened)
  const past = await pastOf(account, range, windows)
  const instants = instantsOf(range, windows, opened)
  const equity = await equitiesOf(account, range, instants, past)
  const external = await externalOf(account, range, instants, closeWithin(windows[0]?.date, opened))
  const flows = await cashflowsOf(account, query, range, windows)
  return portfolioOf({ range, query, windows, opened, equity, external, flows })
}

/** The holdings of the account: the opening holdings and the changes since. */
export type Past = { readonly opening: Holdings; readonly steps: readonly PortfolioStep[] }

const NOTHING: Holdings = { cash: NO_MONEY, shares: new Map() }

/** Daily frames use the holdings at each close; intraday frames use every change since the previous close. */
async function pastOf(
  account: AccountAt,
  range: PortfolioRange,
  windows: readonly HistoryWindow[],
): Promise<Past> {
  const [first] = windows
  if (!first) return { opening: NOTHING, steps: [] }
  const isTradingDay = range.frame === 'day' && session(first.date)?.close === first.end
  return isTradingDay ? daily(account, first, range.now) : intraday(account, first)
}

async function daily(account: AccountAt, first: HistoryWindow, now: Instant): Promise<Past> {
  const { world, accountId, event, holdings } = account
  const closesIn = (part: Partial<HistoryQuery>) =>
    world.storage.queryTables.history({ accountId, part: 'close', direction: 'asc', ...part })
  const before = await closesIn({ direction: 'desc', limit: 2, until: first.start })
  const after = await closesIn({ after: earlier(first.start, 1n) })
  const closes = [...before.toReversed(), ...after].map(decodeClose).filter(({ seq }) => seq <= event)
  const running = session(newYorkDate(now))
  // A day that has not ended uses the current holdings.
  const last: Close[] =
    running && running.open <= now && now < running.close
      ? [{ date: running.date, at: now, seq: event, ...holdings }]
      : []
  const closeOf = ({ date, at }: Close): Instant => {
    const regular = session(date)?.close
    return regular === undefined || regular > now ? at : regular
  }
  return { opening: NOTHING, steps: stepsOfCloses([...closes, ...last], closeOf) }
}

async function intraday(account: AccountAt, first: HistoryWindow): Promise<Past> {
  const { world, accountId, event } = account
  const until = closeBeforeDay(first.date) ?? first.start
  const [record] = await world.storage.queryTables.history({
    accountId,
    part: 'close',
    direction: 'desc',
    limit: 1,
    until: later(until, 1n),
  })
  const opening = record === undefined ? undefined : decodeClose(record)
  const steps = await flowActivities(account, opening ? { beyond: { ...opening, n: 255 } } : {})
  return { opening: opening ?? NOTHING, steps: steps.filter(({ seq }) => seq <= event) }
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
export async function equitiesOf(
  account: AccountAt,
  { frame, now }: PortfolioRange,
  instants: readonly Instant[],
  { opening, steps }: Past,
): Promise<Amounts> {
  const [first] = instants
  if (first === undefined) return new Map()
  const { world } = account
  const marks = new Map<Ticker, Marks>()
  const repriced = repricedBy(world.view.actions.values())
  // Needs no prices from before the first holding.
  const held = opening.shares.size > 0 ? first : (steps[0]?.at ?? first)
  const from = held > first ? held : first
  for (const symbol of symbolsIn(opening, steps)) {
    await pauseWork()
    marks.set(
      symbol,
      await marksCache.since(world.market, symbol, frame, {
        first: from,
        now,
        repriced: repriced.get(symbol),
      }),
    )
  }
  return byInstant(instants, equitiesAt(instants, opening, steps, marks))
}

/** The external flows before each instant, since a close or since the opening of the account. */
async function externalOf(
  account: AccountAt,
  { now }: PortfolioRange,
  instants: readonly Instant[],
  since: Instant | undefined,
): Promise<ExternalFlows> {
  const after = since === undefined ? undefined : earlier(since, 1n)
  const all = await externalFlows(account, now, definedFields({ after }))
  const flows = all.filter(({ activity }) => activity.seq <= account.event)
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

/** The flows of each window by activity type. */
type Flows = ReadonlyMap<ActivityType, readonly Money[]>

async function cashflowsOf(
  account: AccountAt,
  { cashflow_types: wanted = [] }: PortfolioHistoryQuery,
  { now }: PortfolioRange,
  windows: readonly HistoryWindow[],
): Promise<Flows | undefined> {
  const [first] = windows
  if (wanted.length === 0 || wanted.includes('NONE') || !first) return undefined
  const named = wanted.includes('ALL') ? undefined : (wanted as readonly ActivityType[])
  const kinds = named ? kindsOf(named) : kindsBeside('fill')
  const activities = await flowActivities(account, { kinds, after: earlier(first.start, 1n) })
  const within = activities.filter(({ at, seq }) => at >= first.start && seq <= account.event)
  return sumsByType(await flowsOf(within, account.world.market, now), windows, named)
}
