import type { BrokerEvent, Order, TokenizationRequest, View } from '@quipu/core'
import type { RequestRecord } from './cause.ts'

/**
 * A durable event, the order or tokenization request it changed as it was right after, and the id of its request. The
 * first event of a request has its whole record.
 */
export type Committed = {
  readonly seq: number
  readonly event: BrokerEvent
  readonly order?: Order | undefined
  readonly request?: TokenizationRequest | undefined
  readonly cause?: string | undefined
  readonly record?: RequestRecord | undefined
}

/** An event that was just applied, with the order it changed. May be published once the event is durable. */
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

type Seen = Extract<
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

/** Of all that happens to a request these show outside, where it is pending, completed or rejected. */
const seen: Readonly<Record<Seen['kind'], true>> = {
  mintRequested: true,
  mintCompleted: true,
  mintRejected: true,
  redeemRequested: true,
  redeemCompleted: true,
  redeemRejected: true,
}

const isSeen = (event: BrokerEvent): event is Seen => event.kind in seen

/** The request that an event changed for everyone to see, as it is right after. */
export function changedRequest(
  { requests }: Pick<View, 'requests'>,
  event: BrokerEvent,
): TokenizationRequest | undefined {
  if (!isSeen(event)) return undefined
  return 'request' in event ? event.request : requests.get(event.requestId)
}
