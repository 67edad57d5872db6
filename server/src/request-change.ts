import type { BrokerEvent, TokenizationRequest, View } from '@quipu/core'

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
