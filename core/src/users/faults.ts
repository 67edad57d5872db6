import type { UserId } from '../ids.ts'
import type { View } from '../state.ts'
import { LINKS_MAX, nameKey, SESSIONS_MAX } from './user.ts'

/**
 * Checks the invariants of users, and returns each violation as text: names are indexed; sessions and links
 * belong to users who may sign in, within their limits; open accounts belong to existing users.
 */
export const userFaults = (view: View): string[] => [
  ...nameFaults(view),
  ...sessionFaults(view),
  ...ownerFaults(view),
]

function nameFaults({ users, userNames }: View): string[] {
  const lost = [...users.values()].filter(({ name }) => !userNames.has(nameKey(name)))
  const wrong = [...userNames].filter(([key, id]) => nameKey(users.get(id)?.name ?? '') !== key)
  return [
    ...lost.map(({ id }) => `user ${id} is not found by name`),
    ...wrong.map(([, id]) => `a name index leads to ${id}, who does not have that name`),
  ]
}

function sessionFaults(view: View): string[] {
  const faults: string[] = []
  const ids = [...view.sessions.values()].map(({ id }) => id)
  if (new Set(ids).size < ids.length) faults.push('two sessions have one id')
  for (const [what, max, map] of [
    ['sessions', SESSIONS_MAX, view.sessions],
    ['sign-in links', LINKS_MAX, view.signInLinks],
  ] as const) {
    const counts = new Map<UserId, number>()
    for (const { userId } of map.values()) counts.set(userId, (counts.get(userId) ?? 0) + 1)
    for (const [id, count] of counts) {
      if (!view.users.has(id)) faults.push(`${what} of ${id}, who does not exist`)
      if (what === 'sessions' && view.users.get(id)?.disabled)
        faults.push(`${what} of ${id}, who is disabled`)
      if (count > max) faults.push(`${count} ${what} of ${id}`)
    }
  }
  return faults
}

const ownerFaults = (view: View): string[] =>
  [...view.accounts.values()]
    .filter(({ userId, closedAt }) => userId && closedAt === undefined && !view.users.has(userId))
    .map(({ id, userId }) => `account ${id} belongs to ${userId}, who does not exist`)
