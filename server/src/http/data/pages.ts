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
import { type PageEnd, type Places, pageToken, readPageToken } from './page-token.ts'

/** What every list of market data is asked with. */
export type ListQuery = {
  readonly start?: Moment | undefined
  readonly end?: Moment | undefined
  readonly limit: number
  readonly page_token?: string | undefined
  readonly sort: 'asc' | 'desc'
  readonly currency?: string | undefined
  /** On which day a symbol is to be looked up; today when absent, never with `-`. */
  readonly asof?: string | undefined
}

/** What to read of one symbol. */
export type Stretch<Place> = {
  readonly symbol: Ticker
  readonly from: Instant
  readonly to: Instant
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly after?: Place
}

/** A kind of list: how it is read and cut, and how the place of its last item is told. */
export type Listed<List, Place> = Places<Place> & {
  readonly class: AssetClass
  readItems(world: World, stretch: Stretch<Place>): Promise<List>
  countOf(list: List): number
  /** The first so many, or all. */
  firstOf(list: List, count: number): List
  lastPlace(list: List): Place
}

/** How lists of records are cut. */
export const recordsBy = <Item, Place>(placeOf: (item: Item) => Place) => ({
  countOf: (list: readonly Item[]): number => list.length,
  firstOf: (list: readonly Item[], count: number): readonly Item[] => list.slice(0, count),
  lastPlace: (list: readonly Item[]): Place => placeOf(list.at(-1)!),
})

/** Lists by symbol, symbols without items left out, and where the next page begins. */
export type Page<List> = {
  readonly items: ReadonlyMap<string, List>
  readonly next: string | null
}

/** Where and when is asked, and from which instant to which. */
export type Asked = {
  readonly world: World
  readonly now: Instant
  readonly from: Instant
  readonly to: Instant
}

export function askedBy(context: Context, query: ListQuery, assetClass: AssetClass): Asked {
  const world = entered(context, query)
  const now = world.clock.now()
  return { world, now, ...rangeOf(query, now, zoneOf(assetClass)) }
}

/**
 * One page: all items of one symbol, then the next symbol, by name. The limit counts over all symbols. One item
 * more than the page holds is asked for: if it is there, there is a next page.
 */
export async function pageOf<List, Place>(
  context: Context,
  symbols: readonly string[],
  query: ListQuery,
  listed: Listed<List, Place>,
  { world, now, from, to }: Asked = askedBy(context, query, listed.class),
): Promise<Page<List>> {
  const end = query.page_token === undefined ? undefined : readPageToken(query.page_token, listed, symbols)
  const items = new Map<string, List>()
  let room = Math.min(query.limit, context.services.limits.pageMax)
  for (const symbol of knownFrom(context, world, symbols, listed.class, end?.symbol)) {
    await pause()
    const after = symbol === end?.symbol ? { after: end.place } : {}
    const meant = resolveSymbol(world.view.actions.values(), symbol, asOf(query, now))
    const start = meant.from !== undefined && meant.from > from ? meant.from : from
    const stretch = {
      symbol: meant.symbol,
      from: start,
      to,
      now,
      sort: query.sort,
      limit: room + 1,
      ...after,
    }
    const found = await listed.readItems(world, stretch)
    const count = listed.countOf(found)
    if (count > 0 && room > 0) items.set(symbol, listed.firstOf(found, room))
    if (count > room) return { items, next: pageToken(endOfPage(items, listed), listed) }
    room -= count
  }
  return { items, next: null }
}

const asOf = ({ asof }: ListQuery, now: Instant): CivilDate | undefined =>
  asof === '-' ? undefined : ((asof ?? newYork(now).date) as CivilDate)

/** The tape is not of the books: it waits for nothing, and the number told is what is durable. */
export function entered(
  context: Context,
  { currency = 'USD' }: { readonly currency?: string | undefined },
): World {
  const world = context.world!
  context.seq = world.engine.durable
  if (currency !== 'USD') throw refuse({ code: 'currencyNotSupported', currency })
  return world
}

/** Echoed only when asked for. */
export const currencyOf = ({ currency }: { readonly currency?: string | undefined }) =>
  currency === undefined ? {} : { currency }

/** The items of a page as its answer has them. */
export const mapped = <Item, To>(
  items: ReadonlyMap<string, readonly Item[]>,
  to: (list: readonly Item[]) => To,
): { readonly [symbol: string]: To } =>
  Object.fromEntries([...items].map(([symbol, list]) => [symbol, to(list)]))

/** Symbols the market has, by name, from the one the page before ended in. */
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

function endOfPage<List, Place>(
  items: ReadonlyMap<string, List>,
  { lastPlace }: Listed<List, Place>,
): PageEnd<Place> {
  const [symbol, list] = [...items].at(-1)!
  return { symbol, place: lastPlace(list) }
}

/** From the start of the day until now, unless said otherwise. Both ends are included; days are the zone's. */
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
