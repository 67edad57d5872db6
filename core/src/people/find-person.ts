import type { AccountId, PartnerId, PersonId } from '../ids.ts'
import type { View } from '../state.ts'
import { nameKey, type Person } from './person.ts'

/** Includes disabled people. */
export function personByName(view: View, name: string): Person | undefined {
  const id = view.personNames.get(nameKey(name))
  return id && view.people.get(id)
}

/**
 * Returns a person by id or name, if the caller may see them. A partner sees people with an open account at
 * that partner; without a partner, everyone is visible. All accounts are searched even for an unknown name,
 * so that the response time does not reveal whether the person exists.
 */
export function personFor(view: View, nameOrId: string, partnerId?: PartnerId): Person | undefined {
  const person = view.people.get(nameOrId as PersonId) ?? personByName(view, nameOrId)
  if (partnerId === undefined) return person
  const isTheirs = [...view.accounts.values()].some(
    (account) => account.partnerId === partnerId && owns(view, person?.id ?? NOBODY, account.id),
  )
  return isTheirs ? person : undefined
}

const NOBODY = '' as PersonId

/** Whether the person owns this open account. Custody accounts have no owner. */
export function owns(view: View, personId: PersonId, accountId: AccountId | undefined): boolean {
  const account = accountId && view.accounts.get(accountId)
  return account?.personId === personId && account?.closedAt === undefined && account?.issuer === undefined
}
