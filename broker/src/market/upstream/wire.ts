import {
  type Auction,
  type Bar,
  type BookLevel,
  type CivilDate,
  type CorrectedTrade,
  type DailyAuctions,
  formatInstant,
  type Instant,
  type Price,
  type PriceBands,
  parseInstant,
  type Quantity,
  type QuoteBook,
  type QuoteTick,
  type TapeLetter,
  type Ticker,
  type Trade,
  type TradeCorrection,
  type TradingStatus,
  tickerOf,
} from '@quipu/core'
import type { News } from '../news.ts'
import { UpstreamFailed } from './failure.ts'

/** An unchecked record from the provider. */
export type Sent = { readonly [key: string]: unknown }

export const barFrom = (sent: Sent): Bar => ({
  start: instantIn(sent, 't'),
  open: numberIn(sent, 'o'),
  high: numberIn(sent, 'h'),
  low: numberIn(sent, 'l'),
  close: numberIn(sent, 'c'),
  volume: numberIn(sent, 'v'),
  trades: numberIn(sent, 'n', 0),
  vwap: numberIn(sent, 'vw', 0),
})

/** Stock trades have no side; crypto trades have no exchange or tape. */
export function tradeFrom(sent: Sent): Trade {
  const update = sent['u']
  return {
    at: instantIn(sent, 't'),
    price: amountIn<Price>(sent, 'p'),
    size: amountIn<Quantity>(sent, 's'),
    side: sent['tks'] === 'S' ? 'sell' : 'buy',
    id: idIn(sent, 'i'),
    exchange: textIn(sent, 'x'),
    tape: tapeIn(sent),
    conditions: textsIn(sent, 'c'),
    ...(update === 'canceled' || update === 'incorrect' || update === 'corrected' ? { update } : {}),
  }
}

/** Quotes have no id; `id` distinguishes quotes of one instant. */
export function quoteFrom(sent: Sent, id = 0): QuoteTick {
  const quote = {
    id,
    at: instantIn(sent, 't'),
    bid: amountIn<Price>(sent, 'bp'),
    ask: amountIn<Price>(sent, 'ap'),
    bidSize: amountIn<Quantity>(sent, 'bs'),
    askSize: amountIn<Quantity>(sent, 'as'),
  }
  if (sent['bx'] === undefined && sent['ax'] === undefined) return quote
  const origin = {
    bidExchange: textIn(sent, 'bx'),
    askExchange: textIn(sent, 'ax'),
    tape: textIn(sent, 'z'),
    conditions: textsIn(sent, 'c'),
  }
  return { ...quote, origin }
}

export const bookFrom = (sent: Sent): QuoteBook => ({
  at: instantIn(sent, 't'),
  bids: recordsIn(sent, 'b').map(levelFrom),
  asks: recordsIn(sent, 'a').map(levelFrom),
})

const levelFrom = (sent: Sent): BookLevel => ({
  price: amountIn<Price>(sent, 'p'),
  size: amountIn<Quantity>(sent, 's'),
})

/** A whole order book as a message of the provider's stream. */
export const bookMessage = (symbol: Ticker, { at, bids, asks }: QuoteBook): Sent => ({
  T: 'o',
  S: symbol,
  t: formatInstant(at),
  b: bids.map(levelMessage),
  a: asks.map(levelMessage),
  r: true,
})

const levelMessage = ({ price, size }: BookLevel): Sent => ({
  p: Number(price) / 1e9,
  s: Number(size) / 1e9,
})

const statusFrom = (sent: Sent): TradingStatus => ({
  kind: 'status',
  code: textIn(sent, 'sc'),
  message: textIn(sent, 'sm'),
  reason: textIn(sent, 'rc'),
  reasonMessage: textIn(sent, 'rm'),
  tape: tapeIn(sent),
})

const bandsFrom = (sent: Sent): PriceBands => ({
  kind: 'luld',
  up: amountIn<Price>(sent, 'u'),
  down: amountIn<Price>(sent, 'd'),
  indicator: textIn(sent, 'i'),
  tape: tapeIn(sent),
})

const correctionFrom = (sent: Sent): TradeCorrection => ({
  kind: 'correction',
  exchange: textIn(sent, 'x'),
  tape: tapeIn(sent),
  original: correctedFrom(sent, 'o'),
  corrected: correctedFrom(sent, 'c'),
})

/** One side of a correction: `o` is the original trade, `c` the corrected one. */
const correctedFrom = (sent: Sent, side: 'o' | 'c'): CorrectedTrade => ({
  id: idIn(sent, `${side}i`),
  price: amountIn<Price>(sent, `${side}p`),
  size: amountIn<Quantity>(sent, `${side}s`),
  conditions: textsIn(sent, `${side}c`),
})

