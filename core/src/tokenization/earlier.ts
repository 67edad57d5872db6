import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId } from '../ids.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { EarlierRequest } from './commands.ts'
import { idempotencyName, type RequestKind } from './request.ts'

type Asked = { readonly idempotency?: IdempotencyKey; readonly earlier?: EarlierRequest }

export type EarlierRefusal =
  | { readonly code: 'idempotencyKeyReused' }
  | { readonly code: 'idempotencyKeyOfRejected' }

/** The request made before under the same idempotency key, if any. Memory is newer than what the views knew. */
export function earlierRequest(
  view: View,
  scope: { readonly accountId: AccountId; readonly kind: RequestKind },
  { idempotency, earlier }: Asked,
): EarlierRequest | undefined {
  if (!idempotency) return undefined
  const id = view.idempotencyKeys.get(idempotencyName(scope.accountId, scope.kind, idempotency.key))
  if (id === undefined) return earlier
  const request = found(view.requests.get(id), id)
  const { bodyHash } = found(request.idempotency, 'its key')
  return { requestId: id, bodyHash, isRejected: request.status === 'rejected' }
}

/** A call that was made before leads to no event, and one that contradicts it is refused; nothing where it is new. */
export function replayOf(
  earlier: EarlierRequest | undefined,
  { idempotency }: Asked,
): Result<[], EarlierRefusal> | undefined {
  if (!earlier) return undefined
  if (earlier.bodyHash !== idempotency?.bodyHash) return fail({ code: 'idempotencyKeyReused' })
  return earlier.isRejected ? fail({ code: 'idempotencyKeyOfRejected' }) : ok([])
}
