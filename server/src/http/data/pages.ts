import type { World } from '@quipu/broker/world/world.ts'
import type { MomentText, StockFeed } from '@quipu/contract'
import {
  type AssetClass,
  type CivilDate,
  definedFields,
  type Instant,
  newYork,
  resolveSymbol,
  type Ticker,
  type Zone,
  zoneOf,
} from '@quipu/core'
import { type HistoryList, positionsOf } from '../../history/lists.ts'
import type { PageQuery, SymbolQuery } from '../../history/page.ts'
import { type PageEnd, readPageToken } from '../../history/page-token.ts'
import { dayStartAt, endOf, startOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { hintAtSymbol } from '../hints.ts'
import { callersWorld } from '../services.ts'

/** The query parameters of every list of market data. */
export type ListQuery = {
  readonly start?: MomentText | undefined
  readonly end?: MomentText | undefined
  readonly limit: number
  readonly page_token?: string | undefined
  readonly sort: 'asc' | 'desc'
  readonly currency?: string | undefined
  /** The date on which the symbol is looked up. Default: today. `-`: no lookup. */
  readonly asof?: string | undefined
  readonly feed?: StockFeed | undefined
}

/** Whether Quipu has the data of a feed. Without them a response is empty: data of another feed would be wrong. */
const hasFeedData: Readonly<Record<StockFeed, boolean>> = {
  sip: true,
  iex: true,
  delayed_sip: true,
  otc: false,
  boats: false,
  overnight: false,
}

export const isFeedEmpty = ({ feed = 'sip' }: { readonly feed?: StockFeed | undefined }): boolean =>
  !hasFeedData[feed]

/** The world, its current time, and the requested range. */
export type ListRequest = {
  readonly world: World
  readonly now: Instant
  readonly from: Instant
  readonly to: Instant
}

export function requestOf(context: Context, query: ListQuery, assetClass: AssetClass): ListRequest {
  const world = worldOf(context, query)
  const now = world.clock.now()
  return { world, now, ...rangeOf(query, now, zoneOf(assetClass)) }
}

/** One symbol, whose list is the page, or the symbols of a page with lists by symbol. */
export type Symbols = Ticker | readonly Ticker[]

export const namesOf = (symbols: Symbols): readonly Ticker[] =>
  typeof symbols === 'string' ? [symbols] : symbols

/**
 * The bytes of one page: all items of the first symbol, then of the next one, in the order of their names. The limit is
 * for all symbols together.
 */
export function historyPage(
  context: Context,
  symbols: Symbols,
  query: ListQuery,
  list: HistoryList,
  request: ListRequest = requestOf(context, query, list.class),
): Promise<Uint8Array<ArrayBuffer>> {
  const { services } = context
  const { world, now, to } = request
  const { sort, limit, currency } = query
  const page: PageQuery = {
    list,
    symbols: symbolQueries(context, namesOf(symbols), query, list, request),
    to,
    now,
    sort,
    limit: Math.min(limit, services.limits.pageMax),
    ...definedFields({ single: typeof symbols === 'string' ? symbols : undefined, currency }),
  }
  return services.market.history.read(world, page)
}

function symbolQueries(
  context: Context,
  names: readonly Ticker[],
  query: ListQuery,
  list: HistoryList,
  { world, now, from }: ListRequest,
): readonly SymbolQuery[] {
  const end = query.page_token === undefined ? undefined : endIn(query.page_token, list, names)
  if (isFeedEmpty(query)) return []
  return knownFrom(context, world, names, list.class, end?.symbol).map((name) => {
    const after = name === end?.symbol ? { after: end.position } : {}
    const resolved = resolveSymbol(world.view.actions.values(), name, asOf(query, now))
    const start = resolved.from !== undefined && resolved.from > from ? resolved.from : from
    return { name, symbol: resolved.symbol, from: start, ...after }
  })
}

function endIn(token: string, list: HistoryList, names: readonly string[]): PageEnd<unknown> {
  const end = readPageToken(token, positionsOf(list), names)
  if (end === undefined) throw refuse({ code: 'invalidPageToken' })
  return end
}

const asOf = ({ asof }: ListQuery, now: Instant): CivilDate | undefined =>
  asof === '-' ? undefined : ((asof ?? newYork(now).date) as CivilDate)

/** The world of a market-data request. Market data does not wait for the journal; the header has the durable number. */
export function worldOf(
  context: Context,
  { currency = 'USD' }: { readonly currency?: string | undefined },
): World {
  const world = callersWorld(context)
  context.state.seq = world.engine.durable
  if (currency !== 'USD') throw refuse({ code: 'currencyNotSupported', currency })
  return world
}

/** The known symbols in order, from the last symbol of the previous page. */
function knownFrom(
  { services }: Context,
  world: World,
  symbols: readonly Ticker[],
  wanted: AssetClass,
  first: string | undefined,
): readonly Ticker[] {
  const assets = world.market.assets()
  const known: Ticker[] = []
  for (const symbol of [...symbols].sort()) {
    if (first !== undefined && symbol < first) continue
    if (assets.get(symbol)?.class === wanted) known.push(symbol)
    else hintAtSymbol(services.log, world, symbol)
  }
  return known
}

/** Default: from the start of the day in the zone until now. Both ends are included. */
function rangeOf(
  { start, end }: ListQuery,
  now: Instant,
  zone: Zone,
): { readonly from: Instant; readonly to: Instant } {
  const from = start ? startOf(start, zone) : dayStartAt(now, zone)
  const to = end ? endOf(end, zone) : now
  if (start && end && to < from) throw refuse({ code: 'endBeforeStart' })
  return { from, to }
}
