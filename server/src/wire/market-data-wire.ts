import type {
  BarRecord,
  BookRecord,
  CryptoQuoteRecord,
  CryptoTradeRecord,
  QuoteRecord,
  TradeRecord,
} from '@quipu/contract'
import type { Asset, Bar, BookLevel, ListingExchange, Quote, QuoteBook, Trade } from '@quipu/core'
import { formatInstant } from '@quipu/core/values'

const BILLION = 1e9

/** As a JSON number. Up to nine million both operands are exact, so the quotient prints as the exact decimal. */
export const toNumber = (amount: bigint): number => Number(amount) / BILLION

/** Clients read stock sizes as whole numbers; imported sizes may be fractions. */
const shares = (amount: bigint): number => Math.round(toNumber(amount))

export const barToWire = (bar: Bar): BarRecord => ({
  t: formatInstant(bar.start),
  o: bar.open,
  h: bar.high,
  l: bar.low,
  c: bar.close,
  v: bar.volume,
  n: bar.trades,
  vw: bar.vwap,
})

export const tradeToWire = (trade: Trade): TradeRecord => ({
  t: formatInstant(trade.at),
  x: trade.exchange,
  p: toNumber(trade.price),
  s: Math.max(1, shares(trade.size)),
  c: trade.conditions,
  i: trade.id,
  z: trade.tape,
  u: trade.update,
})

/** The letters of an exchange and of the tape that reports its listings. */
const letters = {
  NYSE: { exchange: 'N', tape: 'A' },
  ARCA: { exchange: 'P', tape: 'B' },
  AMEX: { exchange: 'A', tape: 'B' },
  BATS: { exchange: 'Z', tape: 'B' },
  NASDAQ: { exchange: 'Q', tape: 'C' },
  CRYPTO: { exchange: '', tape: '' },
} as const satisfies Record<ListingExchange, { exchange: string; tape: string }>

/** R is a regular two-sided quote. */
const REGULAR = ['R'] as const

export function quoteToWire(quote: Quote, asset: Asset): QuoteRecord {
  const { exchange, tape } = letters[asset.exchange]
  const { origin } = quote
  return {
    t: formatInstant(quote.at),
    ax: origin?.askExchange ?? exchange,
    ap: toNumber(quote.ask),
    as: shares(quote.askSize),
    bx: origin?.bidExchange ?? exchange,
    bp: toNumber(quote.bid),
    bs: shares(quote.bidSize),
    c: origin?.conditions ?? REGULAR,
    z: origin?.tape ?? tape,
  }
}

/** `tks` is the taker's side: the side of the order that crossed the spread. */
export const cryptoTradeToWire = ({ at, price, size, id, side }: Trade): CryptoTradeRecord => ({
  t: formatInstant(at),
  p: toNumber(price),
  s: toNumber(size),
  i: id,
  tks: side === 'buy' ? 'B' : 'S',
})

export const cryptoQuoteToWire = ({ at, bid, bidSize, ask, askSize }: Quote): CryptoQuoteRecord => ({
  t: formatInstant(at),
  bp: toNumber(bid),
  bs: toNumber(bidSize),
  ap: toNumber(ask),
  as: toNumber(askSize),
})

export const bookToWire = ({ at, bids, asks }: QuoteBook): BookRecord => ({
  t: formatInstant(at),
  b: bids.map(levelToWire),
  a: asks.map(levelToWire),
})

const levelToWire = ({ price, size }: BookLevel) => ({ p: toNumber(price), s: toNumber(size) })

/** The last fields of a page. Only a page of some lists has a currency. */
export const pageEnd = (next: string | null, currency: string | undefined) => ({
  next_page_token: next,
  currency,
})
