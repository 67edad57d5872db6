import type { PersonId } from '../ids.ts'
import type { View } from '../state.ts'
import { LINKS_MAX, nameKey, SESSIONS_MAX } from './person.ts'

/**
 * Checks the invariants of people, and returns each violation as text: names are indexed; sessions and links
 * belong to people who may sign in, within their limits; open accounts belong to existing people.
 */
export const peopleFaults = (view: View): string[] => [
  ...nameFaults(view),
  ...sessionFaults(view),
  ...ownerFaults(view),
]

function nameFaults({ people, personNames }: View): string[] {
  const lost = [...people.values()].filter(({ name }) => !personNames.has(nameKey(name)))
  const wrong = [...personNames].filter(([key, id]) => nameKey(people.get(id)?.name ?? '') !== key)
  return [
    ...lost.map(({ id }) => `person ${id} is not found by name`),
    ...wrong.map(([, id]) => `a name leads to ${id}, who does not have it`),
  ]
}

function sessionFaults(view: View): string[] {
  const faults: string[] = []
  const ids = [...view.sessions.values()].map(({ id }) => id)
  if (new Set(ids).size < ids.length) faults.push('two sessions have one id')
  for (const [what, most, map] of [
    ['sessions', SESSIONS_MAX, view.sessions],
    ['sign-in links', LINKS_MAX, view.signInLinks],
  ] as const) {
    const counts = new Map<PersonId, number>()
    for (const { personId } of map.values()) counts.set(personId, (counts.get(personId) ?? 0) + 1)
    for (const [id, count] of counts) {
      if (!view.people.has(id)) faults.push(`${what} of ${id}, who does not exist`)
      if (what === 'sessions' && view.people.get(id)?.disabled)
        faults.push(`${what} of ${id}, who is disabled`)
      if (count > most) faults.push(`${count} ${what} of ${id}`)
    }
  }
  return faults
}

const ownerFaults = (view: View): string[] =>
  [...view.accounts.values()]
    .filter(({ personId, closedAt }) => personId && closedAt === undefined && !view.people.has(personId))
    .map(({ id, personId }) => `account ${id} belongs to ${personId}, who does not exist`)
