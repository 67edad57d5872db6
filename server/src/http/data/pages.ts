import type { Moment } from '@quipu/contract'
import {
  type AssetClass,
  type CivilDate,
  type Instant,
  newYork,
  resolveSymbol,
  type Ticker,
  type Zone,
  zoneOf,
} from '@quipu/core'
import { pause } from '../../process/long-work.ts'
import { dayStartAt, endOf, startOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'
import { hintAtSymbol } from '../hints.ts'
import { type PageEnd, type PositionCodec, pageToken, readPageToken } from './page-token.ts'

/** The query parameters of every list of market data. */
export type ListQuery = {
  readonly start?: Moment | undefined
  readonly end?: Moment | undefined
  readonly limit: number
  readonly page_token?: string | undefined
  readonly sort: 'asc' | 'desc'
  readonly currency?: string | undefined
  /** The date on which the symbol is looked up. Default: today. `-`: no lookup. */
  readonly asof?: string | undefined
}

/** The items to read of one symbol. */
export type ItemQuery<Position> = {
  readonly symbol: Ticker
  readonly from: Instant
  readonly to: Instant
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly after?: Position
}

/** A kind of list: how to read and split it, and how its position is written to a page token. */
export type ListKind<List, Position> = PositionCodec<Position> & {
  readonly class: AssetClass
  readItems(world: World, query: ItemQuery<Position>): Promise<List>
  countOf(list: List): number
  /** The first `count` items, or all. */
  firstOf(list: List, count: number): List
  lastPosition(list: List): Position
}

/** The functions that split a list of records. */
export const recordsBy = <Item, Position>(positionOf: (item: Item) => Position) => ({
  countOf: (list: readonly Item[]): number => list.length,
  firstOf: (list: readonly Item[], count: number): readonly Item[] => list.slice(0, count),
  lastPosition: (list: readonly Item[]): Position => positionOf(list.at(-1)!),
})

/** Lists by symbol, without symbols that have no items, and the token of the next page. */
export type Page<List> = {
  readonly items: ReadonlyMap<string, List>
  readonly next: string | null
}

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

/**
 * One page: all items of the first symbol, then of the next one, in the order of their names. The limit is for all
 * symbols together. Reads one item more than the limit to know whether there is a next page.
 */
export async function pageOf<List, Position>(
  context: Context,
  symbols: readonly string[],
  query: ListQuery,
  listed: ListKind<List, Position>,
  { world, now, from, to }: ListRequest = requestOf(context, query, listed.class),
): Promise<Page<List>> {
  const end = query.page_token === undefined ? undefined : readPageToken(query.page_token, listed, symbols)
  const items = new Map<string, List>()
  let rest = Math.min(query.limit, context.services.limits.pageMax)
  for (const symbol of knownFrom(context, world, symbols, listed.class, end?.symbol)) {
    await pause()
    const after = symbol === end?.symbol ? { after: end.position } : {}
    const resolved = resolveSymbol(world.view.actions.values(), symbol, asOf(query, now))
    const start = resolved.from !== undefined && resolved.from > from ? resolved.from : from
    const itemQuery = {
      symbol: resolved.symbol,
      from: start,
      to,
      now,
      sort: query.sort,
      limit: rest + 1,
      ...after,
    }
    const found = await listed.readItems(world, itemQuery)
    const count = listed.countOf(found)
    if (count > 0 && rest > 0) items.set(symbol, listed.firstOf(found, rest))
    if (count > rest) return { items, next: pageToken(endOfPage(items, listed), listed) }
    rest -= count
  }
  return { items, next: null }
}

const asOf = ({ asof }: ListQuery, now: Instant): CivilDate | undefined =>
  asof === '-' ? undefined : ((asof ?? newYork(now).date) as CivilDate)

/** The world of a market-data request. Market data does not wait for the journal; the header has the durable number. */
export function worldOf(
  context: Context,
  { currency = 'USD' }: { readonly currency?: string | undefined },
): World {
  const world = context.world!
  context.seq = world.engine.durable
  if (currency !== 'USD') throw refuse({ code: 'currencyNotSupported', currency })
  return world
}

/** Converts the items of a page for the response. */
export const mapped = <Item, To>(
  items: ReadonlyMap<string, readonly Item[]>,
  to: (list: readonly Item[]) => To,
): { readonly [symbol: string]: To } =>
  Object.fromEntries([...items].map(([symbol, list]) => [symbol, to(list)]))

/** The known symbols in order, from the last symbol of the previous page. */
function knownFrom(
  { services }: Context,
  world: World,
  symbols: readonly string[],
  wanted: AssetClass,
  first: string | undefined,
): readonly Ticker[] {
  const assets = world.market.assets()
  const known: Ticker[] = []
  for (const symbol of [...symbols].sort() as Ticker[]) {
    if (first !== undefined && symbol < first) continue
    if (assets.get(symbol)?.class === wanted) known.push(symbol)
    else hintAtSymbol(services.log, world, symbol)
  }
  return known
}

function endOfPage<List, Position>(
  items: ReadonlyMap<string, List>,
  { lastPosition }: ListKind<List, Position>,
): PageEnd<Position> {
  const [symbol, list] = [...items].at(-1)!
  return { symbol, position: lastPosition(list) }
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
