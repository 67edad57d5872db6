import type { AccountId, Digest, GrantId, SessionId, TokenId, UserId } from '../ids.ts'
import {
  boolean,
  date,
  event,
  hex,
  id,
  instant,
  integer,
  list,
  oneOf,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { CivilDate, Instant } from '../time.ts'

const ofUser = { at: instant<Instant>(), userId: id<UserId>() }

const userAdded = event('userAdded', {
  ...ofUser,
  name: text(),
  operator: optional(boolean()),
  sealed: record({ password: text() }),
})
export type UserAdded = ValueOf<typeof userAdded>

const userChanged = event('userChanged', {
  ...ofUser,
  name: optional(text()),
  operator: optional(boolean()),
  disabled: optional(boolean()),
  /** Whether all sessions and sign-in links of the user end. */
  endsSessions: boolean(),
  /** The sessions that ended. */
  sessions: list(id<SessionId>()),
  /** Only with a new password, because an empty object would not be stored. */
  sealed: optional(record({ password: text() })),
})
export type UserChanged = ValueOf<typeof userChanged>

const userRemoved = event('userRemoved', { ...ofUser, sessions: list(id<SessionId>()) })
export type UserRemoved = ValueOf<typeof userRemoved>

const accountAssigned = event('accountAssigned', {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  userId: optional(id<UserId>()),
  /** Grants of the former owner that ended, with their tokens. */
  ended: list(id<GrantId>()),
  revoked: list(id<TokenId>()),
})
export type AccountAssigned = ValueOf<typeof accountAssigned>

const signInLinkIssued = event('signInLinkIssued', {
  ...ofUser,
  /** The session starts with operator rights for a while. */
  operator: optional(boolean()),
  sealed: record({ link: hex<Digest>(), nowMs: integer(), endsAtMs: integer() }),
})
export type SignInLinkIssued = ValueOf<typeof signInLinkIssued>

const signedIn = event('signedIn', {
  ...ofUser,
  sessionId: id<SessionId>(),
  by: oneOf('password', 'link'),
  sealed: record({
    session: hex<Digest>(),
    link: optional(hex<Digest>()),
    nowMs: integer(),
    endsAtMs: integer(),
    /** A reference to the client address. */
    from: optional(text()),
  }),
})
export type SignedIn = ValueOf<typeof signedIn>

const signInFailed = event('signInFailed', ofUser)
export type SignInFailed = ValueOf<typeof signInFailed>

/** Client addresses were erased: one, or all before a day. The address itself must not be recorded. */
const addressesErased = event('addressesErased', {
  at: instant<Instant>(),
  before: optional(date<CivilDate>()),
})
export type AddressesErased = ValueOf<typeof addressesErased>

const ofSession = { ...ofUser, sessionId: id<SessionId>() }

/** A session has operator rights for a while. */
const operatorRightsRaised = event('operatorRightsRaised', {
  ...ofSession,
  by: oneOf('password', 'link'),
  sealed: record({ session: hex<Digest>(), untilMs: integer() }),
})
export type OperatorRightsRaised = ValueOf<typeof operatorRightsRaised>

const operatorRightsDropped = event('operatorRightsDropped', {
  ...ofSession,
  sealed: record({ session: hex<Digest>() }),
})
export type OperatorRightsDropped = ValueOf<typeof operatorRightsDropped>

const signedOut = event('signedOut', { ...ofUser, sessions: list(id<SessionId>()) })
export type SignedOut = ValueOf<typeof signedOut>

export const userEvents = [
  userAdded,
  userChanged,
  userRemoved,
  accountAssigned,
  signInLinkIssued,
  signedIn,
  signInFailed,
  addressesErased,
  signedOut,
  operatorRightsRaised,
  operatorRightsDropped,
] as const
export type UserEvent = ValueOf<(typeof userEvents)[number]>
