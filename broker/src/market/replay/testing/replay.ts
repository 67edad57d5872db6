import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bar, QuoteTick, Trade } from '@quipu/core'
import {
  FIELDS,
  type MarketStore,
  makeRows,
  openStore,
  type RowKind,
  type Rows,
  setText,
  timeOf,
} from '../../store/index.ts'

/** A store in a temporary folder; `dispose` deletes the folder. */
export function temporaryStore(): { readonly store: MarketStore; readonly dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-replay-'))
  const store = openStore(folder)
  const dispose = () => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { store, dispose }
}

const BILLION = 1e9
const number = (amount: bigint): number => Number(amount) / BILLION

export function putBars(store: MarketStore, symbol: string, frame: string, bars: readonly Bar[]): void {
  put(store, { kind: 'bars', symbol, frame }, bars, ({ start, ...bar }) => ({
    at: start,
    numbers: [bar.open, bar.high, bar.low, bar.close, bar.volume, bar.trades, bar.vwap],
    texts: [],
  }))
}

export function putTrades(store: MarketStore, symbol: string, trades: readonly Trade[]): void {
  put(
    store,
    { kind: 'trades', symbol },
    trades,
    ({ at, price, size, id, exchange, conditions, tape, side }) => ({
      at,
      numbers: [number(price), number(size), id],
      texts: [exchange, JSON.stringify(conditions), tape, '', side === 'buy' ? 'B' : 'S'],
    }),
  )
}

export function putQuotes(store: MarketStore, symbol: string, quotes: readonly QuoteTick[]): void {
  put(store, { kind: 'quotes', symbol }, quotes, ({ at, ask, askSize, bid, bidSize }) => ({
    at,
    numbers: [number(ask), number(askSize), number(bid), number(bidSize)],
    texts: ['Q', 'Q', '["R"]', 'C'],
  }))
}

type Key = { readonly kind: RowKind; readonly symbol: string; readonly frame?: string }
type Row = { readonly at: bigint; readonly numbers: readonly number[]; readonly texts: readonly string[] }

function put<Item>(store: MarketStore, key: Key, items: readonly Item[], rowOf: (item: Item) => Row): void {
  const rows = makeRows(key.kind, items.length)
  for (const [index, item] of items.entries()) fill(rows, index, rowOf(item))
  rows.count = items.length
  const writer = store.write()
  writer.series(key).add(rows, 0, items.length)
  writer.commit()
}

function fill(rows: Rows, index: number, { at, numbers, texts }: Row): void {
  const { micros, nanos } = timeOf(at as never)
  rows.micros[index] = micros
  rows.nanos[index] = nanos
  for (const [column] of FIELDS[rows.kind].numbers.entries()) rows.numbers[column]![index] = numbers[column]!
  for (const [text, word] of texts.entries()) setText(rows, text, index, word)
}
