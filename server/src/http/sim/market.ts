import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, MarketEventRecord } from '@quipu/contract'
import {
  checkMarketEvent,
  definedFields,
  earlier,
  formatInstant,
  hasId,
  type Instant,
  instantOfNanos,
  lastOf,
  later,
  listsOnFirstUse,
  lookUp,
  type MarketEvent,
  marketEventStatus,
  missing,
  type NumberedMarketEvent,
  remainingMarketEvents,
  settingsOf,
  tickerOf,
  toPrice,
  type View,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { haltReasonNames, haltReasonOf } from '../../wire/market-event-words.ts'
import { refuse } from '../../wire/refusal.ts'
import { assetToWire } from '../trading/assets.ts'
import { withWorld } from './world-named.ts'

type NewMarketEvent = InputOf<'createMarketEvent'>['body']

/** Subscribers may already have the prices of the next minute, so a new market event starts later. */
const AHEAD_NS = 120_000_000_000n
const MINUTE_NS = 60_000_000_000n

export const marketHandlers = withWorld({
  async createAsset({ world, body }, context) {
    checkGeneratedMarket(world)
    const { symbol, price, name, tradable, fractionable, shortable, marginable } = body
    const terms = definedFields({ tradable, fractionable, shortable, marginable })
    await context.state.execute(world, {
      kind: 'addSymbol',
      symbol: tickerOf(symbol),
      ...definedFields({
        price: price === undefined ? undefined : toPrice(amountOf(price)),
        name,
        terms: Object.keys(terms).length > 0 ? terms : undefined,
      }),
    })
    const { market, engine } = world
    return assetToWire(lookUp(market.assets(), symbol) ?? missing(symbol), market.pricesAt(engine.now))
  },

  getWorldSymbols({ world }, context) {
    const unknown = [...world.clients.unknownSymbols.all()].filter(
      ([symbol]) => !hasId(world.market.assets(), symbol),
    )
    return context.state.read(world, (view) => ({
      any: listsOnFirstUse(view) && world.market.live === undefined,
      listed: [...view.symbols.values()].filter((one) => one.onFirstUse).map(({ symbol }) => symbol),
      limit: context.services.limits.firstUseSymbolsMax,
      unknown: unknown.map(([symbol, requests]) => ({ symbol, requests })),
    }))
  },

  listMarketEvents: ({ world }, context) =>
    context.state.read(world, (view) => marketEventsOf(view, world.engine.latest)),
  createMarketEvent: async ({ world, body }, context) => {
    checkGeneratedMarket(world)
    const ahead = later(world.engine.latest, AHEAD_NS)
    const marketEvent = marketEventOf(body, earlier(ahead, ahead % MINUTE_NS))
    return context.state.execute(world, { kind: 'addMarketEvent', marketEvent }, (view) =>
      lastOf(marketEventsOf(view, world.engine.latest)),
    )
  },
  deleteMarketEvent: async ({ world, params }, context) => {
    const id = params.event_id
    if (!/^[1-9]\d{0,8}$/.test(id)) throw refuse({ code: 'marketEventNotFound', id })
    await context.state.execute(world, { kind: 'removeMarketEvent', number: Number(id) })
  },
})

/** Only a generated market can be changed; that of a replay world is refused. */
function checkGeneratedMarket({ id, view }: World): void {
  if (settingsOf(view).market === 'replay') throw refuse({ code: 'replayMarketFixed', world: id })
}

/** The market events of a new world; refuses an invalid one. */
export function marketEventsFrom(inputs: readonly NewMarketEvent[]): readonly MarketEvent[] {
  return inputs.map((one) => {
    const checked = checkMarketEvent(marketEventOf(one, undefined))
    if (checked.ok) return checked.value
    throw refuse({ code: 'marketEventInvalid', ...checked.reason })
  })
}

const instant = (moment: NewMarketEvent['at']): Instant => (moment ?? missing('a time')).nanos

/** The contract checks the required fields of each kind; other fields have defaults. */
function marketEventOf(input: NewMarketEvent, earliest: Instant | undefined): MarketEvent {
  const { kind } = input
  const target = definedFields({ symbol: input.symbol })
  const from = input.from ? instant(input.from) : earliest
  const interval = definedFields({ from, to: input.to && instant(input.to) })
  switch (kind) {
    case 'halt': {
      const reason = haltReasonOf(input.reason ?? 'news_pending')
      return {
        kind,
        symbol: input.symbol ?? missing('symbol'),
        from: instant(input.from),
        to: instant(input.to),
        reason,
      }
    }
    case 'pause':
      return {
        kind,
        symbol: input.symbol ?? missing('symbol'),
        at: instant(input.at),
        minutes: input.minutes ?? 5,
        limit: input.limit ?? 'down',
        percent: Number(input.percent ?? 5),
      }
    case 'crash':
      return {
        kind,
        ...target,
        at: instant(input.at),
        depth: Number(input.depth),
        minutes: input.minutes ?? 10,
        recovers: input.recovers ?? true,
      }
    case 'gap':
      return { kind, ...target, on: input.on ?? missing('on'), percent: Number(input.percent) }
    case 'thin':
      return { kind, ...target, times: Number(input.times), ...interval }
    case 'missing':
    case 'late':
    case 'mistakes':
      return { kind, ...target, share: Number(input.share), ...interval }
  }
}

type EventsView = Pick<View, 'settings' | 'marketEvents' | 'removedMarketEvents'>

/** The market events of a world that were not removed. */
export const marketEventsOf = (view: EventsView, now: Instant): readonly MarketEventRecord[] =>
  remainingMarketEvents(view.settings?.marketEvents, view).map((one) => marketEventToWire(one, now))

/** Times become text and the halt reason gets its wire name; other fields are unchanged. */
function marketEventToWire(
  { number, event: marketEvent }: NumberedMarketEvent,
  now: Instant,
): MarketEventRecord {
  const record: Record<string, unknown> = {
    id: String(number),
    status: marketEventStatus(marketEvent, now),
  }
  for (const [field, value] of Object.entries(marketEvent))
    record[field] = typeof value === 'bigint' ? formatInstant(instantOfNanos(value)) : value
  if (marketEvent.kind === 'halt') record['reason'] = haltReasonNames[marketEvent.reason]
  return record as MarketEventRecord
}
