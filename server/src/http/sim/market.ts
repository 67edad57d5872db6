import type { InputOf, MarketEventRecord } from '@quipu/contract'
import {
  type CivilDate,
  checkMarketEvent,
  definedFields,
  formatInstant,
  type HaltReason,
  type Instant,
  type MarketEvent,
  type Price,
  type Ticker,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { assetToWire } from '../trading/assets.ts'
import { worldNamed, worldWithGeneratedMarket } from './world-named.ts'

type NewMarketEvent = InputOf<'createMarketEvent'>['body']

/** Subscribers may already have the prices of the next minute, so a new market event starts later. */
const AHEAD_NS = 120_000_000_000n
const MINUTE_NS = 60_000_000_000n

export const marketHandlers = {
  async createAsset({ params, body }, context) {
    const world = worldWithGeneratedMarket(params.world, context)
    const { symbol, price, name, tradable, fractionable, shortable, marginable } = body
    const terms = definedFields({ tradable, fractionable, shortable, marginable })
    await context.execute(world, {
      kind: 'addSymbol',
      symbol: symbol as Ticker,
      ...definedFields({
        price: price === undefined ? undefined : (amountOf(price) as Price),
        name,
        terms: Object.keys(terms).length > 0 ? terms : undefined,
      }),
    })
    const { market, now } = world
    return assetToWire(market.assets().get(symbol as Ticker)!, market.pricesAt(now))
  },

  listMarketEvents: async ({ params }, context) => {
    const world = worldNamed(params.world, context)
    return context.read(world, ({ settings, marketEvents }) =>
      [...(settings?.marketEvents ?? []), ...marketEvents].map(marketEventToWire),
    )
  },
  createMarketEvent: async ({ params, body }, context) => {
    const world = worldWithGeneratedMarket(params.world, context)
    const ahead = world.latest + AHEAD_NS
    const marketEvent = marketEventOf(body, (ahead - (ahead % MINUTE_NS)) as Instant)
    await context.execute(world, { kind: 'addMarketEvent', marketEvent })
    return marketEventToWire(marketEvent)
  },
} satisfies SomeHandlers

/** The market events of a new world; refuses an invalid one. */
export function marketEventsFrom(inputs: readonly NewMarketEvent[]): readonly MarketEvent[] {
  return inputs.map((one) => {
    const checked = checkMarketEvent(marketEventOf(one, undefined))
    if (checked.ok) return checked.value
    throw refuse({ code: 'marketEventInvalid', ...checked.reason })
  })
}

const reasons = {
  news_pending: 'newsPending',
  news_released: 'newsReleased',
  operational: 'operational',
  circuit_breaker_1: 'circuitBreaker1',
  circuit_breaker_2: 'circuitBreaker2',
  circuit_breaker_3: 'circuitBreaker3',
} as const satisfies Record<NonNullable<NewMarketEvent['reason']>, HaltReason>

const instant = (moment: NewMarketEvent['at']): Instant => moment!.nanos as Instant

/** The contract checks the required fields of each kind; other fields have defaults. */
function marketEventOf(input: NewMarketEvent, earliest: Instant | undefined): MarketEvent {
  const { kind } = input
  const target = definedFields({ symbol: input.symbol as Ticker | undefined })
  const from = input.from ? instant(input.from) : earliest
  const interval = definedFields({ from, to: input.to && instant(input.to) })
  switch (kind) {
    case 'halt': {
      const reason = reasons[input.reason ?? 'news_pending']
      return {
        kind,
        symbol: input.symbol as Ticker,
        from: instant(input.from),
        to: instant(input.to),
        reason,
      }
    }
    case 'pause':
      return {
        kind,
        symbol: input.symbol as Ticker,
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
      return { kind, ...target, on: input.on as CivilDate, percent: Number(input.percent) }
    case 'thin':
      return { kind, ...target, times: Number(input.times), ...interval }
    default:
      return { kind, ...target, share: Number(input.share), ...interval }
  }
}

/** Times become text and the halt reason gets its wire name; other fields are unchanged. */
export function marketEventToWire(marketEvent: MarketEvent): MarketEventRecord {
  const record: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(marketEvent))
    record[field] = typeof value === 'bigint' ? formatInstant(value as Instant) : value
  if (marketEvent.kind === 'halt')
    record['reason'] = Object.entries(reasons).find(([, reason]) => reason === marketEvent.reason)![0]
  return record as MarketEventRecord
}
