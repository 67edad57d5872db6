import { toPrice, toQuantity } from '../../amount.ts'
import { type AssetId, tickerOf } from '../../ids.ts'
import type { Profile } from '../kernel/profile.ts'
import type { Asset } from './asset.ts'

/** A crypto pair and its market parameters. */
export type Pair = {
  readonly symbol: string
  readonly name: string
  /** In dollars; `turnover` is dollars per day. */
  readonly price: number
  readonly turnover: number
  readonly volatility: number
  readonly beta: number
  /** In basis points of the price. */
  readonly spread: number
}

/** The built-in crypto pairs, with approximate prices at the end of 2026. */
// biome-ignore format: one row per pair, in columns.
export const PAIRS: readonly Pair[] = [
  { symbol: 'BTC/USD',  name: 'Bitcoin / US Dollar',   price: 95_000, turnover: 60_000_000, volatility: 0.5,   beta: 1,    spread: 2 },
  { symbol: 'ETH/USD',  name: 'Ethereum / US Dollar',  price: 3_200,  turnover: 40_000_000, volatility: 0.68,  beta: 1.3,  spread: 3 },
  { symbol: 'SOL/USD',  name: 'Solana / US Dollar',    price: 140,    turnover: 15_000_000, volatility: 0.85,  beta: 1.55, spread: 5 },
  { symbol: 'DOGE/USD', name: 'Dogecoin / US Dollar',  price: 0.16,   turnover: 6_000_000,  volatility: 0.9,   beta: 1.5,  spread: 8 },
  { symbol: 'LTC/USD',  name: 'Litecoin / US Dollar',  price: 98,     turnover: 3_000_000,  volatility: 0.75,  beta: 1.2,  spread: 8 },
  { symbol: 'AVAX/USD', name: 'Avalanche / US Dollar', price: 16,     turnover: 2_500_000,  volatility: 0.9,   beta: 1.5,  spread: 9 },
  { symbol: 'LINK/USD', name: 'Chainlink / US Dollar', price: 14,     turnover: 3_000_000,  volatility: 0.85,  beta: 1.45, spread: 8 },
  { symbol: 'USDT/USD', name: 'Tether / US Dollar',    price: 1,      turnover: 8_000_000,  volatility: 0.004, beta: 0,    spread: 1 },
]

const BILLION = 1_000_000_000
/** Dollars of an average trade, of the minimum quoted size, and of the minimum lot. */
const TRADE_VALUE = 2000
const SHOWN_VALUE = 400
const LOT_VALUE = 0.1
const DEPTH = 30

export function pairAsset({ symbol, name, price }: Pair, id: AssetId): Asset {
  const { tick, lot } = stepsOf(price)
  return {
    id,
    class: 'crypto',
    exchange: 'CRYPTO',
    symbol: tickerOf(symbol),
    name,
    status: 'active',
    tradable: true,
    marginable: false,
    shortable: false,
    easyToBorrow: false,
    fractionable: true,
    tick: toPrice(BigInt(tick)),
    lot: toQuantity(BigInt(lot)),
  }
}

export function pairProfile({ symbol, price, turnover, volatility, beta, spread }: Pair): Profile {
  const { tick, lot } = stepsOf(price)
  const lots = (dollars: number): number => Math.ceil((dollars * BILLION) / lot / price)
  return {
    symbol: tickerOf(symbol),
    pace: 'roundTheClock',
    basePrice: Math.round((price * BILLION) / tick),
    volume: lots(turnover),
    trades: Math.ceil(turnover / TRADE_VALUE),
    volatility,
    beta,
    spread,
    depth: DEPTH,
    roundLot: lots(SHOWN_VALUE),
  }
}

/**
 * Tick and lot in billionths: a price has at least 100,000 ticks, and a lot is worth at least ten cents. Sums
 * stay exact.
 */
function stepsOf(price: number): { tick: number; lot: number } {
  let tick = BILLION
  while (tick > 1 && (price * BILLION) / tick < 100_000) tick /= 10
  let lot = 1
  while (lot < BILLION / 10 && price * (lot / BILLION) < LOT_VALUE) lot *= 10
  return { tick, lot }
}
