import type { WorldSettings } from '@quipu/core'
import { instant } from '../../broker/src/world/testing/world.ts'

/** The start time and settings of a simulated world. The name is a part of the seed. */
export type Setup = {
  readonly name: string
  readonly start: string
  readonly settings: Partial<WorldSettings>
}

const upTo = (seconds: bigint) => ({ minNs: 0n, maxNs: seconds * 1_000_000_000n, shape: 'longTail' as const })

/** Every venue behaviour, often enough that all of them meet in one run. */
const roughVenue: NonNullable<WorldSettings['venue']> = {
  latency: upTo(40n),
  rejectShare: 100_000,
  cancelLatency: upTo(600n),
  replaceLatency: upTo(600n),
  cancelRejectShare: 200_000,
  replaceRejectShare: 200_000,
  doneForDayShare: 150_000,
  fillPieces: { min: 1, max: 4 },
  fillInterval: upTo(900n),
}

/** Half of every price is lost, for good. */
const crashAt = (at: string) => ({
  kind: 'crash' as const,
  at: instant(at),
  depth: 0.5,
  minutes: 30,
  recovers: false,
})

export const setups: readonly Setup[] = [
  { name: 'a week like any other', start: '2026-01-05T15:00:00Z', settings: {} },
  {
    name: 'displayed sizes over the night that summer time begins',
    start: '2026-03-06T19:00:00Z',
    settings: { fillSize: 'displayed' },
  },
  {
    name: 'New York hours over the night that summer time ends',
    start: '2026-10-30T18:30:00Z',
    settings: { hours: 'nyse' },
  },
  {
    name: 'New York hours, displayed sizes and a latency over Thanksgiving',
    start: '2026-11-25T20:00:00Z',
    settings: { hours: 'nyse', fillSize: 'displayed', latencyNs: 2_000_000_000n },
  },
  {
    name: 'a latency over the turn of the year',
    start: '2026-12-30T20:30:00Z',
    settings: { latencyNs: 300_000_000n },
  },
]

/** Setups with venue and margin settings. */
export const roughSetups: readonly Setup[] = [
  {
    name: 'margin interest and margin calls after a crash, over the turn of the year',
    start: '2026-12-30T20:30:00Z',
    settings: {
      margin: { interestRate: 120_000, callSessions: 1 },
      marketEvents: [crashAt('2026-12-31T15:30:00Z')],
    },
  },
  {
    name: 'a slow market that rejects orders, cancels and replacements, and fills in pieces',
    start: '2026-02-03T15:00:00Z',
    settings: { fillSize: 'displayed', venue: roughVenue, margin: { interestRate: 65_000, callSessions: 1 } },
  },
  {
    name: 'a slow market in New York hours with a share of its volume, over a weekend',
    start: '2026-02-06T19:30:00Z',
    settings: { hours: 'nyse', venue: { ...roughVenue, participation: 50_000, impactBasisPoints: 5 } },
  },
]
