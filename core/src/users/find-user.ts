import { type AccountId, newIdOf, type PartnerId, type UserId } from '../ids.ts'
import { lookUp } from '../result.ts'
import type { View } from '../state/state.ts'
import { nameKey, type User } from './user.ts'

/** Includes disabled users. */
export function userByName(view: View, name: string): User | undefined {
  const id = view.userNames.get(nameKey(name))
  return id && view.users.get(id)
}

/**
 * Returns a user by id or name, if the caller may see them. A partner sees users with an open account at
 * that partner; without a partner, everyone is visible. All accounts are searched even for an unknown name,
 * so that the response time does not reveal whether the user exists.
 */
export function userFor(view: View, nameOrId: string, partnerId?: PartnerId): User | undefined {
  const user = lookUp(view.users, nameOrId) ?? userByName(view, nameOrId)
  if (partnerId === undefined) return user
  const isCustomer = [...view.accounts.values()].some(
    (account) => account.partnerId === partnerId && owns(view, user?.id ?? NOBODY, account.id),
  )
  return isCustomer ? user : undefined
}

const NOBODY: UserId = newIdOf('')

/** Whether the user owns this open account. Custody accounts have no owner. */
export function owns(view: View, userId: UserId, accountId: AccountId | undefined): boolean {
  return (
    accountId !== undefined &&
    view.accounts.get(accountId)?.userId === userId &&
    isOpenAccount(view, accountId)
  )
}

/** Whether this is an open account of a customer, not a custody account. */
export function isOpenAccount(view: View, accountId: AccountId): boolean {
  const account = view.accounts.get(accountId)
  return account !== undefined && account.closedAt === undefined && account.issuer === undefined
}
