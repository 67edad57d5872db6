import type { AccountId, Digest, GrantId, PersonId, SessionId, TokenId } from '../ids.ts'
import type { Instant } from '../time.ts'

export type PeopleEvent =
  | PersonAdded
  | PersonChanged
  | PersonRemoved
  | AccountAssigned
  | SignInLinkIssued
  | SignedIn
  | SignInFailed
  | SignedOut

type OfPerson = { readonly at: Instant; readonly personId: PersonId }

export type PersonAdded = OfPerson & {
  readonly kind: 'personAdded'
  readonly name: string
  readonly operator?: boolean
  readonly sealed: { readonly password: string }
}

export type PersonChanged = OfPerson & {
  readonly kind: 'personChanged'
  readonly name?: string
  readonly operator?: boolean
  readonly disabled?: boolean
  /** Whether every session of theirs ends, and every link that would begin one. */
  readonly endsSessions: boolean
  /** The sessions that ended by it. */
  readonly sessions: readonly SessionId[]
  /** Only with a new password: an empty one would not be kept. */
  readonly sealed?: { readonly password: string }
}

export type PersonRemoved = OfPerson & {
  readonly kind: 'personRemoved'
  readonly sessions: readonly SessionId[]
}

export type AccountAssigned = {
  readonly kind: 'accountAssigned'
  readonly at: Instant
  readonly accountId: AccountId
  readonly personId?: PersonId
  /** What apps were allowed while it was the former owner's, with the tokens that stood on it. */
  readonly ended: readonly GrantId[]
  readonly revoked: readonly TokenId[]
}

export type SignInLinkIssued = OfPerson & {
  readonly kind: 'signInLinkIssued'
  readonly sealed: { readonly link: Digest; readonly nowMs: number; readonly endsAtMs: number }
}

export type SignedIn = OfPerson & {
  readonly kind: 'signedIn'
  readonly sessionId: SessionId
  readonly by: 'password' | 'link'
  readonly from?: string
  readonly sealed: {
    readonly session: Digest
    readonly link?: Digest
    readonly nowMs: number
    readonly endsAtMs: number
  }
}

export type SignInFailed = OfPerson & { readonly kind: 'signInFailed'; readonly from?: string }

export type SignedOut = OfPerson & {
  readonly kind: 'signedOut'
  readonly sessions: readonly SessionId[]
}
