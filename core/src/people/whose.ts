import type { AccountId, PersonId } from '../ids.ts'
import type { View } from '../state.ts'
import { nameKey, type Person } from './person.ts'

/** The person of this name, disabled or not. */
export function personNamed(view: View, name: string): Person | undefined {
  const id = view.personNames.get(nameKey(name))
  return id && view.people.get(id)
}

/** Whether an account is this person's, open, and not one that keeps what tokens stand for. */
export function owns(view: View, personId: PersonId, accountId: AccountId | undefined): boolean {
  const account = accountId && view.accounts.get(accountId)
  return account?.personId === personId && account?.closedAt === undefined && account?.issuer === undefined
}
