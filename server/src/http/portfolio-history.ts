import type { ActivityType, Handlers, InputOf, PortfolioHistoryRecord } from '@quipu/contract'
import {
  type Activity,
  type CivilDate,
  type Close,
  decodeActivity,
  decodeClose,
  divide,
  equitiesAt,
  type HistoryWindow,
  type Holdings,
  holdingsOf,
  type Instant,
  type Marks,
  type Money,
  NO_MONEY,
  newYorkDate,
  previousSession,
  type Step,
  session,
  stepsOfCloses,
  type Ticker,
  windowsOf,
} from '@quipu/core'
import { pause } from '../long-work.ts'
import { repricedBy } from '../market/with-actions.ts'
import type { HistoryQuery } from '../views/history.ts'
import { kindsBeside, kindsOf, typeOfActivity } from './activity-wire.ts'
import { viewsCaughtUp } from './caught-up.ts'
import type { Context } from './context.ts'
import { LOOK_BACK, PortfolioMarks } from './portfolio-marks.ts'
import { type Range, rangeOf } from './portfolio-range.ts'

type Query = InputOf<'getPortfolioHistory'>['query']

const marksKept = new PortfolioMarks()

export const portfolioHistoryHandlers: Handlers<Context, 'getPortfolioHistory'> = {
  getPortfolioHistory: async ({ query }, context) => {
    await viewsCaughtUp(context)
    const range = rangeOf(query, context.account.world.latest)
    const windows = windowsOf(range)
    const past = await pastOf(context, range, windows)
    const equity = await equitiesOf(context, range, windows, past)
    const flows = await cashflowsOf(context, query, windows)
    return told(range, windows, equity, query, flows)
  },
}

/** What the account held, told as changes from some holdings on. */
type Past = { readonly opening: Holdings; readonly steps: readonly Step[] }

const NOTHING: Holdings = { cash: NO_MONEY, shares: new Map() }

/** Days are told from what was held at their closes, shorter frames from every change since the close before them. */
async function pastOf(context: Context, range: Range, windows: readonly HistoryWindow[]): Promise<Past> {
  const [first] = windows
  if (!first) return { opening: NOTHING, steps: [] }
  return range.frame === 'day' ? daily(context, first, range.now) : intraday(context, first)
}

async function daily(context: Context, first: HistoryWindow, now: Instant): Promise<Past> {
  const { world, accountId } = context.account
  const ask = (part: Partial<HistoryQuery>) =>
    world.views.history({ accountId, part: 'close', direction: 'asc', ...part })
  const before = await ask({ direction: 'desc', limit: 2, until: first.start })
  const after = await ask({ after: (first.start - 1n) as Instant })
  const closes = [...before.toReversed(), ...after].map(decodeClose)
  const today = holdingsOf(world.view, accountId)
  const running = session(newYorkDate(now))
  // What is held now counts for a day that is not over.
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
  const [record] = await world.views.history({
    accountId,
    part: 'close',
    direction: 'desc',
    limit: 1,
    until: (until + 1n) as Instant,
  })
  const opening = record === undefined ? undefined : decodeClose(record)
  const steps = await activitiesOf(context, opening ? { beyond: { ...opening, n: 255 } } : {})
  return { opening: opening ?? NOTHING, steps }
}

/** Rows read in one question, so that nobody waits for a long list. */
const ROWS = 1_000

async function activitiesOf(context: Context, part: Partial<HistoryQuery>): Promise<readonly Activity[]> {
  const { world, accountId } = context.account
  const all: Activity[] = []
  let query: HistoryQuery = { accountId, part: 'activity', direction: 'asc', limit: ROWS, ...part }
  for (;;) {
    const some = (await world.views.history(query)).map((record) => decodeActivity(accountId, record))
    all.push(...some)
    if (some.length < ROWS) return all
    query = { ...query, beyond: some.at(-1)! }
  }
}

type Equities = { readonly at: ReadonlyMap<Instant, Money> }

