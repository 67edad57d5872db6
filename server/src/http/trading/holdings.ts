import type { PositionRecord } from '@quipu/contract'
import {
  type Asset,
  addDays,
  type CivilDate,
  dayFor,
  format,
  formatQuotient,
  fromNewYork,
  type Instant,
  isPair,
  marketValue,
  markOf,
  NO_QUANTITY,
  onDay,
  type Position,
  type Price,
  parseInstant,
  previousSession,
  type Quantity,
  type Ticker,
  todayOf,
  type View,
  worthOf,
} from '@quipu/core'
import type { AccountCaller } from '../../access/caller.ts'
import { adjustedColumns } from '../../market/adjusted-bars.ts'
import type { World } from '../../world/world.ts'

/** What an account holds of one symbol at one instant. */
export type Holding = {
  readonly position: Position
  readonly at: Instant
  /** What open orders are to close of it, a positive number. */
  readonly held: Quantity
}

export function holdingsOf(view: View, { world, accountId }: AccountCaller): readonly Holding[] {
  const at = world.now
  const holds = view.holds.get(accountId)?.shares
  return [...(view.positions.get(accountId)?.values() ?? [])].map((position) => ({
    position: onDay(position, dayFor(position.symbol, at)),
    at,
    held: holds?.get(position.symbol) ?? NO_QUANTITY,
  }))
}

/** The symbol as positions have it: that of a pair without its slash. */
export const positionSymbol = (symbol: Ticker): string => symbol.replace('/', '')

export async function positionToWire(world: World, holding: Holding): Promise<PositionRecord> {
  const { position, held } = holding
  const { symbol, quantity, costBasis } = position
  const asset = world.market.assets().get(symbol)
  if (!asset) throw new Error(`bug: a position in ${symbol}, which the market does not have`)
  return {
    ...assetPart(asset),
    qty: format(quantity),
    qty_available: format(quantity < 0n ? quantity + held : quantity - held),
    side: quantity < 0n ? 'short' : 'long',
    avg_entry_price: formatQuotient(costBasis, quantity, QUOTIENT_PLACES),
    cost_basis: format(costBasis),
    ...(await worthPart(world, holding)),
  }
}

const assetPart = (asset: Asset) =>
  ({
    asset_id: asset.id,
    symbol: positionSymbol(asset.symbol),
    exchange: asset.exchange,
    asset_class: asset.class === 'crypto' ? 'crypto' : 'us_equity',
    asset_marginable: asset.marginable,
  }) as const

type Worth = Pick<
  PositionRecord,
  | 'market_value'
  | 'current_price'
  | 'lastday_price'
  | 'change_today'
  | 'unrealized_pl'
  | 'unrealized_plpc'
  | 'unrealized_intraday_pl'
  | 'unrealized_intraday_plpc'
>

async function worthPart(world: World, { position, at }: Holding): Promise<Worth> {
  const { symbol, costBasis } = position
  const price = markOf(world.market.pricesAt(at), symbol)
  const before = await closeBefore(world, symbol, at)
  const lastday = before === undefined ? null : format(before)
  if (price === undefined) return { ...noWorth, lastday_price: lastday }
  const value = marketValue(position, price)
  const base = baseOfDay(position, dayFor(symbol, at), before)
  return {
    market_value: format(value),
    current_price: format(price),
    lastday_price: lastday,
    change_today: before === undefined ? null : fraction(price - before, before),
    unrealized_pl: format(value - costBasis),
    unrealized_plpc: fraction(value - costBasis, costBasis),
    unrealized_intraday_pl: format(value - base),
    unrealized_intraday_plpc: fraction(value - base, base),
  }
}

const noWorth: Worth = {
  market_value: null,
  current_price: null,
  lastday_price: null,
  change_today: null,
  unrealized_pl: null,
  unrealized_plpc: null,
  unrealized_intraday_pl: null,
  unrealized_intraday_plpc: null,
}

/** What today's gain is counted from: yesterday's close for what was held then, its cost for what came today. */
function baseOfDay(position: Position, day: CivilDate, before: Price | undefined): bigint {
  if (before === undefined) return position.costBasis
  const today = todayOf(position, day)
  const kept = (position.quantity - (today?.quantity ?? NO_QUANTITY)) as Quantity
  return worthOf(before, kept, 'nearest') + (today?.cost ?? 0n)
}

/** Of the size of the whole: a short that gains has a positive one. */
const fraction = (part: bigint, whole: bigint): string =>
  whole === 0n ? '0' : formatQuotient(part, whole < 0n ? -whole : whole, QUOTIENT_PLACES)

/** As many as the protocol shows where a division has no end. */
const QUOTIENT_PLACES = 16

/** The close of the day before the one that trades count for. */
async function closeBefore(world: World, symbol: Ticker, at: Instant): Promise<Price | undefined> {
  const from = dayBefore(symbol, dayFor(symbol, at))
  if (from === undefined) return undefined
  const frame = { unit: 'day', count: 1 } as const
  const query = { symbol, frame, from, to: from, now: at, sort: 'asc', limit: 1 } as const
  // As today's shares are: a split since then changed what a share is.
  const [bars] = await adjustedColumns(world.market, world.view, query, { split: true, dividend: false })
  return bars && bars.count > 0 ? priceOf(bars.close[0]!) : undefined
}

/** Where the day before begins: the trading day before in New York, or for coins the day before in UTC. */
function dayBefore(symbol: Ticker, day: CivilDate): Instant | undefined {
  if (isPair(symbol)) {
    const midnight = parseInstant(`${addDays(day, -1)}T00:00:00Z`)
    return midnight.ok ? midnight.value : undefined
  }
  const last = previousSession(day)
  return last && fromNewYork(last.date, 0)
}

/** Bars are plain numbers of dollars with at most nine places; a price counts billionths. */
const priceOf = (dollars: number): Price => BigInt(Math.round(dollars * 1e9)) as Price
