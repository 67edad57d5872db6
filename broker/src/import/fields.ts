import { FIELDS, type RowKind } from '../market/store/index.ts'

/** The possible fields of a column. `date` and `clock` are the two halves of a time; `period` is a bar's frame. */
export type Target =
  | { readonly to: 'time' | 'date' | 'clock' | 'symbol' | 'period' }
  | { readonly to: 'number' | 'text'; readonly index: number }

export const KINDS: readonly RowKind[] = ['bars', 'trades', 'quotes']

/** Other names of a field, best first, compared without case and punctuation. */
const SYNONYMS: Readonly<Record<string, string>> = {
  time: 'timestamp datetime ts t dt windowstart opentime starttime siptimestamp epoch indexlevel0 date',
  symbol: 'ticker sym instrument asset pair',
  open: 'o openprice first',
  high: 'h highprice max',
  low: 'l lowprice min',
  close: 'c closeprice last',
  volume: 'v vol basevolume volumebtc',
  trades: 'tradecount n transactions numtrades numberoftrades tradescount count',
  vwap: 'vw wap weightedaverage averageprice',
  price: 'p tradeprice last',
  size: 's qty quantity amount tradesize volume',
  id: 'i tradeid',
  exchange: 'x venue',
  conditions: 'c condition',
  tape: 'z',
  update: 'u',
  taker: 'tks takerside side',
  askPrice: 'ap ask',
  askSize: 'as askqty',
  bidPrice: 'bp bid',
  bidSize: 'bs bidqty',
  askExchange: 'ax',
  bidExchange: 'bx',
}

export const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** All names of a field, best first. */
export const columnNames = (field: string): readonly string[] => [
  bare(field),
  ...(SYNONYMS[field]?.split(' ') ?? []),
]

/** The fields of a kind by name, including time and symbol. */
export function targetsOf(kind: RowKind): ReadonlyMap<string, Target> {
  const { numbers, texts } = FIELDS[kind]
  return new Map<string, Target>([
    ['time', { to: 'time' }],
    ['date', { to: 'date' }],
    ['clock', { to: 'clock' }],
    ['symbol', { to: 'symbol' }],
    ['period', { to: 'period' }],
    ...numbers.map((name, index): [string, Target] => [name, { to: 'number', index }]),
    ...texts.map((name, index): [string, Target] => [name, { to: 'text', index }]),
  ])
}

/** The required fields of each kind of row. */
export const REQUIRED: Readonly<Record<RowKind, readonly string[]>> = {
  bars: ['open', 'high', 'low', 'close'],
  trades: ['price', 'size'],
  quotes: ['askPrice', 'bidPrice'],
}

/** The field of a name in any spelling, such as `ask_price`. */
export const fieldNamed = (kind: RowKind, name: string): string | undefined =>
  [...targetsOf(kind).keys()].find((field) => bare(field) === bare(name))
