/**
 * The life of a request, as one table: which move leads from which status to which.
 *
 *   received        stored, its shares held: the participant's of a mint, the issuer's of a redeem
 *   validating      the issuer has been asked
 *   issuerAccepted  the issuer will mint; where it names the account that takes the shares, it is being asked for that
 *   transferred     the shares are the issuer's
 *   confirmed       the issuer knows that they are
 *   completed       the tokens are in the wallet; of a redeem, the shares are the participant's
 *   rejected        at any point before; the shares are free again, or back
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

export type RequestMove = 'ask' | 'accept' | 'transfer' | 'confirm' | 'complete' | 'settle' | 'reject'

export const requestMoves: Record<RequestStatus, Partial<Record<RequestMove, RequestStatus>>> = {
  // Only redeems settle, and they have no other way.
  received: { ask: 'validating', accept: 'issuerAccepted', settle: 'completed', reject: 'rejected' },
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

/** The shares of a mint are the issuer's, and the tokens are still to come. */
export const hasMoved = ({ status }: HasStatus): boolean => status === 'transferred' || status === 'confirmed'
