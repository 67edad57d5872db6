import type { BrokerEvent, Order, TokenizationRequest, View } from '@quipu/core'
import type { RequestRecord } from './cause.ts'

/**
 * A durable event with the order or tokenization request as the event left it, and the id of the API request. The
 * first event of an API request has the whole request record.
 */
export type Committed = {
  readonly seq: number
  readonly event: BrokerEvent
  readonly order?: Order | undefined
  readonly request?: TokenizationRequest | undefined
  readonly cause?: string | undefined
  readonly record?: RequestRecord | undefined
}

/** An applied event with the order that it changed. Publish it only after the event is durable. */
export function committedOf(
  state: Pick<View, 'seq' | 'requests'>,
  event: BrokerEvent,
  order: Order | undefined,
  cause: string | undefined,
  record: RequestRecord | undefined,
): Committed {
  const request = order ? undefined : changedRequest(state, event)
  return { seq: state.seq, event, order, request, cause, record }
}

type PublicEvent = Extract<
  BrokerEvent,
  {
    kind:
      | 'mintRequested'
      | 'mintCompleted'
      | 'mintRejected'
      | 'redeemRequested'
      | 'redeemCompleted'
      | 'redeemRejected'
  }
>

/** The events of a tokenization request that clients see, as the statuses pending, completed and rejected. */
const publicKinds: Readonly<Record<PublicEvent['kind'], true>> = {
  mintRequested: true,
  mintCompleted: true,
  mintRejected: true,
  redeemRequested: true,
  redeemCompleted: true,
  redeemRejected: true,
}

const isPublic = (event: BrokerEvent): event is PublicEvent => event.kind in publicKinds

/** The tokenization request after an event, if the event changed its public status. */
export function changedRequest(
  { requests }: Pick<View, 'requests'>,
  event: BrokerEvent,
): TokenizationRequest | undefined {
  if (!isPublic(event)) return undefined
  return 'request' in event ? event.request : requests.get(event.requestId)
}
