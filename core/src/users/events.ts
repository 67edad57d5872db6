import type { CivilDate } from '../civil-date.ts'
import type { AccountId, Digest, GrantId, PasskeyId, SessionId, TokenId, UserId } from '../ids.ts'
import {
  boolean,
  date,
  type EventIn,
  events,
  hex,
  id,
  integer,
  list,
  oneOf,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'

const ofUser = { userId: id<UserId>() }

const ofSession = { ...ofUser, sessionId: id<SessionId>() }

export const userEvents = events({
  userAdded: {
    ...ofUser,
    name: text(),
    operator: optional(boolean()),
    sealed: record({ password: text() }),
    auditor: optional(boolean()),
  },
  userChanged: {
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
    auditor: optional(boolean()),
  },
  userRemoved: { ...ofUser, sessions: list(id<SessionId>()) },
  accountAssigned: {
    accountId: id<AccountId>(),
    userId: optional(id<UserId>()),
    /** Grants of the former owner that ended, with their tokens. */
    ended: list(id<GrantId>()),
    revoked: list(id<TokenId>()),
  },
  signInLinkIssued: {
    ...ofUser,
    /** The session starts with operator rights for a while. */
    operator: optional(boolean()),
    sealed: record({
      link: hex<Digest>(),
      nowMs: integer(),
      endsAtMs: integer(),
      /** As in `signedIn`. */
      mainEpoch: optional(integer()),
    }),
  },
  signedIn: {
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
      /** Set if the user is a person of `main`: the sign-in epoch of that person. */
      mainEpoch: optional(integer()),
    }),
  },
  signInFailed: ofUser,
  /** Client addresses were erased: one, or all before a day. The address itself must not be recorded. */
  addressesErased: { before: optional(date<CivilDate>()) },
  signedOut: {
    ...ofUser,
    sessions: list(id<SessionId>()),
    /** All sessions and sign-in links of the user end, as in `userChanged`. */
    endsSessions: optional(boolean()),
  },
  /** A session has operator rights for a while. */
  operatorRightsRaised: {
    ...ofSession,
    by: oneOf('password', 'link'),
    sealed: record({ session: hex<Digest>(), untilMs: integer() }),
  },
  operatorRightsDropped: { ...ofSession, sealed: record({ session: hex<Digest>() }) },
  /** A copy of a world, or a world that begins again, has no passwords, sessions and rights of before. */
  credentialsDropped: { of: oneOf('copy', 'reset') },
  /** An authenticator app. The sealed part has its secret, encrypted, and the step of the first code. */
  totpAdded: { ...ofUser, sealed: record({ sealedSecret: text(), step: integer() }) },
  passkeyAdded: {
    ...ofUser,
    passkeyId: id<PasskeyId>(),
    name: text(),
    sealed: record({ credential: text(), publicKey: text(), counter: integer() }),
  },
  /** Without a passkey: the authenticator app. */
  factorRemoved: { ...ofUser, passkeyId: optional(id<PasskeyId>()) },
  /** A recovery removed all second factors. */
  factorsRemoved: ofUser,
  factorUsed: {
    ...ofUser,
    by: oneOf('totp', 'passkey'),
    passkeyId: optional(id<PasskeyId>()),
    sealed: record({ step: optional(integer()), counter: optional(integer()) }),
  },
  sessionConfirmed: {
    ...ofSession,
    by: oneOf('totp', 'passkey'),
    sealed: record({ session: hex<Digest>() }),
  },
})
export type UserEvent = EventIn<typeof userEvents>
export type AccountAssigned = ValueOf<typeof userEvents.accountAssigned>
export type SignedIn = ValueOf<typeof userEvents.signedIn>
