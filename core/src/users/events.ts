import type { AccountId, Digest, GrantId, SessionId, TokenId, UserId } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'

export type UserEvent =
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

/** Journals of released versions have `personId` and `person…` kinds, so the stored names stay. */
type OfUser = { readonly at: Instant; readonly personId: UserId }

export type PersonAdded = OfUser & {
  readonly kind: 'personAdded'
  readonly name: string
  readonly operator?: boolean
  readonly sealed: { readonly password: string }
}

export type PersonChanged = OfUser & {
  readonly kind: 'personChanged'
  readonly name?: string
  readonly operator?: boolean
  readonly disabled?: boolean
  /** Whether all sessions and sign-in links of the user end. */
  readonly endsSessions: boolean
  /** The sessions that ended. */
  readonly sessions: readonly SessionId[]
  /** Only with a new password, because an empty object would not be stored. */
  readonly sealed?: { readonly password: string }
}

export type PersonRemoved = OfUser & {
  readonly kind: 'personRemoved'
  readonly sessions: readonly SessionId[]
}

export type AccountAssigned = {
  readonly kind: 'accountAssigned'
  readonly at: Instant
  readonly accountId: AccountId
  readonly personId?: UserId
  /** Grants of the former owner that ended, with their tokens. */
  readonly ended: readonly GrantId[]
  readonly revoked: readonly TokenId[]
}

export type SignInLinkIssued = OfUser & {
  readonly kind: 'signInLinkIssued'
  /** The session starts with operator rights for a while. */
  readonly operator?: boolean
  readonly sealed: { readonly link: Digest; readonly nowMs: number; readonly endsAtMs: number }
}

export type SignedIn = OfUser & {
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

export type SignInFailed = OfUser & { readonly kind: 'signInFailed' }

/** Client addresses were erased: one, or all before a day. The address itself must not be recorded. */
export type AddressesErased = {
  readonly kind: 'addressesErased'
  readonly at: Instant
  readonly before?: CivilDate
}

type OfSession = OfUser & { readonly sessionId: SessionId }

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

export type SignedOut = OfUser & {
  readonly kind: 'signedOut'
  readonly sessions: readonly SessionId[]
}
