import type { AccountId, Digest, PersonId } from '../ids.ts'
import type { CivilDate } from '../time.ts'

export type PeopleCommand =
  | AddPerson
  | ChangePerson
  | RemovePerson
  | AssignAccount
  | IssueSignInLink
  | SignIn
  | NoteFailedSignIn
  | NoteErasure
  | SignOut
  | RaiseOperatorRights
  | DropOperatorRights

/** The password comes as a digest made slow on purpose. */
export type AddPerson = {
  readonly kind: 'addPerson'
  readonly name: string
  readonly password: string
  readonly operator?: boolean
}

/** What is not named stays. A new password, or being disabled, ends every session. */
export type ChangePerson = {
  readonly kind: 'changePerson'
  readonly personId: PersonId
  readonly name?: string
  readonly password?: string
  readonly operator?: boolean
  readonly disabled?: boolean
}

/** Only without open accounts. */
export type RemovePerson = { readonly kind: 'removePerson'; readonly personId: PersonId }

/** Makes an account a person's, or nobody's. What apps were allowed while it was another's ends. */
export type AssignAccount = {
  readonly kind: 'assignAccount'
  readonly accountId: AccountId
  readonly personId?: PersonId
}

/** Times with `Ms` are the machine's. */
export type IssueSignInLink = {
  readonly kind: 'issueSignInLink'
  readonly personId: PersonId
  readonly link: Digest
  readonly nowMs: number
  readonly endsAtMs: number
  /** The session it begins may act as an operator for a while, if the person is one. */
  readonly operator?: boolean
}

/** Whoever asks has looked at the password; a link is looked at here, because it serves once. */
export type SignIn = {
  readonly kind: 'signIn'
  readonly by: { readonly personId: PersonId } | { readonly link: Digest }
  readonly session: Digest
  readonly nowMs: number
  readonly endsAtMs: number
  /** Until when an operator's link lets the session act as an operator. */
  readonly operatorUntilMs?: number
  /** A reference to an address. The address itself must be erasable, so it never reaches an event. */
  readonly from?: string
}

/** For the audit alone. */
export type NoteFailedSignIn = {
  readonly kind: 'noteFailedSignIn'
  readonly personId: PersonId
}

/** For the audit alone: addresses are stored beside the journal, and are erased there. */
export type NoteErasure = { readonly kind: 'noteErasure'; readonly before?: CivilDate }

/** One session, or all of a person. */
export type SignOut = { readonly kind: 'signOut' } & (
  | { readonly session: Digest }
  | { readonly personId: PersonId }
)

/** Whoever asks has checked the password again. */
export type RaiseOperatorRights = {
  readonly kind: 'raiseOperatorRights'
  readonly session: Digest
  readonly nowMs: number
  readonly untilMs: number
}

export type DropOperatorRights = { readonly kind: 'dropOperatorRights'; readonly session: Digest }
