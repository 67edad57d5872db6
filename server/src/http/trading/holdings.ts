import type { AccountCaller } from '@quipu/broker/access/caller.ts'
import { adjustedColumns } from '@quipu/broker/market/adjusted-bars.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { PositionRecord } from '@quipu/contract'
import {
  type Asset,
  addDays,
  type CivilDate,
  dayFor,
  firstOf,
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
  toPrice,
  toQuantity,
  type View,
  worthOf,
} from '@quipu/core'

/** The position of an account in one symbol at one instant. */
export type PricedHolding = {
  readonly position: Position
  readonly at: Instant
  /** The quantity that open orders will close, a positive number. */
  readonly held: Quantity
  /** The price at that instant; a live market has no earlier prices. */
  readonly price: Price | undefined
}

/** The positions of an account in a state, priced in the same turn. */
export function pricedHoldings(
  view: View,
  { world, accountId }: Pick<AccountCaller, 'world' | 'accountId'>,
  at = world.engine.now,
): readonly PricedHolding[] {
  const prices = world.market.pricesAt(at)
  const holds = view.holds.get(accountId)?.shares
  return [...(view.positions.get(accountId)?.values() ?? [])].map((position) => ({
    position: onDay(position, dayFor(position.symbol, at)),
    at,
    held: holds?.get(position.symbol) ?? NO_QUANTITY,
    price: markOf(prices, position.symbol),
  }))
}

/** The symbol in position records: a pair has no slash. */
export const positionSymbol = (symbol: Ticker): string => symbol.replace('/', '')

/** Finds the close of the trading day before an instant. */
export type PreviousCloseOf = (world: World, symbol: Ticker, at: Instant) => Promise<Price | undefined>

export async function positionToWire(
  world: World,
  holding: PricedHolding,
  closeOf: PreviousCloseOf = previousCloseOf,
): Promise<PositionRecord> {
  const { position, held } = holding
  const { symbol, quantity, costBasis } = position
  const asset = world.market.assets().get(symbol)
  if (!asset) throw new Error(`bug: a position in ${symbol}, which is not in the market`)
  return {
    ...assetPart(asset),
    qty: format(quantity),
    qty_available: format(quantity < 0n ? quantity + held : quantity - held),
    side: quantity < 0n ? 'short' : 'long',
    avg_entry_price: formatQuotient(costBasis, quantity, QUOTIENT_PLACES),
    cost_basis: format(costBasis),
    ...worthPart(holding, await closeOf(world, symbol, holding.at)),
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

function worthPart({ position, at, price }: PricedHolding, before: Price | undefined): Worth {
  const { symbol, costBasis } = position
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

/** The base of today's gain: yesterday's close for the shares held then, the cost for the shares bought today. */
function baseOfDay(position: Position, day: CivilDate, before: Price | undefined): bigint {
  if (before === undefined) return position.costBasis
  const today = todayOf(position, day)
  const kept = toQuantity(position.quantity - (today?.quantity ?? NO_QUANTITY))
  return worthOf(before, kept, 'nearest') + (today?.cost ?? 0n)
}

/** Divides by the absolute value, so that a short with a gain has a positive fraction. */
const fraction = (part: bigint, whole: bigint): string =>
  whole === 0n ? '0' : formatQuotient(part, whole < 0n ? -whole : whole, QUOTIENT_PLACES)

/** The decimals that the protocol shows for an infinite fraction. */
const QUOTIENT_PLACES = 16

/** The close of the trading day before the current one. */
export async function previousCloseOf(
  { market, view }: World,
  symbol: Ticker,
  at: Instant,
): Promise<Price | undefined> {
  const from = dayBefore(symbol, dayFor(symbol, at))
  if (from === undefined) return undefined
  const frame = { unit: 'day', count: 1 } as const
  const query = { symbol, frame, from, to: from, now: at, sort: 'asc', limit: 1 } as const
  // Adjusted for splits, so that the price is per share of today.
  const [bars] = await adjustedColumns(market.history, view, query, { split: true, dividend: false })
  return bars && bars.count > 0 ? priceOf(firstOf(bars.close)) : undefined
}

/** The start of the previous trading day in New York, or for coins of the previous day in UTC. */
function dayBefore(symbol: Ticker, day: CivilDate): Instant | undefined {
  if (isPair(symbol)) {
    const midnight = parseInstant(`${addDays(day, -1)}T00:00:00Z`)
    return midnight.ok ? midnight.value : undefined
  }
  const last = previousSession(day)
  return last && fromNewYork(last.date, 0)
}

/** Bars are dollars with at most nine decimals; a price is in billionths. */
const priceOf = (dollars: number): Price => toPrice(BigInt(Math.round(dollars * 1e9)))
