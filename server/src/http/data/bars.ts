import type { Timeframe } from '@quipu/contract'
import {
  type Adjustment,
  type AssetClass,
  type BarColumns,
  type Frame,
  type Instant,
  rowsIn,
  startAt,
} from '@quipu/core'
import { adjustedColumns } from '../../market/adjusted-bars.ts'
import { type BarForm, barListJson, barMapJson } from '../../wire/bar-json.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'
import { readInstant } from './page-token.ts'
import { type ListKind, type ListQuery, type ListRequest, type Page, pageOf, requestOf } from './pages.ts'
import { isSettled } from './settled.ts'

export const barHandlers = {
  stockBars: ({ query }, context) => barsPage(context, query, query.symbols, 'usEquity', 'bars'),
  stockBarSingle: ({ params: { symbol }, query }, context) =>
    barsPage(context, query, [symbol], 'usEquity', 'single'),
  stockCandles: ({ query }, context) => barsPage(context, query, query.symbols, 'usEquity', 'candles'),
  cryptoBars: ({ query }, context) => barsPage(context, query, query.symbols, 'crypto', 'bars'),
  cryptoCandles: ({ query }, context) => barsPage(context, query, query.symbols, 'crypto', 'candles'),
} satisfies SomeHandlers

type BarsQuery = ListQuery & {
  readonly timeframe: Timeframe
  readonly adjustment?: readonly string[] | undefined
}

/** Lists or candles by symbol, or the list of a single symbol. */
type Form = BarForm | 'single'

type Pieces = readonly BarColumns[]

/** A page as bytes. Pages that never change are cached. */
async function barsPage<Output>(
  context: Context,
  query: BarsQuery,
  symbols: readonly string[],
  assetClass: AssetClass,
  form: Form,
): Promise<Output> {
  const { pages } = context.services
  const frame = frameOf(query.timeframe)
  const request = requestOf(context, query, assetClass)
  const adjustment = adjustmentOf(query)
  const kind = `${form} ${assetClass} ${kindOf(frame)} ${adjustment.split} ${adjustment.dividend}`
  const key = keyOf(request, query, symbols, kind, frame)
  const cached = key === undefined ? undefined : pages.get(key)
  if (cached) return prebuilt(cached)
  const page = await pageOf(context, symbols, query, listedBars(assetClass, frame, adjustment), request)
  const bytes = form === 'single' ? listOf(symbols[0]!, page, query) : mapOf(form, page, query)
  if (key !== undefined) pages.set(key, bytes)
  return prebuilt(bytes)
}

/**
 * The cache key of a page that never changes: the market has a fixed history, the query has an end, and no bar can be
 * revised. A new symbol changes the edition of the market.
 */
function keyOf(
  { world, now, from, to }: ListRequest,
  { end, sort, limit, page_token = '', currency = '', asof = '' }: BarsQuery,
  symbols: readonly string[],
  kind: string,
  frame: Frame,
): string | undefined {
  const { edition } = world.market.history
  if (edition === undefined || end === undefined || !isSettled(frame, to, now)) return undefined
  const names = [...symbols].sort().join(',')
  return `${edition} ${kind} ${from} ${to} ${sort} ${limit} ${page_token} ${currency} ${asof} ${names}`
}

function mapOf(form: BarForm, { items, next }: Page<Pieces>, query: BarsQuery): Uint8Array {
  const parts = [...items].map(([symbol, pieces]) => ({ symbol, pieces }))
  return barMapJson(`{"${form}":`, form, parts, endOf(next, query))
}

function listOf(symbol: string, { items, next }: Page<Pieces>, query: BarsQuery): Uint8Array {
  const pieces = items.get(symbol)
  const start = `{"symbol":${JSON.stringify(symbol)},"bars":`
  if (!pieces) return Buffer.from(`${start}[]${endOf(next, query)}`)
  return barListJson(start, { symbol, pieces }, endOf(next, query))
}

const endOf = (next: string | null, query: BarsQuery): string =>
  `,${JSON.stringify({ next_page_token: next, currency: query.currency }).slice(1)}`

/** Quipu has no spin-offs, so that adjustment changes nothing. */
const adjustmentOf = ({ adjustment = [] }: BarsQuery): Adjustment => ({
  split: adjustment.includes('split') || adjustment.includes('all'),
  dividend: adjustment.includes('dividend') || adjustment.includes('all'),
})

/** The position of a bar is its start. */
const listedBars = (
  assetClass: AssetClass,
  frame: Frame,
  adjustment: Adjustment,
): ListKind<Pieces, Instant> => ({
  kind: kindOf(frame),
  class: assetClass,
  write: String,
  read: readInstant,
  readItems: ({ market, view }, query) =>
    adjustment.split || adjustment.dividend
      ? adjustedColumns(market.history, view, { ...query, frame }, adjustment)
      : market.history.barColumns({ ...query, frame }),
  countOf: rowsIn,
  firstOf: firstRows,
  lastPosition: (pieces) => {
    const last = pieces.findLast(({ count }) => count > 0)!
    return startAt(last, last.count - 1)
  },
})

function firstRows(pieces: Pieces, count: number): Pieces {
  let rest = count
  return pieces.map((piece) => {
    const taken = Math.min(rest, piece.count)
    rest -= taken
    return { ...piece, count: taken }
  })
}

const kindOf = ({ count, unit }: Frame): string => `${count}${unit}`

const frameOf = ({ unit, amount }: Timeframe): Frame => ({ unit, count: amount }) as Frame
