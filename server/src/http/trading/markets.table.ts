import type { MarketRecord } from '@quipu/contract'
import type { VenueKind } from '@quipu/core'

/** A market of the calendar operations, and its kind of trading day. */
export type KnownMarket = { readonly kind: VenueKind; readonly market: MarketRecord }

const timezone = 'America/New_York'
const inNewYork = (kind: VenueKind, mic: string, acronym: string, name: string): KnownMarket => ({
  kind,
  market: { mic, acronym, name, timezone },
})

const nyse = inNewYork('equities', 'XNYS', 'NYSE', 'New York Stock Exchange')
const nasdaq = inNewYork('equities', 'XNAS', 'NASDAQ', 'Nasdaq Stock Market')
const iex = inNewYork('equities', 'IEXG', 'IEX', 'Investors Exchange')
const otc = inNewYork('equities', 'OTCM', 'OTC', 'OTC Markets')
const boats = inNewYork('overnight', 'OCEA', 'BOATS', 'Blue Ocean ATS')

/** By acronym and by MIC. All have the trading days of the New York exchanges. */
export const knownMarkets: Readonly<Record<string, KnownMarket>> = {
  NYSE: nyse,
  XNYS: nyse,
  NASDAQ: nasdaq,
  XNAS: nasdaq,
  IEX: iex,
  IEXG: iex,
  OTC: otc,
  OTCM: otc,
  OPRA: inNewYork('options', 'OPRA', 'OPRA', 'Options Price Reporting Authority'),
  BOATS: boats,
  OCEA: boats,
}
