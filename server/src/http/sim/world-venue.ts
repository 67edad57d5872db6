import type { InputOf, OutputOf } from '@quipu/contract'
import { type Delay, definedFields, format, type Venue } from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'

type VenueInput = NonNullable<InputOf<'createWorld'>['body']['venue']>
type VenueRecord = NonNullable<OutputOf<'getWorld'>['venue']>
type DelayInput = NonNullable<VenueInput['latency']>
type DelayRecord = NonNullable<VenueRecord['latency']>

export const venueFrom = (input: VenueInput): Venue =>
  definedFields({
    latency: delayFrom(input.latency),
    rejectShare: millionthsOf(input.reject_share),
    cancelLatency: delayFrom(input.cancel_latency),
    replaceLatency: delayFrom(input.replace_latency),
    cancelRejectShare: millionthsOf(input.cancel_reject_share),
    replaceRejectShare: millionthsOf(input.replace_reject_share),
  })

const delayFrom = (input: DelayInput | undefined): Delay | undefined =>
  input && { minNs: input.min, maxNs: input.max, shape: input.shape === 'long_tail' ? 'longTail' : 'uniform' }

/** Amounts are in billionths, shares in millionths. */
const millionthsOf = (share: string | undefined): number | undefined =>
  share === undefined ? undefined : Number(amountOf(share) / 1000n)

/** The same form as the request, so that a client can create the same world again. */
export const venueToWire = (venue: Venue): VenueRecord => ({
  latency: delayToWire(venue.latency),
  reject_share: shareToWire(venue.rejectShare),
  cancel_latency: delayToWire(venue.cancelLatency),
  replace_latency: delayToWire(venue.replaceLatency),
  cancel_reject_share: shareToWire(venue.cancelRejectShare),
  replace_reject_share: shareToWire(venue.replaceRejectShare),
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
