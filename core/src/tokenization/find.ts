import type { AccountId, RequestId } from '../ids.ts'
import type { View } from '../state.ts'
import type { TokenizationRequest } from './request.ts'

/** A request still in memory, seen by the participant and by the issuer; older ones are in the views. */
export function findRequest(
  view: View,
  accountId: AccountId,
  id: RequestId,
): TokenizationRequest | undefined {
  const request = view.requests.get(id)
  return request && (request.accountId === accountId || isIssuerOf(view, accountId, request))
    ? request
    : undefined
}

/** Whether an account is the one under which the request's issuer is known. */
export const isIssuerOf = (
  { issuers }: View,
  accountId: AccountId,
  { issuer }: Pick<TokenizationRequest, 'issuer'>,
): boolean => issuers.get(issuer)?.accountId === accountId
