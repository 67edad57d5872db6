import type { Timeframe } from '@quipu/contract'
import type { Adjustment, BarFrame } from '@quipu/core'
import type { BarList } from '../../history/lists.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { prebuilt, prebuiltOnce } from '../prebuilt.ts'
import {
  historyPage,
  isFeedEmpty,
  type ListQuery,
  type ListRequest,
  namesOf,
  requestOf,
  type Symbols,
} from './pages.ts'
import { isSettled } from './settled.ts'

export const barHandlers = {
  stockBars: ({ query }, context) => barsPage(context, query, query.symbols, 'usEquity', 'bars'),
  stockBarSingle: ({ params: { symbol }, query }, context) =>
    barsPage(context, query, symbol, 'usEquity', 'bars'),
  stockCandles: ({ query }, context) => barsPage(context, query, query.symbols, 'usEquity', 'candles'),
  cryptoBars: ({ query }, context) => barsPage(context, query, query.symbols, 'crypto', 'bars'),
  cryptoCandles: ({ query }, context) => barsPage(context, query, query.symbols, 'crypto', 'candles'),
} satisfies SomeHandlers

type BarsQuery = ListQuery & {
  readonly timeframe: Timeframe
  readonly adjustment?: readonly string[] | undefined
}

/** A page as bytes. Pages that never change are cached. */
async function barsPage<Output>(
  context: Context,
  query: BarsQuery,
  symbols: Symbols,
  assetClass: BarList['class'],
  form: BarList['form'],
): Promise<Output> {
  const { pages } = context.services.market
  const [frame, adjustment] = [frameOf(query.timeframe), adjustmentOf(query)]
  const request = requestOf(context, query, assetClass)
  const list: BarList = { kind: 'bars', class: assetClass, frame, adjustment, form }
  const key = keyOf(request, query, symbols, list)
  const cached = key === undefined ? undefined : pages.get(key)
  if (cached) return prebuilt(cached)
  const bytes = await historyPage(context, symbols, query, list, request)
  if (key === undefined) return prebuiltOnce(bytes)
  pages.set(key, bytes)
  return prebuilt(bytes)
}

/**
 * The cache key of a page that never changes: the market has a fixed history, the query has an end, and no bar can be
 * revised. A new symbol changes the edition of the market.
 */
function keyOf(
  { world, now, from, to }: ListRequest,
  { end, sort, limit, page_token = '', currency = '', asof = '', feed }: BarsQuery,
  symbols: Symbols,
  { form, class: assetClass, frame, adjustment }: BarList,
): string | undefined {
  const { edition } = world.market.history
  if (isFeedEmpty({ feed })) return undefined
  if (edition === undefined || end === undefined || !isSettled(frame, to, now)) return undefined
  const shape = typeof symbols === 'string' ? 'single' : form
  const kind = `${shape} ${assetClass} ${frame.count}${frame.unit} ${adjustment.split} ${adjustment.dividend}`
  const names = [...namesOf(symbols)].sort().join(',')
  return `${edition} ${kind} ${from} ${to} ${sort} ${limit} ${page_token} ${currency} ${asof} ${names}`
}

/** Quipu has no spin-offs, so that adjustment changes nothing. */
const adjustmentOf = ({ adjustment = [] }: BarsQuery): Adjustment => ({
  split: adjustment.includes('split') || adjustment.includes('all'),
  dividend: adjustment.includes('dividend') || adjustment.includes('all'),
})

const frameOf = ({ unit, amount }: Timeframe): BarFrame => ({ unit, count: amount }) as BarFrame
