import { EPOCH, type Instant, later, max, min, type TickCursor, type TickQuery } from '@quipu/core'

export type IsWanted = (low: bigint, high: bigint) => boolean

/** Trades or quotes of one symbol, in order of time. */
export type Ticks<Tick> = {
  /**
   * The ticks between two instants (inclusive), oldest or newest first. Ticks of a price range that `isWanted`
   * rejects may be omitted.
   */
  list(from: Instant, to: Instant, sort: 'asc' | 'desc', isWanted?: IsWanted): Iterable<Tick>
}

export const lastTick = <Tick>(ticks: Ticks<Tick> | undefined, at: Instant): Tick | undefined =>
  ticks && firstOf(ticks.list(EPOCH, at, 'desc'))

/** The first tick after an instant, not after `to`. */
export const nextOf = <Tick>(ticks: Ticks<Tick>, after: Instant, to: Instant): Tick | undefined =>
  firstOf(ticks.list(later(after, 1n), to, 'asc'))

function firstOf<Tick>(ticks: Iterable<Tick>): Tick | undefined {
  for (const tick of ticks) return tick
  return undefined
}

/** One page. The cursor is the last sent tick; it and all ticks before it are skipped. */
export function tickPage<Tick extends TickCursor>(
  ticks: Ticks<Tick> | undefined,
  query: TickQuery,
): readonly Tick[] {
  const { sort, limit, after, now } = query
  const from = after && sort === 'asc' ? max(after.at, query.from) : query.from
  const end = query.to < now ? query.to : now
  const to = after && sort === 'desc' ? min(after.at, end) : end
  const found: Tick[] = []
  if (!ticks || from > to || limit <= 0) return found
  let sent = after
  for (const tick of ticks.list(from, to, sort)) {
    if (sent && tick.at === sent.at) {
      if (tick.id === sent.id) sent = undefined
      continue
    }
    found.push(tick)
    if (found.length >= limit) break
  }
  return found
}
