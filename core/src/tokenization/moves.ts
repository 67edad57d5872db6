/**
 * The life of a mint, as one table: which move leads from which status to which.
 *
 *   received        stored, its shares held
 *   validating      the issuer has been asked
 *   issuerAccepted  the issuer will mint
 *   transferred     the shares are the issuer's
 *   confirmed       the issuer knows that they are
 *   completed       the tokens are in the wallet
 *   rejected        by the issuer, at any point before; the shares are free again, or back
 *
 * A move absent from a status's row is a bug in the core, never a refusal to a client.
 */
export type RequestStatus =
  | 'received'
  | 'validating'
  | 'issuerAccepted'
  | 'transferred'
  | 'confirmed'
  | 'completed'
  | 'rejected'

export type RequestMove = 'ask' | 'accept' | 'transfer' | 'confirm' | 'complete' | 'reject'

export const requestMoves: Record<RequestStatus, Partial<Record<RequestMove, RequestStatus>>> = {
  received: { ask: 'validating' },
  validating: { ask: 'validating', accept: 'issuerAccepted', reject: 'rejected' },
  issuerAccepted: { transfer: 'transferred', reject: 'rejected' },
  // The tokens may arrive before the issuer has answered that it knows.
  transferred: { confirm: 'confirmed', complete: 'completed', reject: 'rejected' },
  confirmed: { complete: 'completed', reject: 'rejected' },
  completed: {},
  rejected: {},
}

type HasStatus = { readonly status: RequestStatus }

export const mayMove = ({ status }: HasStatus, move: RequestMove): boolean =>
  requestMoves[status][move] !== undefined

export function requestStatusAfter(status: RequestStatus, move: RequestMove): RequestStatus {
  const next = requestMoves[status][move]
  if (!next) throw new Error(`bug: ${move} on a ${status} tokenization request`)
  return next
}

/** What everyone outside sees of it. */
export type OutsideStatus = 'pending' | 'completed' | 'rejected'
export const outsideStatus = ({ status }: HasStatus): OutsideStatus =>
  status === 'completed' || status === 'rejected' ? status : 'pending'

export const isPending = (request: HasStatus): boolean => outsideStatus(request) === 'pending'

/** Until the shares move they are only kept back. */
export const holdsShares = ({ status }: HasStatus): boolean =>
  status === 'received' || status === 'validating' || status === 'issuerAccepted'