/** What it was worth at the end of each window and at the closes that gains are counted from. */
async function equitiesOf(
  context: Context,
  { frame, now }: Range,
  windows: readonly HistoryWindow[],
  { opening, steps }: Past,
): Promise<Equities> {
  const ends = new Set<Instant>(windows.map((window) => endWithin(window, now)))
  for (const date of new Set(windows.map((window) => window.date))) {
    const close = closeBefore(date)
    if (close !== undefined) ends.add(close)
  }
  const instants = [...ends].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [first] = instants
  if (first === undefined) return { at: new Map() }
  const { world } = context.account
  const marks = new Map<Ticker, Marks>()
  const repriced = repricedBy(world.view.actions.values())
  // Before it held anything, no price is asked for.
  const held = opening.shares.size > 0 ? first : (steps[0]?.at ?? first)
  const from = ((held > first ? held : first) - LOOK_BACK) as Instant
  for (const symbol of symbolsIn(opening, steps)) {
    await pause()
    marks.set(
      symbol,
      await marksKept.of(world.market, symbol, frame, {
        from,
        now,
        repriced: repriced.get(symbol),
      }),
    )
  }
  const worth = equitiesAt(instants, opening, steps, marks)
  return { at: new Map(instants.map((instant, row) => [instant, worth[row]!])) }
}

function symbolsIn({ shares }: Holdings, steps: readonly Step[]): ReadonlySet<Ticker> {
  const symbols = new Set(shares.keys())
  for (const { symbol, quantity } of steps) if (symbol && quantity) symbols.add(symbol)
  return symbols
}

/** A window that is not over ends now. */
const endWithin = ({ end }: HistoryWindow, now: Instant): Instant =>
  end > now ? ((now + 1n) as Instant) : end

const closeBefore = (date: CivilDate): Instant | undefined => previousSession(date)?.close

type Flows = ReadonlyMap<ActivityType, readonly Money[]>

/** What came and went in each window; what did so while there was none belongs to the next. */
async function cashflowsOf(
  context: Context,
  { cashflow_types: wanted = [] }: Query,
  windows: readonly HistoryWindow[],
): Promise<Flows | undefined> {
  const [first] = windows
  if (wanted.length === 0 || wanted.includes('NONE') || !first) return undefined
  const named = wanted.includes('ALL') ? undefined : (wanted as readonly ActivityType[])
  const kinds = named ? kindsOf(named) : kindsBeside('fill')
  const flows = new Map<ActivityType, Money[]>()
  const start = () => windows.map(() => NO_MONEY)
  for (const type of named ?? []) flows.set(type, start())
  let row = 0
  for (const activity of await activitiesOf(context, { kinds, after: (first.start - 1n) as Instant })) {
    while (row < windows.length && windows[row]!.end <= activity.at) row += 1
    if (row === windows.length) break
    const of = named?.filter((type) => kindsOf([type]).includes(activity.kind)) ?? [typeOfActivity(activity)]
    for (const type of of) {
      const sums = flows.get(type) ?? start()
      flows.set(type, sums)
      sums[row] = (sums[row]! + activity.cash) as Money
    }
  }
  return flows
}

function told(
  { now, frame, timeframe }: Range,
  windows: readonly HistoryWindow[],
  { at }: Equities,
  query: Query,
  flows: Flows | undefined,
): PortfolioHistoryRecord {
  const equity = windows.map((window) => at.get(endWithin(window, now))!)
  const firstWorth = equity.find((worth) => worth !== NO_MONEY) ?? NO_MONEY
  const closing = (date: CivilDate | undefined): Money | undefined => {
    const close = date === undefined ? undefined : closeBefore(date)
    return close === undefined ? undefined : at.get(close) || undefined
  }
  const base = closing(windows[0]?.date)
  const resets = frame !== 'day' && query.pnl_reset === 'per_day'
  const bases = windows.map(({ date }) => (resets ? closing(date) : base) ?? firstWorth)
  const gains = equity.map((worth, row) => (worth === NO_MONEY ? 0n : worth - bases[row]!))
  return {
    timestamp: windows.map(({ label }) => Number(label / 1_000_000_000n)),
    equity: equity.map(dollars),
    profit_loss: gains.map(dollars),
    profit_loss_pct: gains.map((gain, row) => shareOf(gain, bases[row]!)),
    base_value: dollars(base ?? firstWorth),
    ...(base === undefined ? {} : { base_value_asof: previousSession(windows[0]!.date)!.date }),
    timeframe,
    ...(flows && {
      cashflow: Object.fromEntries([...flows].map(([type, sums]) => [type, sums.map(dollars)])),
    }),
  }
}

/** To the cent. */
const dollars = (amount: bigint): number => Number(divide(amount, 10_000_000n, 'nearest')) / 100

const shareOf = (gain: bigint, base: Money): number =>
  base === NO_MONEY ? 0 : Number(divide(gain * 10_000_000_000n, base, 'nearest')) / 10_000_000_000
