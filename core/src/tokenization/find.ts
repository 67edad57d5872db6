import type { AccountId, RequestId } from '../ids.ts'
import type { View } from '../state/state.ts'
import type { TokenizationRequest } from './request.ts'

/** A request in memory that the participant or the issuer may see; older ones are in the query tables. */
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

const isIssuerOf = (
  { issuers }: View,
  accountId: AccountId,
  { issuer }: Pick<TokenizationRequest, 'issuer'>,
): boolean => issuers.get(issuer)?.accountId === accountId
