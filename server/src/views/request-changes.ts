import { type AccountId, decode, encode, found, type State, type TokenizationRequest } from '@quipu/core'
import { type HistoryRow, historyId } from './history.ts'

/** A request after a change, with the number of the event. */
export type RequestChange = { readonly seq: number; readonly request: TokenizationRequest }

/** A change has a row for the participant and one for the issuer. */
export function requestChangeRows(
  { seq, issuers }: Pick<State, 'seq' | 'issuers'>,
  request: TokenizationRequest,
): readonly HistoryRow[] {
  const id = historyId('requests', { at: request.updatedAt, seq, n: 0 })
  const record = encode({ seq, request } satisfies RequestChange)
  const { accountId: issuerAccountId } = found(issuers.get(request.issuer), request.issuer)
  return [request.accountId, issuerAccountId].map((accountId: AccountId) => ({
    accountId,
    part: 'requests',
    id,
    kind: 'requestChanged',
    record,
  }))
}

export const readRequestChange = (record: string): RequestChange => decode(record) as RequestChange
