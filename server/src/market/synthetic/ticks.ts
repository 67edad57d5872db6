import { microsAfter, microsBefore, type TickQuery } from '@quipu/core'
import { pause } from '../../process/long-work.ts'

/** What is made in one go: a few milliseconds, then other worlds have their turn. */
const TICKS_AT_ONCE = 2000

/** Reads the trades, or the quotes, of a tape. */
type Read<Item> = (from: number, to: number, limit: number, backwards: boolean) => readonly Item[]

/** The items that a query asks for, each made into what is asked. No two trades or quotes of a tape share an instant. */
export async function ticksOf<Item extends { readonly at: number }, Tick>(
  read: Read<Item>,
  query: TickQuery,
  make: (item: Item) => Tick,
): Promise<readonly Tick[]> {
  const backwards = query.sort === 'desc'
  let [from, to] = endsOf(query, backwards)
  const ticks: Tick[] = []
  let part: readonly Item[]
  do {
    if (ticks.length > 0) await pause()
    part = read(from, to, Math.min(TICKS_AT_ONCE, query.limit - ticks.length), backwards)
    for (const item of part) ticks.push(make(item))
    const last = part.at(-1)
    if (last && backwards) to = last.at - 1
    else if (last) from = last.at + 1
  } while (part.length === TICKS_AT_ONCE && ticks.length < query.limit)
  return ticks
}

function endsOf({ from, to, now, after }: TickQuery, backwards: boolean): [number, number] {
  const first = Math.max(0, microsAfter(from))
  const last = microsBefore(to < now ? to : now)
  if (after === undefined) return [first, last]
  return backwards
    ? [first, Math.min(last, microsAfter(after.at) - 1)]
    : [Math.max(first, microsBefore(after.at) + 1), last]
}
