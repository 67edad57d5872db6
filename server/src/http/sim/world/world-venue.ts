import type { InputOf, OutputOf } from '@quipu/contract'
import { type Delay, definedFields, format, type MarginSettings, type Venue } from '@quipu/core'
import { amountOf } from '../../../wire/amounts.ts'

type VenueInput = NonNullable<InputOf<'createWorld'>['body']['venue']>
type VenueRecord = NonNullable<OutputOf<'getWorld'>['venue']>
type MarginInput = NonNullable<InputOf<'createWorld'>['body']['margin']>
type MarginRecord = NonNullable<OutputOf<'getWorld'>['margin']>
type DelayInput = NonNullable<VenueInput['latency']>
type DelayRecord = NonNullable<VenueRecord['latency']>

const DEFAULT_INTERVAL: Delay = { minNs: 1_000_000_000n, maxNs: 10_000_000_000n, shape: 'uniform' }

export const venueFrom = (input: VenueInput): Venue =>
  definedFields({
    latency: delayFrom(input.latency),
    rejectShare: millionthsOf(input.reject_share),
    cancelLatency: delayFrom(input.cancel_latency),
    replaceLatency: delayFrom(input.replace_latency),
    cancelRejectShare: millionthsOf(input.cancel_reject_share),
    replaceRejectShare: millionthsOf(input.replace_reject_share),
    doneForDayShare: millionthsOf(input.done_for_day_share),
    fillPieces: input.fill_pieces,
    fillInterval: delayFrom(input.fill_interval) ?? (input.fill_pieces && DEFAULT_INTERVAL),
    participation: millionthsOf(input.participation),
    impactBasisPoints: input.impact_basis_points,
  })

const delayFrom = (input: DelayInput | undefined): Delay | undefined =>
  input && { minNs: input.min, maxNs: input.max, shape: input.shape === 'long_tail' ? 'longTail' : 'uniform' }

/** Amounts are in billionths, shares in millionths. */
const millionthsOf = (share: string | undefined): number | undefined =>
  share === undefined ? undefined : Number(amountOf(share) / 1000n)

export const marginFrom = (input: MarginInput): MarginSettings =>
  definedFields({
    interestRate: millionthsOf(input.interest_rate),
    callSessions: input.call_sessions,
  })

export const marginToWire = ({ interestRate, callSessions }: MarginSettings): MarginRecord => ({
  interest_rate: shareToWire(interestRate),
  call_sessions: callSessions,
})

/** The same form as the request, so that a client can create the same world again. */
export const venueToWire = (venue: Venue): VenueRecord => ({
  latency: delayToWire(venue.latency),
  reject_share: shareToWire(venue.rejectShare),
  cancel_latency: delayToWire(venue.cancelLatency),
  replace_latency: delayToWire(venue.replaceLatency),
  cancel_reject_share: shareToWire(venue.cancelRejectShare),
  replace_reject_share: shareToWire(venue.replaceRejectShare),
  done_for_day_share: shareToWire(venue.doneForDayShare),
  fill_pieces: venue.fillPieces,
  fill_interval: delayToWire(venue.fillInterval),
  participation: shareToWire(venue.participation),
  impact_basis_points: venue.impactBasisPoints,
})

const delayToWire = (delay: Delay | undefined): DelayRecord | undefined =>
  delay && {
    min: durationText(delay.minNs),
    max: durationText(delay.maxNs),
    shape: delay.shape === 'longTail' ? 'long_tail' : 'uniform',
  }

const durationText = (nanos: bigint): string => `${format(nanos * 1000n)}ms`

const shareToWire = (millionths: number | undefined): string | undefined =>
  millionths === undefined ? undefined : format(BigInt(millionths) * 1000n)
