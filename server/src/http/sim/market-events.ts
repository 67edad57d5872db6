import type { Handlers, InputOf, MarketEventRecord } from '@quipu/contract'
import {
  type CivilDate,
  checkMarketEvent,
  formatInstant,
  type HaltReason,
  type Instant,
  type MarketEvent,
  type Ticker,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { worldNamed, worldWithOpenMarket } from './world-named.ts'

type Given = InputOf<'createMarketEvent'>['body']

/** What the next minute brings is known already to those who listen. */
const AHEAD_NS = 120_000_000_000n
const MINUTE_NS = 60_000_000_000n

export const marketEventHandlers: Pick<Handlers<Context>, 'listMarketEvents' | 'createMarketEvent'> = {
  listMarketEvents: async ({ params }, context) => {
    const world = worldNamed(params.world, context)
    return context.resultOf(
      world,
      world.read(({ settings, marketEvents }) =>
        [...(settings?.marketEvents ?? []), ...marketEvents].map(marketEventToWire),
      ),
    )
  },
  createMarketEvent: async ({ params, body }, context) => {
    const world = worldWithOpenMarket(params.world, context)
    const ahead = world.latest + AHEAD_NS
    const marketEvent = marketEventOf(body, (ahead - (ahead % MINUTE_NS)) as Instant)
    const decision = await context.resultOf(
      world,
      world.submit({ kind: 'addMarketEvent', marketEvent }, (_, decided) => decided),
    )
    if (!decision.ok) throw refuse(decision.reason)
    return marketEventToWire(marketEvent)
  },
}

/** The market events of a new world; each must be possible. */
export function marketEventsFrom(given: readonly Given[]): readonly MarketEvent[] {
  return given.map((one) => {
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
} as const satisfies Record<NonNullable<Given['reason']>, HaltReason>

const instant = (moment: Given['at']): Instant => moment!.nanos as Instant

/** The contract has seen to it that what a kind needs is there; the rest has its usual value. */
function marketEventOf(given: Given, earliest: Instant | undefined): MarketEvent {
  const { kind } = given
  const whom = given.symbol === undefined ? {} : { symbol: given.symbol as Ticker }
  const from = given.from ? instant(given.from) : earliest
  const stretch = { ...(from !== undefined && { from }), ...(given.to && { to: instant(given.to) }) }
  switch (kind) {
    case 'halt': {
      const reason = reasons[given.reason ?? 'news_pending']
      return {
        kind,
        symbol: given.symbol as Ticker,
        from: instant(given.from),
        to: instant(given.to),
        reason,
      }
    }
    case 'pause':
      return {
        kind,
        symbol: given.symbol as Ticker,
        at: instant(given.at),
        minutes: given.minutes ?? 5,
        limit: given.limit ?? 'down',
        percent: Number(given.percent ?? 5),
      }
    case 'crash':
      return {
        kind,
        ...whom,
        at: instant(given.at),
        depth: Number(given.depth),
        minutes: given.minutes ?? 10,
        recovers: given.recovers ?? true,
      }
    case 'gap':
      return { kind, ...whom, on: given.on as CivilDate, percent: Number(given.percent) }
    case 'thin':
      return { kind, ...whom, times: Number(given.times), ...stretch }
    default:
      return { kind, ...whom, share: Number(given.share), ...stretch }
  }
}

/** Every kind with the words it has on the wire: times as text, all else as it is. */
export function marketEventToWire(marketEvent: MarketEvent): MarketEventRecord {
  const told: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(marketEvent))
    told[field] = typeof value === 'bigint' ? formatInstant(value as Instant) : value
  if (marketEvent.kind === 'halt')
    told['reason'] = Object.entries(reasons).find(([, reason]) => reason === marketEvent.reason)![0]
  return told as MarketEventRecord
}
