import type { InputOf, Timeframe } from '@quipu/contract'
import { type Bar, type Frame, fromNewYork, type Instant, newYork, type Ticker } from '@quipu/core'
import type { World } from '../world.ts'
import { endOf, startOf } from './moments.ts'
import { pageToken, readPageToken } from './page-token.ts'
import { refuse } from './refusal.ts'

export type BarsInput = InputOf<'stockBarSingle'>['query']

/** Bars of several symbols, those without any left out, and where the next page begins. */
export type BarPage = {
  readonly bars: ReadonlyMap<string, readonly Bar[]>
  readonly next: string | null
}

/**
 * One page: all bars of one symbol, then the next symbol, by name. The limit counts over all symbols. One bar
 * more than the page holds is asked for: if it is there, there is a next page.
 */
export async function barPage(
  world: World,
  symbols: readonly string[],
  query: BarsInput,
  pageMax: number,
): Promise<BarPage> {
  const frame = frameOf(query.timeframe)
  const limit = Math.min(query.limit, pageMax)
  const end = query.page_token === undefined ? undefined : readPageToken(query.page_token, frame, symbols)
  const now = world.clock.now()
  const { from, to } = rangeOf(query, now)
  const bars = new Map<string, readonly Bar[]>()
  let room = limit
  for (const symbol of knownAfter(world, symbols, end?.symbol)) {
    const after = symbol === end?.symbol ? { after: end.at } : {}
    const found = await world.market.bars({
      symbol,
      frame,
      from,
      to,
      now,
      sort: query.sort,
      limit: room + 1,
      ...after,
    })
    if (found.length > 0 && room > 0) bars.set(symbol, found.slice(0, room))
    if (found.length > room) return { bars, next: tokenOf(bars, frame) }
    room -= found.length
  }
  return { bars, next: null }
}

/** Symbols the market has, by name, from the one the page before ended in. */
function knownAfter(world: World, symbols: readonly string[], first: string | undefined): readonly Ticker[] {
  const assets = world.market.assets()
  return ([...symbols].sort() as Ticker[]).filter(
    (symbol) => assets.has(symbol) && (first === undefined || symbol >= first),
  )
}

function tokenOf(bars: ReadonlyMap<string, readonly Bar[]>, frame: Frame): string {
  const [symbol, list] = [...bars].at(-1)!
  return pageToken({ symbol, at: list.at(-1)!.start }, frame)
}

const frameOf = ({ unit, amount }: Timeframe): Frame => ({ unit, count: amount }) as Frame

/** From the start of the day in New York until now, unless said otherwise. Both ends are included. */
function rangeOf({ start, end }: BarsInput, now: Instant): { readonly from: Instant; readonly to: Instant } {
  const from = start ? startOf(start) : fromNewYork(newYork(now).date, 0)
  const to = end ? endOf(end) : now
  if (start && end && to < from) throw refuse({ code: 'endBeforeStart' })
  return { from, to }
}
