import { oneOf, type ValueOf } from '../schema.ts'

/**
 * The state machine of a request: which move leads from which status to which.
 *
 *   received        stored; shares are held: the participant's for a mint, the issuer's for a redeem
 *   validating      the issuer has been asked
 *   issuerAccepted  the issuer will mint; it may have to name a custody account
 *   transferred     the shares are in custody
 *   confirmed       the issuer has confirmed the transfer
 *   completed       the tokens are in the wallet; for a redeem, the participant has the shares
 *   rejected        possible at any point before; the shares are released or returned
 *
 * Any other transition is a bug in the core, never a refusal to a client.
 */
export const requestStatusSchema = oneOf(
  'received',
  'validating',
  'issuerAccepted',
  'transferred',
  'confirmed',
  'completed',
  'rejected',
)
export type RequestStatus = ValueOf<typeof requestStatusSchema>

export type RequestMove = 'ask' | 'accept' | 'transfer' | 'confirm' | 'complete' | 'settle' | 'reject'

export const requestMoves: Record<RequestStatus, Partial<Record<RequestMove, RequestStatus>>> = {
  // Only redeems settle, and they have no other step.
  received: { ask: 'validating', accept: 'issuerAccepted', settle: 'completed', reject: 'rejected' },
  validating: { ask: 'validating', accept: 'issuerAccepted', reject: 'rejected' },
  issuerAccepted: { transfer: 'transferred', reject: 'rejected' },
  // The tokens may arrive before the issuer's confirmation.
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

/** The public status. */
export type PublicStatus = 'pending' | 'completed' | 'rejected'
export const publicStatus = ({ status }: HasStatus): PublicStatus =>
  status === 'completed' || status === 'rejected' ? status : 'pending'

export const isPending = (request: HasStatus): boolean => publicStatus(request) === 'pending'

/** Until the shares move, they are only held. */
export const holdsShares = ({ status }: HasStatus): boolean =>
  status === 'received' || status === 'validating' || status === 'issuerAccepted'

/** The shares are in custody, and the tokens do not exist yet. */
export const hasMoved = ({ status }: HasStatus): boolean => status === 'transferred' || status === 'confirmed'
