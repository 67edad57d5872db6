import type { Moment } from '@quipu/contract'
import type { AssetClass, Instant, Ticker } from '@quipu/core'
import { fromNewYork, newYork } from '@quipu/core'
import type { World } from '../../world.ts'
import type { Context } from '../context.ts'
import { hintAtSymbol } from '../hints.ts'
import { endOf, startOf } from '../moments.ts'
import { refuse } from '../refusal.ts'
import { type PageEnd, type Places, pageToken, readPageToken } from './page-token.ts'

/** What every list of market data is asked with. */
export type ListQuery = {
  readonly start?: Moment | undefined
  readonly end?: Moment | undefined
  readonly limit: number
  readonly page_token?: string | undefined
  readonly sort: 'asc' | 'desc'
  readonly currency?: string | undefined
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

/** A kind of list: how its items are read, and how the place of one is told. */
export type Listed<Item, Place> = Places<Place> & {
  readonly class: AssetClass
  readItems(world: World, stretch: Stretch<Place>): Promise<readonly Item[]>
  placeOf(item: Item): Place
}

/** Items by symbol, symbols without any left out, and where the next page begins. */
export type Page<Item> = {
  readonly items: ReadonlyMap<string, readonly Item[]>
  readonly next: string | null
}

/**
 * One page: all items of one symbol, then the next symbol, by name. The limit counts over all symbols. One item
 * more than the page holds is asked for: if it is there, there is a next page.
 */
export async function pageOf<Item, Place>(
  context: Context,
  symbols: readonly string[],
  query: ListQuery,
  listed: Listed<Item, Place>,
): Promise<Page<Item>> {
  const world = entered(context, query)
  const end = query.page_token === undefined ? undefined : readPageToken(query.page_token, listed, symbols)
  const now = world.clock.now()
  const { from, to } = rangeOf(query, now)
  const items = new Map<string, readonly Item[]>()
  let room = Math.min(query.limit, context.services.limits.pageMax)
  for (const symbol of knownFrom(context, world, symbols, listed.class, end?.symbol)) {
    const after = symbol === end?.symbol ? { after: end.place } : {}
    const stretch = { symbol, from, to, now, sort: query.sort, limit: room + 1, ...after }
    const found = await listed.readItems(world, stretch)
    if (found.length > 0 && room > 0) items.set(symbol, found.slice(0, room))
    if (found.length > room) return { items, next: pageToken(endOfPage(items, listed), listed) }
    room -= found.length
  }
  return { items, next: null }
}

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

function endOfPage<Item, Place>(
  items: ReadonlyMap<string, readonly Item[]>,
  { placeOf }: Listed<Item, Place>,
): PageEnd<Place> {
  const [symbol, list] = [...items].at(-1)!
  return { symbol, place: placeOf(list.at(-1)!) }
}

/** From the start of the day in New York until now, unless said otherwise. Both ends are included. */
function rangeOf({ start, end }: ListQuery, now: Instant): { readonly from: Instant; readonly to: Instant } {
  const from = start ? startOf(start) : fromNewYork(newYork(now).date, 0)
  const to = end ? endOf(end) : now
  if (start && end && to < from) throw refuse({ code: 'endBeforeStart' })
  return { from, to }
}
