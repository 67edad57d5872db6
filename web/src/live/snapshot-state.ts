import type { AccountSnapshot, WireOrder as Order } from '@quipu/sdk'

export type Account = AccountSnapshot['account']
export type Position = AccountSnapshot['positions'][number]
export type Activity = AccountSnapshot['activities'][number]
export type SymbolPrices = AccountSnapshot['prices'][number]
export type Curve = NonNullable<AccountSnapshot['curve']>

/** The instant of every number on screen: the time of the world, and the last event of its journal. */
export type AsOf = { readonly time: string; readonly timeMs: number; readonly event: number }

/** What the parts of the store are made of: all of one instant. */
export type SnapshotState = Omit<AccountSnapshot, 'orders' | 'positions' | 'prices' | 'clock'> & {
  readonly positions: ReadonlyMap<string, Position>
  readonly orders: ReadonlyMap<string, Order>
  readonly prices: ReadonlyMap<string, SymbolPrices>
}
