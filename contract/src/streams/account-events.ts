import type { TokenizationRequestShape } from '../operations/tokenization/tokenization.ts'
import type { TypeOf } from '../shape/index.ts'

/** A message of `/v2beta1/events/activities`. */
export type ActivityEvent = {
  /** ULID; ids sort like the events. */
  readonly event_id: string
  readonly at: string
  readonly id: string
  readonly activity_type: string
  readonly activity_subtype?: string
  readonly status: 'executed'
  readonly executed_at: string
  readonly settle_date: string
  readonly currency: string
  readonly ref_id: string
  readonly qty?: string
  readonly price?: string
  readonly net_amount: string
  readonly details: Readonly<Record<string, string>>
}

/** An update of a mint or redeem request, with the fields that the receiver may see. */
export type TokenizationEvent = TypeOf<typeof TokenizationRequestShape> & {
  readonly event_id: string
  readonly at: string
}
