import type { AccountId, Digest, GrantId, PersonId, SessionId, TokenId } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'

export type PeopleEvent =
  | PersonAdded
  | PersonChanged
  | PersonRemoved
  | AccountAssigned
  | SignInLinkIssued
  | SignedIn
  | SignInFailed
  | AddressesErased
  | SignedOut
  | OperatorRightsRaised
  | OperatorRightsDropped

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
  /** Whether all sessions and sign-in links of the person end. */
  readonly endsSessions: boolean
  /** The sessions that ended. */
  readonly sessions: readonly SessionId[]
  /** Only with a new password, because an empty object would not be stored. */
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
  /** Grants of the former owner that ended, with their tokens. */
  readonly ended: readonly GrantId[]
  readonly revoked: readonly TokenId[]
}

export type SignInLinkIssued = OfPerson & {
  readonly kind: 'signInLinkIssued'
  /** The session starts with operator rights for a while. */
  readonly operator?: boolean
  readonly sealed: { readonly link: Digest; readonly nowMs: number; readonly endsAtMs: number }
}

export type SignedIn = OfPerson & {
  readonly kind: 'signedIn'
  readonly sessionId: SessionId
  readonly by: 'password' | 'link'
  readonly sealed: {
    readonly session: Digest
    readonly link?: Digest
    readonly nowMs: number
    readonly endsAtMs: number
    /** A reference to the client address. */
    readonly from?: string
  }
}

export type SignInFailed = OfPerson & { readonly kind: 'signInFailed' }

/** Client addresses were erased: one, or all before a day. The address itself must not be recorded. */
export type AddressesErased = {
  readonly kind: 'addressesErased'
  readonly at: Instant
  readonly before?: CivilDate
}

type OfSession = OfPerson & { readonly sessionId: SessionId }

/** A session has operator rights for a while. */
export type OperatorRightsRaised = OfSession & {
  readonly kind: 'operatorRightsRaised'
  readonly by: 'password' | 'link'
  readonly sealed: { readonly session: Digest; readonly untilMs: number }
}

export type OperatorRightsDropped = OfSession & {
  readonly kind: 'operatorRightsDropped'
  readonly sealed: { readonly session: Digest }
}

export type SignedOut = OfPerson & {
  readonly kind: 'signedOut'
  readonly sessions: readonly SessionId[]
}
