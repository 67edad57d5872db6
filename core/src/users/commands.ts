import type { CivilDate } from '../civil-date.ts'
import type { AccountId, Digest, PasskeyId, UserId } from '../ids.ts'
import type { ByKind } from '../kinds.ts'
import type { FactorKind } from './factor.ts'

/** A verified code or signature. */
export type FactorProof =
  | { readonly by: 'totp'; readonly step: number }
  | { readonly by: 'passkey'; readonly credential: string; readonly counter: number }

/** Times ending in `Ms` are real time, not the world's clock. */
export type UserCommand = ByKind<{
  /** `password` is a slow password hash. */
  addUser: {
    readonly name: string
    readonly password: string
    readonly operator?: boolean
    readonly auditor?: boolean
  }
  /**
   * Fields that are not named stay unchanged. A new password, disabling the user, and the end of the rights of an operator or auditor end all
   * sessions.
   */
  changeUser: {
    readonly userId: UserId
    readonly name?: string
    readonly password?: string
    readonly operator?: boolean
    readonly auditor?: boolean
    readonly disabled?: boolean
  }
  /** Allowed only without open accounts. */
  removeUser: { readonly userId: UserId }
  /** Sets or clears the owner of an account. Grants of the previous owner end. */
  assignAccount: { readonly accountId: AccountId; readonly userId?: UserId }
  issueSignInLink: {
    readonly userId: UserId
    readonly link: Digest
    readonly nowMs: number
    readonly endsAtMs: number
    /** The session starts with the rights of an operator or auditor for a while, if the user is one. */
    readonly operator?: boolean
    /** Set if the user is a person of `main`, in another world: the sign-in epoch of that person. */
    readonly mainEpoch?: number
  }
  /** The caller has verified the password. A link is verified here, because it is valid once. */
  signIn: {
    readonly by:
      | {
          readonly userId: UserId
          /** As in `issueSignInLink`. */
          readonly mainEpoch?: number
        }
      | { readonly link: Digest }
    readonly session: Digest
    readonly nowMs: number
    readonly endsAtMs: number
    /** End of the operator rights from an operator's link. */
    readonly operatorUntilMs?: number
    /** A reference to the client address. The address itself must be erasable, so no event contains it. */
    readonly from?: string
  }
  /** Recorded for the audit log only. */
  noteFailedSignIn: { readonly userId: UserId }
  /** Recorded for the audit log only: addresses are stored beside the journal, and are erased there. */
  noteErasure: { readonly before?: CivilDate }
  /** Ends one session; or all sessions and sign-in links of a user, for a person of `main` also those in other worlds. */
  signOut: { readonly session: Digest } | { readonly userId: UserId }
  /** The caller has verified the password again. */
  raiseOperatorRights: { readonly session: Digest; readonly nowMs: number; readonly untilMs: number }
  dropOperatorRights: { readonly session: Digest }
  /** `secret` is encrypted; `step` is the step of the first code. */
  addTotp: { readonly userId: UserId; readonly secret: string; readonly step: number }
  addPasskey: {
    readonly userId: UserId
    readonly name: string
    readonly credential: string
    readonly publicKey: string
    readonly counter: number
  }
  /** Removes a passkey, or without one the authenticator app. The last factor stays if one is required. */
  removeFactor: { readonly userId: UserId; readonly passkeyId?: PasskeyId; readonly isRequired?: boolean }
  /** Recovery: removes all second factors of a user. */
  removeFactors: { readonly userId: UserId }
  useFactor: { readonly userId: UserId; readonly proof: FactorProof }
  confirmSession: { readonly session: Digest; readonly by: FactorKind; readonly nowMs: number }
  /** Submitted to a fork or loaded world before its first credential, and to a world after its reset. */
  dropCredentials: { readonly of: 'copy' | 'reset' }
}>
