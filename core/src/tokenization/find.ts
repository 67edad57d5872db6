import type { AccountId, RequestId } from '../ids.ts'
import type { View } from '../state.ts'
import type { TokenizationRequest } from './request.ts'

/** A request still in memory, seen by the account that made it alone; older ones are in the views. */
export function findRequest(
  view: View,
  accountId: AccountId,
  id: RequestId,
): TokenizationRequest | undefined {
  const request = view.requests.get(id)
  return request?.accountId === accountId ? request : undefined
}
