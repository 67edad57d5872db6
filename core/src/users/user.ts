import type { SessionId, UserId } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { FactorKind, Factors } from './factor.ts'

/** A user who signs in and can authorize apps for their accounts. */
export type User = Factors & {
  readonly id: UserId
  readonly name: string
  /** A slow password hash, because users choose their passwords. Empty in a copy of the user's world: no password matches. */
  readonly password: string
  readonly createdAt: Instant
  /** May control every world. Only people of `main` can have this right. */
  readonly operator?: boolean
  /** May read every world, and change nothing. */
  readonly auditor?: boolean
  /** Cannot sign in, and no app acts for them. */
  readonly disabled?: boolean
  /** The number of changes that ended all sessions; absent without one. Sessions in copies of `main` end with it too. */
  readonly signInEpoch?: number
}

/** A browser session. It expires by real time, whatever the world's clock shows. */
export type BrowserSession = {
  readonly id: SessionId
  readonly userId: UserId
  readonly createdAt: Instant
  readonly endsAtMs: number
  /** A reference to the client address. */
  readonly from?: string
  /** Until when the person has an operator's or auditor's rights, in real time. Absent: none. */
  readonly operatorUntilMs?: number
  /** Set if the user is a person of `main`, in another world: the sign-in epoch of that person. */
  readonly mainEpoch?: number
  /** The second factor that confirmed the session. */
  readonly factor?: FactorKind
}

/** The number that sessions of this user in other worlds must have. */
export const signInEpochOf = ({ signInEpoch = 0 }: User): number => signInEpoch

/** A link that signs one user in, once. */
export type SignInLink = {
  readonly userId: UserId
  readonly endsAtMs: number
  /** The session starts with the rights of an operator or auditor for a while. */
  readonly operator?: boolean
  /** As in the session that it begins. */
  readonly mainEpoch?: number
}

export type UserRole = 'operator' | 'auditor' | 'user'

/** An operator controls the server, an auditor reads everything of it. */
export const roleOf = ({ operator, auditor }: Pick<User, 'operator' | 'auditor'>): UserRole =>
  operator ? 'operator' : auditor ? 'auditor' : 'user'

/** Whether the user has rights over the whole server: an operator or an auditor. */
export const hasServerRole = (user: Pick<User, 'operator' | 'auditor'>): boolean => roleOf(user) !== 'user'

/** Maximum sessions per user; the oldest end first. */
export const SESSIONS_MAX = 100
/** Maximum unused links per user. */
export const LINKS_MAX = 20

/** Names ignore case, surrounding spaces and Unicode composition. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()