export const auctionsFrom = (sent: Sent): DailyAuctions => ({
  date: textIn(sent, 'd') as CivilDate,
  open: recordsIn(sent, 'o').map(auctionFrom),
  close: recordsIn(sent, 'c').map(auctionFrom),
})

const auctionFrom = (sent: Sent): Auction => ({
  at: instantIn(sent, 't'),
  price: amountIn<Price>(sent, 'p'),
  size: amountIn<Quantity>(sent, 's', 0),
  exchange: textIn(sent, 'x'),
  condition: textIn(sent, 'c') as Auction['condition'],
})

const barChannels = { b: 'bars', u: 'updatedBars', d: 'dailyBars' } as const

/** A message of the provider's stream as news; undefined for other kinds. */
export function newsFrom(sent: Sent): News | undefined {
  const symbol = tickerOf(textIn(sent, 'S'))
  switch (sent['T']) {
    case 't':
      return { channel: 'trades', symbol, trades: [tradeFrom(sent)] }
    case 'q': {
      const { id: _, ...quote } = quoteFrom(sent)
      return { channel: 'quotes', symbol, quote }
    }
    case 'b':
    case 'u':
    case 'd':
      return { channel: barChannels[sent['T']], symbol, bar: barFrom(sent) }
    case 'o':
      return { channel: 'orderbooks', symbol, book: bookFrom(sent), isWhole: sent['r'] === true }
    case 's':
      return { channel: 'statuses', symbol, at: instantIn(sent, 't'), status: statusFrom(sent) }
    case 'l':
      return { channel: 'lulds', symbol, at: instantIn(sent, 't'), bands: bandsFrom(sent) }
    case 'c':
      return { channel: 'corrections', symbol, at: instantIn(sent, 't'), correction: correctionFrom(sent) }
    case 'x': {
      const action = sent['a'] === 'E' ? 'E' : 'C'
      const cancel = { kind: 'cancel', trade: tradeFrom(sent), action } as const
      return { channel: 'cancelErrors', symbol, at: instantIn(sent, 't'), cancel }
    }
    default:
      return undefined
  }
}

/** Parses JSON of the provider. Large ids are read as text, so that they keep their precision. */
export const parseSent = (text: string): unknown =>
  JSON.parse(text.replaceAll(/"(i|oi|ci)":(\d{16,})/g, '"$1":"$2"'))

export const isRecord = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A record under a key, empty if it is missing. */
export const recordIn = (sent: unknown, key: string): Sent => {
  const value = isRecord(sent) ? sent[key] : undefined
  return isRecord(value) ? value : {}
}

/** A list of records under a key, empty if it is missing. */
export const recordsIn = (sent: unknown, key: string): readonly Sent[] => {
  const value = isRecord(sent) ? sent[key] : undefined
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function instantIn(sent: Sent, key: string): Instant {
  const value = sent[key]
  const parsed = typeof value === 'string' ? parseInstant(value) : undefined
  if (!parsed?.ok) throw unreadable(key, 'a time')
  return parsed.value
}

export const textIn = (sent: Sent, key: string): string => {
  const value = sent[key]
  return typeof value === 'string' ? value : ''
}

const tapeIn = (sent: Sent): TapeLetter => textIn(sent, 'z') as TapeLetter

function textsIn(sent: Sent, key: string): readonly string[] {
  const value = sent[key]
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function numberIn(sent: Sent, key: string, absent?: number): number {
  const value = sent[key] ?? absent
  if (typeof value !== 'number' || !Number.isFinite(value)) throw unreadable(key, 'a number')
  return value
}

const BILLION = 1_000_000_000n
/** Below this, a number times a billion is exact. */
const EXACT_MAX = 9_000_000

/** A decimal in billionths. */
function amountIn<Kind extends bigint>(sent: Sent, key: string, absent?: number): Kind {
  const value = numberIn(sent, key, absent)
  if (Number.isInteger(value)) return (BigInt(value) * BILLION) as Kind
  if (Math.abs(value) < EXACT_MAX) return BigInt(Math.round(value * 1e9)) as Kind
  const [whole = '0', places = ''] = value.toFixed(9).split('.')
  return BigInt(whole + places) as Kind
}

/** Ids have up to 64 bits; of larger ones the low 53 bits are used. */
function idIn(sent: Sent, key: string): number {
  const value = sent[key]
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(BigInt.asUintN(53, BigInt(value)))
  throw unreadable(key, 'an id')
}

const unreadable = (key: string, expected: string): UpstreamFailed =>
  new UpstreamFailed(`sent an invalid "${key}": expected ${expected}`)
