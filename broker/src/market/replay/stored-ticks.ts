import {
  type Asset,
  type Instant,
  type Price,
  type Quantity,
  type QuoteTick,
  type TapeLetter,
  type Trade,
  toPrice,
  toQuantity,
} from '@quipu/core'
import {
  FIELDS,
  indexes,
  instantAt,
  numberAt,
  type Rows,
  type SeriesRows,
  type Slice,
  textAt,
} from '../store/index.ts'
import type { Ticks } from './ticks.ts'

/** A double in billionths: exact below nine million with nine decimals. */
export const billionths = (value: number): bigint => BigInt(Math.round(value * 1e9))

const priceOf = (value: number): Price => toPrice(billionths(value))
const quantityOf = (value: number): Quantity => toQuantity(billionths(value))

type Read<Tick> = (rows: Rows, row: number, index: number) => Tick

/** The rows of a series as ticks. `index` counts rows of one instant, for rows without an id. */
export const storedTicks = <Tick>(series: SeriesRows, read: Read<Tick>): Ticks<Tick> => ({
  *list(from, to, sort) {
    for (const slice of series.slices({ from, to }, sort))
      yield* sort === 'asc' ? up(slice, read) : down(slice, read)
  },
})

function* up<Tick>({ rows, start, end }: Slice, read: Read<Tick>): Generator<Tick> {
  for (let row = start; row < end; row++) yield read(rows, row, indexInInstant(rows, row))
}

function* down<Tick>({ rows, start, end }: Slice, read: Read<Tick>): Generator<Tick> {
  for (let row = end - 1; row >= start; row--) yield read(rows, row, indexInInstant(rows, row))
}

/** The number of earlier rows with the same instant. */
function indexInInstant({ micros, nanos }: Rows, row: number): number {
  let first = row
  while (first > 0 && micros[first - 1] === micros[row] && nanos[first - 1] === nanos[row]) first -= 1
  return row - first
}

/** The index of each column by its name. */
const TRADE = { ...indexes(FIELDS.trades.numbers), ...indexes(FIELDS.trades.texts) }
const QUOTE = { ...indexes(FIELDS.quotes.numbers), ...indexes(FIELDS.quotes.texts) }

const conditionsOf = (text: string): readonly string[] => (text === '' ? [] : JSON.parse(text))

/** A stored trade. Without an id, its number within its instant is used. */
export function storedTrade(rows: Rows, row: number, index: number): Trade {
  const id = numberAt(rows, TRADE.id, row)
  const update = textAt(rows, TRADE.update, row)
  return {
    at: instantAt(rows, row),
    price: priceOf(numberAt(rows, TRADE.price, row)),
    size: quantityOf(numberAt(rows, TRADE.size, row)),
    side: textAt(rows, TRADE.taker, row) === 'S' ? 'sell' : 'buy',
    id: Number.isNaN(id) ? index : id,
    exchange: textAt(rows, TRADE.exchange, row),
    tape: textAt(rows, TRADE.tape, row) as TapeLetter,
    conditions: conditionsOf(textAt(rows, TRADE.conditions, row)),
    ...(update !== '' && { update: update as NonNullable<Trade['update']> }),
  }
}

export function storedQuote(rows: Rows, row: number, index: number): QuoteTick {
  const number = (index: number): number => numberAt(rows, index, row) || 0
  return {
    at: instantAt(rows, row),
    id: index,
    bid: priceOf(number(QUOTE.bidPrice)),
    ask: priceOf(number(QUOTE.askPrice)),
    bidSize: quantityOf(number(QUOTE.bidSize)),
    askSize: quantityOf(number(QUOTE.askSize)),
    origin: {
      bidExchange: textAt(rows, QUOTE.bidExchange, row),
      askExchange: textAt(rows, QUOTE.askExchange, row),
      tape: textAt(rows, QUOTE.tape, row),
      conditions: conditionsOf(textAt(rows, QUOTE.conditions, row)),
    },
  }
}

/** Half the spread: one ten-thousandth of the price, at least a tick. */
const HALF_SPREAD = 10_000n

const SHARE = 1_000_000_000n
const ROUND_LOT = 100n * SHARE

/** The quote around a trade, if no quotes are stored. */
export function quoteAround({ at, id, price, size }: Trade, { tick, class: kind }: Asset): QuoteTick {
  const half = price / HALF_SPREAD - ((price / HALF_SPREAD) % tick)
  const step = half > tick ? half : tick
  const shown = toQuantity(kind === 'crypto' || size > ROUND_LOT ? size : ROUND_LOT)
  const bid = toPrice(price > step ? price - step : price)
  return { at, id, bid, ask: toPrice(price + step), bidSize: shown, askSize: shown }
}

/** Quotes derived from trades, one for each. */
export const quotesAround = (trades: Ticks<Trade>, asset: Asset): Ticks<QuoteTick> => ({
  *list(from: Instant, to: Instant, sort, isWanted) {
    for (const trade of trades.list(from, to, sort, isWanted)) yield quoteAround(trade, asset)
  },
})
