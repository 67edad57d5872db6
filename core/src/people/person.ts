import type { PersonId, SessionId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** Someone who signs in, and whose accounts apps may be allowed to act for. */
export type Person = {
  readonly id: PersonId
  readonly name: string
  /** A slow digest; people choose their passwords themselves. */
  readonly password: string
  readonly createdAt: Instant
  /** May steer every world. */
  readonly operator?: boolean
  /** Does not sign in, and no app acts for them, until they are enabled again. */
  readonly disabled?: boolean
}

/** A browser in which someone has signed in. It ends by the machine's clock, whatever time it is in the world. */
export type BrowserSession = {
  readonly id: SessionId
  readonly personId: PersonId
  readonly createdAt: Instant
  readonly endsAtMs: number
  /** A reference to the address it was begun from. */
  readonly from?: string
  /** Until when it may act as an operator, by the machine's clock. Absent: it may not. */
  readonly operatorUntilMs?: number
}

/** Signs one person in, once. */
export type SignInLink = {
  readonly personId: PersonId
  readonly endsAtMs: number
  /** The session may act as an operator for a while. */
  readonly operator?: boolean
}

/** So many browsers may one person be signed in at; the oldest are signed out first. */
export const SESSIONS_MAX = 100
/** So many links may wait for one person. */
export const LINKS_MAX = 20

/** Case does not count in a name, nor do spaces around it, nor how its accents were typed. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()
