import type { OutputOf } from '@quipu/contract'
import {
  concerns,
  EPOCH,
  formatInstant,
  haltSpan,
  type Instant,
  instantOfMicros,
  type MarketEvent,
  originsOf,
  remainingMarketEvents,
  type Ticker,
  underFirstNames,
  type View,
} from '@quipu/core'
import { haltReasonNames } from '../../wire/market-event-words.ts'
import { endOf, startOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { worldOf } from './pages.ts'

type HaltEvent = Extract<MarketEvent, { kind: 'halt' | 'pause' }>
type HaltRecord = OutputOf<'stockHalts'>['halts'][string][number]
type Range = { readonly from: Instant; readonly to: Instant; readonly now: Instant }

export const haltHandlers = {
  stockHalts: ({ query: { symbols, start, end, limit } }, context) => {
    const world = worldOf(context, {})
    const now = world.clock.now()
    const from = start ? startOf(start) : EPOCH
    const to = end ? endOf(end) : now
    if (start && end && to < from) throw refuse({ code: 'endBeforeStart' })
    // A market data provider does not follow the market events of the world.
    const origins = originsOf(world.view.actions.values())
    const originOf = (symbol: Ticker): Ticker => origins.get(symbol) ?? symbol
    const halts = world.market.live ? [] : underFirstNames(haltEventsOf(world.view), originOf)
    const lists = symbols.map((symbol) => {
      const own = halts.filter((halt) => concerns(halt, originOf(symbol)))
      return [symbol, recordsOf(own, { from, to, now }).slice(0, limit)] as const
    })
    return { halts: Object.fromEntries(lists.filter(([, list]) => list.length > 0)) }
  },
} satisfies SomeHandlers

const haltEventsOf = (view: View): readonly HaltEvent[] =>
  remainingMarketEvents(view.settings?.marketEvents, view).flatMap(({ event }) =>
    event.kind === 'halt' || event.kind === 'pause' ? [event] : [],
  )

/** The halts that had begun, newest first. The end of a halt is not known before it happens. */
function recordsOf(halts: readonly HaltEvent[], { from, to, now }: Range): readonly HaltRecord[] {
  return halts
    .map((halt) => {
      const span = haltSpan(halt)
      return { halt, begins: instantOfMicros(span.from), ends: instantOfMicros(span.to) }
    })
    .filter(({ begins, ends }) => begins <= now && begins <= to && ends > from)
    .sort((a, b) => (a.begins > b.begins ? -1 : 1))
    .map(({ halt, begins, ends }) => ({
      kind: halt.kind,
      status: ends <= now ? 'ended' : 'active',
      from: formatInstant(begins),
      to: ends <= now ? formatInstant(ends) : null,
      reason: halt.kind === 'halt' ? haltReasonNames[halt.reason] : 'volatility',
    }))
}
