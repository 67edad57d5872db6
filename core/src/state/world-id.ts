import type { Moment } from '../moment.ts'
import { hasId } from '../result.ts'
import type { View } from './state.ts'

/**
 * The number with which this event makes a free id of the world. It is 0, except after a reset: event numbers begin
 * again then, and the people, partners, apps and accounts that the reset has kept have their ids.
 */
export function freeNumber(view: View, { id }: Pick<Moment, 'id'>): number {
  for (let number = 0; ; number += 2) if (!isTaken(view, id('world', view.seq, number))) return number
}

function isTaken({ users, partners, apps, accounts }: View, id: string): boolean {
  if (hasId(users, id) || hasId(partners, id)) return true
  if (hasId(apps, id) || hasId(accounts, id)) return true
  return [...apps.values()].some(({ secrets }) => secrets.some((secret) => secret.id === id))
}
