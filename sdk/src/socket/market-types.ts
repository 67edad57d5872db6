import type { DataStreamMessage } from '../contract.ts'

/** A message about a symbol: `T` is the type letter, `S` the symbol. */
export type MarketMessage = Exclude<DataStreamMessage, { readonly T: 'success' | 'error' | 'subscription' }>

/** The path of each feed. */
export const marketPaths = {
  sip: '/v2/sip',
  iex: '/v2/iex',
  delayed_sip: '/v2/delayed_sip',
  test: '/v2/test',
  crypto: '/v1beta3/crypto/us',
} as const

/** A market-data stream: the stock feeds, the feed with the symbol FAKEPACA, or crypto. */
export type MarketFeed = keyof typeof marketPaths

export type MarketChannel =
  | 'trades'
  | 'quotes'
  | 'bars'
  | 'updatedBars'
  | 'dailyBars'
  | 'statuses'
  | 'lulds'
  | 'imbalances'
  | 'orderbooks'

/** The symbols of each channel; `*` means all symbols. */
export type Subscriptions = { readonly [Channel in MarketChannel]?: readonly string[] }
