import type { TokenizationRequest } from '../operations/tokenization/tokenization.ts'
import type { TypeOf } from '../shape/index.ts'

/** An activity as `/v2beta1/events/activities` tells it. */
export type ActivityEvent = {
  /** 26 characters that sort as the events do. */
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

/** What became of a mint or a redeem, as its side of it sees it. */
export type TokenizationEvent = TypeOf<typeof TokenizationRequest> & {
  readonly event_id: string
  readonly at: string
}
