import { type Instant, max, min } from '@quipu/core'
import type { Effect, KindOf } from './effect.ts'
import type { Fault, Faults } from './faults.ts'
import type { RequestFacts } from './match.ts'
import { statusEffect } from './request.ts'
import type { FaultRule } from './rule.ts'

type MarketKind = KindOf<'market'>

type MarketEffect<One extends MarketKind> = {
  /** The error status of requests for market data. */
  readonly status: ((effect: Effect<One>) => number) | undefined
  /** The instant of which the latest prices are. */
  readonly latest: ((rule: FaultRule, now: Instant) => Instant) | undefined
  /** Whether messages of a channel are not sent. */
  readonly withholds: (channel: string | undefined) => boolean
}

type MarketEffects = { readonly [One in MarketKind]: MarketEffect<One> }

const staleChannels: ReadonlySet<string | undefined> = new Set(['quotes', 'trades', 'orderbooks'])

/** The effects on market data. A kind counts only the matches that it can affect; the first kind that applies wins. */
const marketEffects = {
  outage: { status: ({ status }) => status, latest: undefined, withholds: () => true },
  staleQuotes: {
    status: undefined,
    latest: ({ createdAt, parts }, now) => min(now, max(createdAt, parts.match.from ?? createdAt)),
    withholds: (channel) => staleChannels.has(channel),
  },
} satisfies MarketEffects

const effects: MarketEffects = marketEffects
const kinds = Object.keys(marketEffects) as MarketKind[]

/** The fault of a request for market data. */
export function marketFault(faults: Faults, facts: RequestFacts): Fault<'request'> | undefined {
  for (const kind of kinds) {
    const fault = refusalOf(kind, faults, facts)
    if (fault) return fault
  }
  return undefined
}

function refusalOf<One extends MarketKind>(
  kind: One,
  faults: Faults,
  facts: RequestFacts,
): Fault<'request'> | undefined {
  const { status } = effects[kind]
  const fault = status && faults.meet('market', { ...facts, kind })
  return fault && { ...fault, effect: statusEffect(status(fault.effect as Effect<One>)) }
}

/** The instant of which the latest prices of a symbol are: earlier than `now` if a rule makes them stale. */
export function latestInstant(faults: Faults, symbol: string, now: Instant): Instant {
  for (const kind of kinds) {
    const { latest } = effects[kind]
    const fault = latest && faults.meet('market', { now: () => now, symbols: [symbol], kind })
    if (fault) return latest(fault.rule, now)
  }
  return now
}

/** Whether a message of market data is not sent. */
export const isWithheld = (faults: Faults, facts: RequestFacts): boolean =>
  kinds.some(
    (kind) =>
      effects[kind].withholds(facts.message) && faults.meet('market', { ...facts, kind }) !== undefined,
  )
