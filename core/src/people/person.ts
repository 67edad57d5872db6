import type { AccountId, PersonId, SessionId } from '../ids.ts'
import type { View } from '../state.ts'
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
  /** Signs in no more, and nobody acts for them. */
  readonly disabled?: boolean
}

/** A browser in which someone has signed in. It ends by the machine's clock, whatever time it is in the world. */
export type BrowserSession = {
  readonly id: SessionId
  readonly personId: PersonId
  readonly createdAt: Instant
  readonly endsAtMs: number
  /** The address it was begun from. */
  readonly from?: string
}

/** Signs one person in, once. */
export type SignInLink = { readonly personId: PersonId; readonly endsAtMs: number }

/** Case does not count in a name, nor do spaces around it. */
export const nameKey = (name: string): string => name.trim().toLowerCase()

/** The person of this name, disabled or not. */
export function personNamed(view: View, name: string): Person | undefined {
  const id = view.personNames.get(nameKey(name))
  return id && view.people.get(id)
}

/** Whether an account is this person's, and open. */
export function owns(view: View, personId: PersonId, accountId: AccountId | undefined): boolean {
  const account = accountId && view.accounts.get(accountId)
  return account !== undefined && account.personId === personId && account.closedAt === undefined
}
