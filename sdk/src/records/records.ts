import type * as wire from '../contract.ts'
import type { Camel } from './case.ts'

/** The records as the API sends them, which `client`, `data` and `write` return. */
export type WireAccount = wire.Account
export type WireBar = wire.Bar
export type WireCandles = wire.Candles
export type WireOrder = wire.Order
export type WireTradeUpdate = wire.TradeUpdate

export type Account = wire.CamelAccount
export type Order = wire.CamelOrder
export type Position = wire.CamelPosition
/** An event of an order. */
export type TradeUpdate = Omit<Camel<WireTradeUpdate>, 'order'> & { readonly order: Order }

/** A bar of a symbol: the same shape in history and in streams. */
export type Bar = {
  readonly symbol: string
  /** Start of the interval. */
  readonly timestamp: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly tradeCount: number
  /** Volume-weighted average price. */
  readonly vwap: number
}

/** The bars of a symbol as columns for a chart. `time` is in milliseconds since 1970. */
export type Candles = { readonly symbol: string } & {
  readonly [Column in (typeof columns)[number]]: readonly number[]
}

export const columns = ['time', 'open', 'high', 'low', 'close', 'volume'] as const

export const barOf = (symbol: string, { t, o, h, l, c, v, n, vw }: WireBar): Bar => ({
  symbol,
  timestamp: t,
  open: o,
  high: h,
  low: l,
  close: c,
  volume: v,
  tradeCount: n,
  vwap: vw,
})
