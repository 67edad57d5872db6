import type { AccountId, Digest, UserId } from '../ids.ts'
import type { CivilDate } from '../time.ts'

export type UserCommand =
  | AddUser
  | ChangeUser
  | RemoveUser
  | AssignAccount
  | IssueSignInLink
  | SignIn
  | NoteFailedSignIn
  | NoteErasure
  | SignOut
  | RaiseOperatorRights
  | DropOperatorRights

/** `password` is a slow password hash. */
export type AddUser = {
  readonly kind: 'addUser'
  readonly name: string
  readonly password: string
  readonly operator?: boolean
}

/** Fields that are not named stay unchanged. A new password, or disabling the user, ends all sessions. */
export type ChangeUser = {
  readonly kind: 'changeUser'
  readonly userId: UserId
  readonly name?: string
  readonly password?: string
  readonly operator?: boolean
  readonly disabled?: boolean
}

/** Allowed only without open accounts. */
export type RemoveUser = { readonly kind: 'removeUser'; readonly userId: UserId }

/** Sets or clears the owner of an account. Grants of the previous owner end. */
export type AssignAccount = {
  readonly kind: 'assignAccount'
  readonly accountId: AccountId
  readonly userId?: UserId
}

/** Times ending in `Ms` are real time, not the world's clock. */
export type IssueSignInLink = {
  readonly kind: 'issueSignInLink'
  readonly userId: UserId
  readonly link: Digest
  readonly nowMs: number
  readonly endsAtMs: number
  /** The session starts with operator rights for a while, if the user is an operator. */
  readonly operator?: boolean
}

/** The caller has verified the password. A link is verified here, because it is valid once. */
export type SignIn = {
  readonly kind: 'signIn'
  readonly by: { readonly userId: UserId } | { readonly link: Digest }
  readonly session: Digest
  readonly nowMs: number
  readonly endsAtMs: number
  /** End of the operator rights from an operator's link. */
  readonly operatorUntilMs?: number
  /** A reference to the client address. The address itself must be erasable, so no event contains it. */
  readonly from?: string
}

/** Recorded for the audit log only. */
export type NoteFailedSignIn = {
  readonly kind: 'noteFailedSignIn'
  readonly userId: UserId
}

/** Recorded for the audit log only: addresses are stored beside the journal, and are erased there. */
export type NoteErasure = { readonly kind: 'noteErasure'; readonly before?: CivilDate }

/** Ends one session, or all sessions of a user. */
export type SignOut = { readonly kind: 'signOut' } & (
  | { readonly session: Digest }
  | { readonly userId: UserId }
)

/** The caller has verified the password again. */
export type RaiseOperatorRights = {
  readonly kind: 'raiseOperatorRights'
  readonly session: Digest
  readonly nowMs: number
  readonly untilMs: number
}

export type DropOperatorRights = { readonly kind: 'dropOperatorRights'; readonly session: Digest }
