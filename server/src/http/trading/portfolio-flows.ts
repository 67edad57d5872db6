import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import type { HistoryQuery } from '@quipu/broker/query-tables/history.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { ActivityType } from '@quipu/contract'
import {
  type AccountId,
  type Activity,
  type ActivityKind,
  add,
  decodeActivity,
  earlier,
  firstOf,
  type HistoryWindow,
  type Instant,
  itemAt,
  lastOf,
  MINUTE,
  type Money,
  NO_MONEY,
  NO_PRICE,
  newYorkDate,
  type Price,
  previousSession,
  session,
  type Ticker,
  toMoney,
  toPrice,
  toQuantity,
  worthOf,
} from '@quipu/core'
import { kindsOf, typeOfActivity } from '../../wire/activity-wire.ts'
import { LOOK_BACK } from './portfolio-marks.ts'

/** Transfers into and out of the account, which are neither gain nor loss. */
export const externalKinds: readonly ActivityKind[] = [
  'cashBookTransfer',
  'shareBookTransfer',
  'deposit',
  'withdrawal',
]

type AccountOfWorld = { readonly world: World; readonly accountId: AccountId }

/** The transfers of an account, oldest first. All gains of Quipu exclude them. */
export const externalFlows = async (
  account: AccountOfWorld,
  now: Instant,
  part: Partial<HistoryQuery> = {},
): Promise<readonly Flow[]> =>
  flowsOf(await flowActivities(account, { kinds: externalKinds, ...part }), account.world.market, now)

/** Rows per query, so that a long list does not block other requests. */
const ROWS = 1_000

/** The activities of an account, oldest first. */
export async function flowActivities(
  { world, accountId }: AccountOfWorld,
  part: Partial<HistoryQuery>,
): Promise<readonly Activity[]> {
  const all: Activity[] = []
  let query: HistoryQuery = { accountId, part: 'activity', direction: 'asc', limit: ROWS, ...part }
  for (;;) {
    const some = (await world.storage.queryTables.history(query)).map((record) =>
      decodeActivity(accountId, record),
    )
    all.push(...some)
    if (some.length < ROWS) break
    query = { ...query, beyond: lastOf(some) }
  }
  return all.map(withinItsDay).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** The close of a day posts its fees and interest, which belong to that day in every timeframe. */
function withinItsDay(activity: Activity): Activity {
  const { at, kind } = activity
  const date = newYorkDate(at)
  const today = session(date)?.close
  if (kind !== 'fee' && kind !== 'interest' && at !== today) return activity
  const close = today !== undefined && today <= at ? today : previousSession(date)?.close
  return close === undefined ? activity : { ...activity, at: earlier(close, 1n) }
}

/** An activity and its value in dollars; journaled shares count at their price in that minute. */
export type Flow = { readonly activity: Activity; readonly worth: Money }

export async function flowsOf(
  activities: readonly Activity[],
  market: MarketSource,
  now: Instant,
): Promise<readonly Flow[]> {
  const prices = new Map<string, Price>()
  const flows: Flow[] = []
  for (const activity of activities) {
    const { kind, at, cash, symbol, quantity } = activity
    if (kind !== 'shareBookTransfer' || !symbol || !quantity) {
      flows.push({ activity, worth: cash })
      continue
    }
    const key = `${symbol} ${at / MINUTE}`
    const price = activity.price ?? prices.get(key) ?? (await priceAt(market, symbol, at, now))
    prices.set(key, price)
    flows.push({ activity, worth: add(cash, worthOf(price, toQuantity(quantity), 'down')) })
  }
  return flows
}

/** The close of the last minute with a trade, up to the instant; the last trade if the minute has not ended. */
async function priceAt(market: MarketSource, symbol: Ticker, at: Instant, now: Instant): Promise<Price> {
  const last = market.pricesAt(now).trade(symbol)
  if (at / MINUTE === now / MINUTE && last) return last.price
  if (!market.assets().has(symbol)) return last?.price ?? NO_PRICE
  await pauseWork()
  const [piece] = await market.history.barColumns({
    symbol,
    frame: { unit: 'minute', count: 1 },
    from: earlier(at, LOOK_BACK),
    to: at,
    now,
    sort: 'desc',
    limit: 1,
  })
  return piece && piece.count > 0
    ? toPrice(BigInt(Math.round(firstOf(piece.close) * 1_000_000_000)))
    : (last?.price ?? NO_PRICE)
}

/** The sum of the external flows before each instant; the instants are in ascending order. */
export function externalBefore(instants: readonly Instant[], flows: readonly Flow[]): readonly Money[] {
  const external = flows.filter(({ activity }) => externalKinds.includes(activity.kind))
  let sum = 0n
  let next = 0
  return instants.map((instant) => {
    for (let flow = external[next]; flow && flow.activity.at < instant; flow = external[++next])
      sum += flow.worth
    return toMoney(sum)
  })
}

/** The sum of each window by activity type. A flow between two windows belongs to the later one. */
export function sumsByType(
  flows: readonly Flow[],
  windows: readonly HistoryWindow[],
  named: readonly ActivityType[] | undefined,
): ReadonlyMap<ActivityType, readonly Money[]> {
  const byType = new Map<ActivityType, Money[]>()
  const start = () => windows.map(() => NO_MONEY)
  for (const type of named ?? []) byType.set(type, start())
  let row = 0
  for (const { activity, worth } of flows) {
    while (row < windows.length && itemAt(windows, row).end <= activity.at) row += 1
    if (row === windows.length) break
    const of = named?.filter((type) => kindsOf([type]).includes(activity.kind)) ?? [typeOfActivity(activity)]
    for (const type of of) {
      const sums = byType.get(type) ?? start()
      byType.set(type, sums)
      sums[row] = add(itemAt(sums, row), worth)
    }
  }
  return byType
}
