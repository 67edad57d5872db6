import { type Price, parseDecimal, toPrice } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import { definedFields } from '../../defined-fields.ts'
import { type Ticker, tickerOf } from '../../ids.ts'
import type { ByKind } from '../../kinds.ts'
import { fail, ok, type Result } from '../../result.ts'
import {
  amount,
  boolean,
  date,
  events,
  id,
  integer,
  number,
  oneOf,
  optional,
  record,
  text,
  type ValueOf,
} from '../../schema.ts'
import { type MarketEvent, marketEventSchema } from '../market-event.ts'
import { type AssetClass, type TradingTerms, tradingTermsSchema } from './asset.ts'

/** Our estimates for a ticker that exists but is not listed by default. They come from the table of tickers. */
export const estimatesSchema = record({
  exchange: oneOf('NYSE', 'NASDAQ', 'ARCA', 'AMEX', 'BATS'),
  /** At the close of 2 November 2026, as for all symbols. */
  price: amount<Price>(),
  /** Shares of an average day. */
  volume: integer(),
  /** Standard deviation of a year's log return. */
  volatility: number(),
  beta: number(),
  sector: optional(text()),
  isFund: optional(boolean()),
})
export type Estimates = ValueOf<typeof estimatesSchema>

/** A symbol added to a world by an operator, or on first use. */
export const addedSymbolSchema = record({
  symbol: id<Ticker>(),
  /** Price on the day `on`; absent: derived from the symbol. */
  price: optional(amount<Price>()),
  on: optional(date<CivilDate>()),
  name: optional(text()),
  terms: optional(tradingTermsSchema),
  /** The world listed it because a program named it. */
  onFirstUse: optional(boolean()),
  /** Stored with the symbol, so that a journal does not depend on the table. */
  estimates: optional(estimatesSchema),
})
export type AddedSymbol = ValueOf<typeof addedSymbolSchema>

/** A symbol named on first use, with the facts and estimates of the table of tickers. */
export type NamedSymbol = Pick<AddedSymbol, 'symbol' | 'name' | 'estimates'>

export type ListingCommand = ByKind<{
  addSymbol: Omit<AddedSymbol, 'on' | 'onFirstUse' | 'estimates'>
  /** Lists the unknown ones of these symbols, in a world that does so on first use. */
  nameSymbols: { readonly symbols: readonly NamedSymbol[]; readonly max: number }
  addMarketEvent: { readonly marketEvent: MarketEvent }
  /** By its number in `remainingMarketEvents`. */
  removeMarketEvent: { readonly number: number }
}>

export const listingEvents = events({
  symbolAdded: { added: addedSymbolSchema },
  marketEventAdded: { marketEvent: marketEventSchema },
  marketEventRemoved: { number: integer() },
})

const DOLLAR = 1_000_000_000

/** The market's description of an added symbol. */
export const customOf = ({ symbol, price, on, name, terms, estimates }: AddedSymbol): CustomSymbol => ({
  symbol,
  price: price === undefined ? undefined : Number(price) / DOLLAR,
  on,
  name,
  terms,
  estimates,
})

/**
 * A custom symbol. Only the symbol is required; other properties are derived from it, the same in every
 * world.
 */
export type CustomSymbol = {
  readonly symbol: string
  /** In dollars, at the close of the day `on`. */
  readonly price?: number | undefined
  /** Date of the price; default 2 November 2026, as for all symbols. */
  readonly on?: CivilDate | undefined
  readonly name?: string | undefined
  readonly terms?: TradingTerms | undefined
  /** Default: derived from the symbol. */
  readonly estimates?: Estimates | undefined
  /** Default: a symbol with a slash is a crypto pair. */
  readonly class?: AssetClass | undefined
}

export type CustomFault = 'badSymbol' | 'badPrice' | 'reservedSymbol'

const SYMBOLS: Record<AssetClass, RegExp> = {
  usEquity: /^[A-Z][A-Z0-9]{0,9}(\.[A-Z]{1,3})?$/,
  crypto: /^[A-Z0-9]{2,10}\/[A-Z]{3,5}$/,
}
/** Reserved for the test stream. */
const RESERVED = 'FAKEPACA'
const PRICE_MIN = 0.02
const PRICE_MAX = 1_000_000

export function checkCustom(custom: CustomSymbol): Result<CustomSymbol, CustomFault> {
  const { symbol, price } = custom
  if (symbol === RESERVED) return fail('reservedSymbol')
  if (!SYMBOLS[addedClass(custom)].test(symbol)) return fail('badSymbol')
  const isPrice = price === undefined || (price >= PRICE_MIN && price <= PRICE_MAX)
  return isPrice ? ok(custom) : fail('badPrice')
}

export const addedClass = ({ symbol, class: assetClass }: CustomSymbol): AssetClass =>
  assetClass ?? (symbol.includes('/') ? 'crypto' : 'usEquity')

/** `SOFI`, or `RIVN:14` with a price in dollars. */
export function addedSymbolOf(text: string): Result<AddedSymbol, CustomFault> {
  const [symbol = '', priceText, more] = text.split(':')
  const price = priceText === undefined ? undefined : parseDecimal(priceText)
  if (more !== undefined || price?.ok === false) return fail('badPrice')
  const added = { symbol: tickerOf(symbol), ...definedFields({ price: price && toPrice(price.value) }) }
  const checked = checkCustom(customOf(added))
  return checked.ok ? ok(added) : checked
}
