import {
  type CivilDate,
  dayOf,
  definedFields,
  earlier,
  formatInstant,
  type Instant,
  instantOfMicros,
  midnightIn,
} from '@quipu/core'
import {
  FIELDS,
  instantAt,
  isPairKey,
  type MarketStore,
  type RowKind,
  type RowOrder,
  type Rows,
  type SeriesKey,
  textAt,
} from '../market/store/index.ts'
import { ImportUsage } from './failures.ts'
import { numberText } from './shown-rows.ts'

/** An instant or a date. A date is a New York day for stocks and a UTC day for crypto pairs. */
export type Bound = Instant | CivilDate

/** The rows to export, one symbol after the other. Default: all symbols. Both ends are inclusive. */
export type ExportQuery = {
  readonly kind: RowKind
  /** Only for bars. */
  readonly frame?: string
  readonly symbols?: readonly string[]
  readonly from?: Bound
  readonly to?: Bound
  readonly order?: RowOrder
  /** How many rows all symbols together may have. */
  readonly limit?: number
}

/** The column names of an export: those of alpaca-py, so that the file can be imported again. */
export const EXPORT_NAMES: Readonly<
  Record<RowKind, { numbers: readonly string[]; texts: readonly string[] }>
> = {
  bars: { numbers: ['open', 'high', 'low', 'close', 'volume', 'trade_count', 'vwap'], texts: [] },
  trades: {
    numbers: ['price', 'size', 'id'],
    texts: ['exchange', 'conditions', 'tape', 'update', 'taker_side'],
  },
  quotes: {
    numbers: ['ask_price', 'ask_size', 'bid_price', 'bid_size'],
    texts: ['ask_exchange', 'bid_exchange', 'conditions', 'tape'],
  },
}

/** Rows of one symbol, in the requested order. */
export type ExportPiece = { readonly symbol: string; readonly rows: Rows; readonly numbers: Iterable<number> }

/** The rows of a query, block by block. Throws ImportUsage if a series is missing. */
export function* exportPieces(store: MarketStore, query: ExportQuery): Generator<ExportPiece> {
  const { kind, frame, order = 'asc' } = query
  let left = query.limit ?? Number.POSITIVE_INFINITY
  for (const symbol of query.symbols ?? symbolsOf(store, query)) {
    const key: SeriesKey = frame === undefined ? { kind, symbol } : { kind, symbol, frame }
    const series = store.find(key)
    if (!series)
      throw new ImportUsage(`there are no ${kind}${frame === undefined ? '' : ` of ${frame}`} of ${symbol}`)
    for (const { rows, start, end } of series.slices(exportRange(query, symbol), order)) {
      if (left <= 0) return
      const count = Math.min(end - start, left)
      left -= count
      yield {
        symbol,
        rows,
        numbers: order === 'asc' ? rising(start, start + count) : falling(end, end - count),
      }
    }
  }
}

/** The first and last instant of a query for a symbol, both inclusive. */
export function exportRange({ from, to }: ExportQuery, symbol: string): { from?: Instant; to?: Instant } {
  const midnight = (day: number) => instantOfMicros(midnightIn(isPairKey(symbol) ? 'utc' : 'newYork', day))
  const first = typeof from === 'string' ? midnight(dayOf(from)) : from
  const last = typeof to === 'string' ? earlier(midnight(dayOf(to) + 1), 1n) : to
  return definedFields({ from: first, to: last })
}

function symbolsOf(store: MarketStore, { kind, frame }: ExportQuery): readonly string[] {
  return store
    .list()
    .filter((series) => series.kind === kind && series.frame === frame)
    .map(({ symbol }) => symbol)
}

function* rising(from: number, to: number): Generator<number> {
  for (let row = from; row < to; row++) yield row
}

function* falling(from: number, to: number): Generator<number> {
  for (let row = from - 1; row >= to; row--) yield row
}

/** The query as CSV in pieces: a header, then rows. Decimals are exact, without trailing zeros. */
export function* csvPieces(store: MarketStore, query: ExportQuery): Generator<string> {
  const { numbers, texts } = EXPORT_NAMES[query.kind]
  yield `${['symbol', 'timestamp', ...numbers, ...texts].join(',')}\n`
  for (const { symbol, rows, numbers: rowNumbers } of exportPieces(store, query)) {
    let text = ''
    for (const row of rowNumbers) text += csvRow(symbol, rows, row)
    yield text
  }
}

function csvRow(symbol: string, rows: Rows, row: number): string {
  const { numbers, texts } = FIELDS[rows.kind]
  let line = `${quoted(symbol)},${formatInstant(instantAt(rows, row))}`
  for (let number = 0; number < numbers.length; number++) line += `,${numberText(rows, number, row)}`
  for (let text = 0; text < texts.length; text++) line += `,${quoted(textAt(rows, text, row))}`
  return `${line}\n`
}

const quoted = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
