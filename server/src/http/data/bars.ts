import type { Handlers, Timeframe } from '@quipu/contract'
import {
  type Adjustment,
  type AssetClass,
  type BarColumns,
  type Frame,
  type Instant,
  startAt,
} from '@quipu/core'
import { adjustedColumns } from '../../market/adjusted-bars.ts'
import { barColumns, rowsIn } from '../../market/bar-columns.ts'
import { type BarForm, barListJson, barMapJson } from '../../wire/bar-json.ts'
import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'
import { readInstant } from './page-token.ts'
import { type Asked, askedBy, currencyOf, type Listed, type ListQuery, type Page, pageOf } from './pages.ts'
import { isSettled } from './settled.ts'

type Names = 'stockBars' | 'stockBarSingle' | 'stockCandles' | 'cryptoBars' | 'cryptoCandles'

export const barHandlers: Handlers<Context, Names> = {
  stockBars: ({ query }, context) => told(context, query, query.symbols, 'usEquity', 'bars'),
  stockBarSingle: ({ params: { symbol }, query }, context) =>
    told(context, query, [symbol], 'usEquity', 'single'),
  stockCandles: ({ query }, context) => told(context, query, query.symbols, 'usEquity', 'candles'),
  cryptoBars: ({ query }, context) => told(context, query, query.symbols, 'crypto', 'bars'),
  cryptoCandles: ({ query }, context) => told(context, query, query.symbols, 'crypto', 'candles'),
}

type BarsQuery = ListQuery & {
  readonly timeframe: Timeframe
  readonly adjustment?: readonly string[] | undefined
}

/** Lists or candles by symbol, or the list of a single one. */
type Form = BarForm | 'single'

type Pieces = readonly BarColumns[]

/** A page as bytes: one that was sent and never changes is sent again. */
async function told<Output>(
  context: Context,
  query: BarsQuery,
  symbols: readonly string[],
  assetClass: AssetClass,
  form: Form,
): Promise<Output> {
  const { pages } = context.services
  const frame = frameOf(query.timeframe)
  const asked = askedBy(context, query, assetClass)
  const adjustment = adjustmentOf(query)
  const what = `${form} ${assetClass} ${kindOf(frame)} ${adjustment.split} ${adjustment.dividend}`
  const key = keyOf(asked, query, symbols, what, frame)
  const kept = key === undefined ? undefined : pages.get(key)
  if (kept) return prebuilt(kept)
  const page = await pageOf(context, symbols, query, listedBars(assetClass, frame, adjustment), asked)
  const bytes = form === 'single' ? listOf(symbols[0]!, page, query) : mapOf(form, page, query)
  if (key !== undefined) pages.put(key, bytes)
  return prebuilt(bytes)
}

/**
 * What tells a page from all others, if it is one that never changes: of a market whose history stands, with an end, and
 * all its bars long over. A symbol that is added makes another edition.
 */
function keyOf(
  { world, now, from, to }: Asked,
  { end, sort, limit, page_token = '', currency = '', asof = '' }: BarsQuery,
  symbols: readonly string[],
  what: string,
  frame: Frame,
): string | undefined {
  const edition = world.market.edition?.()
  if (edition === undefined || end === undefined || !isSettled(frame, to, now)) return undefined
  const names = [...symbols].sort().join(',')
  return `${edition} ${what} ${from} ${to} ${sort} ${limit} ${page_token} ${currency} ${asof} ${names}`
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
  `,${JSON.stringify({ next_page_token: next, ...currencyOf(query) }).slice(1)}`

/** There are no spin-offs: to be adjusted for them is to be left as it is. */
const adjustmentOf = ({ adjustment = [] }: BarsQuery): Adjustment => ({
  split: adjustment.includes('split') || adjustment.includes('all'),
  dividend: adjustment.includes('dividend') || adjustment.includes('all'),
})

/** The place of a bar is its start. */
const listedBars = (
  assetClass: AssetClass,
  frame: Frame,
  adjustment: Adjustment,
): Listed<Pieces, Instant> => ({
  kind: kindOf(frame),
  class: assetClass,
  write: String,
  read: readInstant,
  readItems: ({ market, view }, stretch) =>
    adjustment.split || adjustment.dividend
      ? adjustedColumns(market, view, { ...stretch, frame }, adjustment)
      : barColumns(market, { ...stretch, frame }),
  countOf: rowsIn,
  firstOf: firstRows,
  lastPlace: (pieces) => {
    const last = pieces.findLast(({ count }) => count > 0)!
    return startAt(last, last.count - 1)
  },
})

function firstRows(pieces: Pieces, count: number): Pieces {
  let room = count
  return pieces.map((piece) => {
    const taken = Math.min(room, piece.count)
    room -= taken
    return { ...piece, count: taken }
  })
}

const kindOf = ({ count, unit }: Frame): string => `${count}${unit}`

const frameOf = ({ unit, amount }: Timeframe): Frame => ({ unit, count: amount }) as Frame
