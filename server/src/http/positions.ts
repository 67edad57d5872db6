import type { Handlers, PositionRecord } from '@quipu/contract'
import {
  type Asset,
  divide,
  format,
  fromNewYork,
  type Instant,
  marketValue,
  markOf,
  max,
  min,
  NO_QUANTITY,
  newYork,
  type Position,
  type Price,
  previousSession,
  type Quantity,
  settlementDate,
  type Ticker,
  UNIT,
  type View,
  worthOf,
} from '@quipu/core'
import type { AccountCaller } from '../credentials.ts'
import type { World } from '../world.ts'
import { assetNamed } from './assets.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

export const positionHandlers: Handlers<Context, 'listPositions' | 'getPosition'> = {
  listPositions: async (_, context) => {
    const { world } = context.account
    const holdings = await context.saw(
      world,
      world.read((view) => holdingsOf(view, context.account)),
    )
    return Promise.all(holdings.map((holding) => positionToWire(world, holding)))
  },

  getPosition: async ({ params }, context) => {
    const { world } = context.account
    const symbol = assetNamed(world, params.symbol_or_asset_id)?.symbol
    const holdings = await context.saw(
      world,
      world.read((view) => holdingsOf(view, context.account)),
    )
    const holding = holdings.find(({ position }) => position.symbol === symbol)
    if (!holding) throw refuse({ code: 'positionNotFound' })
    return positionToWire(world, holding)
  },
}

/** What an account holds of one symbol at one instant. */
type Holding = {
  readonly position: Position
  readonly at: Instant
  readonly held: Quantity
  /** Bought since the day began: what is to settle with the fills of today. */
  readonly boughtToday: Quantity
}

function holdingsOf(view: View, { world, accountId }: AccountCaller): readonly Holding[] {
  const at = world.now
  const today = view.unsettled.get(accountId)?.get(settlementDate(newYork(at).date))?.shares
  const holds = view.holds.get(accountId)?.shares
  return [...(view.positions.get(accountId)?.values() ?? [])].map((position) => {
    const { symbol, quantity } = position
    const net = today?.get(symbol) ?? NO_QUANTITY
    return {
      position,
      at,
      held: holds?.get(symbol) ?? NO_QUANTITY,
      boughtToday: max(min(net, quantity), NO_QUANTITY),
    }
  })
}

async function positionToWire(world: World, holding: Holding): Promise<PositionRecord> {
  const { position, held } = holding
  const { symbol, quantity, costBasis } = position
  const asset = world.market.assets().get(symbol)
  if (!asset) throw new Error(`bug: a position in ${symbol}, which the market does not have`)
  return {
    ...assetPart(asset),
    qty: format(quantity),
    qty_available: format(quantity - held),
    side: 'long',
    avg_entry_price: format(divide(costBasis * UNIT, quantity, 'nearest')),
    cost_basis: format(costBasis),
    ...(await worthPart(world, holding)),
  }
}

const assetPart = (asset: Asset) =>
  ({
    asset_id: asset.id,
    symbol: asset.symbol,
    exchange: asset.exchange,
    asset_class: 'us_equity',
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

async function worthPart(world: World, holding: Holding): Promise<Worth> {
  const { position, at } = holding
  const price = markOf(world.market.pricesAt(at), position.symbol)
  const before = await closeBefore(world, position.symbol, at)
  const lastday = before === undefined ? null : format(before)
  if (price === undefined) return { ...noWorth, lastday_price: lastday }
  const value = marketValue(position, price)
  const base = baseOfDay(holding, before)
  return {
    market_value: format(value),
    current_price: format(price),
    lastday_price: lastday,
    change_today: before === undefined ? null : fraction(price - before, before),
    unrealized_pl: format(value - position.costBasis),
    unrealized_plpc: fraction(value - position.costBasis, position.costBasis),
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
function baseOfDay({ position, boughtToday }: Holding, before: Price | undefined): bigint {
  const { quantity, costBasis } = position
  if (before === undefined) return costBasis
  const kept = (quantity - boughtToday) as Quantity
  return worthOf(before, kept, 'nearest') + divide(costBasis * boughtToday, quantity, 'nearest')
}

const fraction = (part: bigint, whole: bigint): string =>
  whole === 0n ? '0' : format(divide(part * UNIT, whole, 'nearest'))

/** The close of the last trading day before the one it is. */
async function closeBefore(world: World, symbol: Ticker, at: Instant): Promise<Price | undefined> {
  const { date } = newYork(at)
  const last = previousSession(date)
  if (!last) return undefined
  const from = fromNewYork(last.date, 0)
  const frame = { unit: 'day', count: 1 } as const
  const [bar] = await world.market.bars({ symbol, frame, from, to: from, now: at, sort: 'asc', limit: 1 })
  return bar && priceOf(bar.close)
}

/** Bars are plain numbers of dollars with at most six places; a price counts billionths. */
const priceOf = (dollars: number): Price => (BigInt(Math.round(dollars * 1e6)) * 1000n) as Price
