import type { AccountId, PartnerId, PersonId } from '../ids.ts'
import type { View } from '../state.ts'
import { nameKey, type Person } from './person.ts'

/** The person of this name, disabled or not. */
export function personNamed(view: View, name: string): Person | undefined {
  const id = view.personNames.get(nameKey(name))
  return id && view.people.get(id)
}

/**
 * The person of this id or name, if the caller may name them. A partner may name people who have an open account with it;
 * without a partner everyone may be named. All accounts are searched even when nobody has the name, so that the time
 * of the answer does not reveal whether the person exists.
 */
export function personFor(view: View, named: string, partnerId?: PartnerId): Person | undefined {
  const person = view.people.get(named as PersonId) ?? personNamed(view, named)
  if (partnerId === undefined) return person
  const isTheirs = [...view.accounts.values()].some(
    (account) => account.partnerId === partnerId && owns(view, person?.id ?? NOBODY, account.id),
  )
  return isTheirs ? person : undefined
}

const NOBODY = '' as PersonId

/** Whether an account is this person's, open, and not one that keeps what tokens stand for. */
export function owns(view: View, personId: PersonId, accountId: AccountId | undefined): boolean {
  const account = accountId && view.accounts.get(accountId)
  return account?.personId === personId && account?.closedAt === undefined && account?.issuer === undefined
}
