import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, RequestId } from '../ids.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { EarlierRequest } from './commands.ts'
import { idempotencyName, type RequestKind, type TokenizationRequest } from './request.ts'

/** A request in memory that the participant or the issuer may see; older ones are in the views. */
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

type IdempotentCall = { readonly idempotency?: IdempotencyKey; readonly earlier?: EarlierRequest }

export type EarlierRefusal =
  | { readonly code: 'idempotencyKeyReused' }
  | { readonly code: 'idempotencyKeyOfRejected' }

/** The earlier request with the same idempotency key, if any. State in memory is newer than the views. */
export function earlierRequest(
  view: View,
  scope: { readonly accountId: AccountId; readonly kind: RequestKind },
  { idempotency, earlier }: IdempotentCall,
): EarlierRequest | undefined {
  if (!idempotency) return undefined
  const id = view.idempotencyKeys.get(idempotencyName(scope.accountId, scope.kind, idempotency.key))
  if (id === undefined) return earlier
  const request = found(view.requests.get(id), id)
  const { bodyHash } = found(request.idempotency, 'its key')
  return { requestId: id, bodyHash, isRejected: request.status === 'rejected' }
}

/**
 * A repeated call produces no event, and a call with a different body is refused. Undefined for a new key.
 */
export function replayOf(
  earlier: EarlierRequest | undefined,
  { idempotency }: IdempotentCall,
): Result<[], EarlierRefusal> | undefined {
  if (!earlier) return undefined
  if (earlier.bodyHash !== idempotency?.bodyHash) return fail({ code: 'idempotencyKeyReused' })
  return earlier.isRejected ? fail({ code: 'idempotencyKeyOfRejected' }) : ok([])
}
