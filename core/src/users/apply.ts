import { definedFields } from '../defined-fields.ts'
import type { Appliers } from '../handlers.ts'
import type { Digest, UserId } from '../ids.ts'
import { endGrant } from '../oauth/apply-tokens.ts'
import { found } from '../result.ts'
import type { State, View } from '../state/state.ts'
import { LINKS_MAX, nameKey, roleOf, SESSIONS_MAX, signInEpochOf } from './user.ts'

export const userAppliers = {
  userAdded(state, { at, userId: id, name, operator, auditor, sealed }) {
    const rights = definedFields({ operator, auditor })
    state.users.set(id, { id, name, password: sealed.password, createdAt: at, ...rights })
    state.userNames.set(nameKey(name), id)
  },

  userChanged(state, { userId, name, operator, auditor, disabled, endsSessions, sealed }) {
    const user = found(state.users.get(userId), userId)
    if (name !== undefined) {
      state.userNames.delete(nameKey(user.name))
      state.userNames.set(nameKey(name), userId)
    }
    const changes = definedFields({ name, operator, auditor, disabled })
    const changed = { ...user, ...changes, ...sealed }
    state.users.set(userId, changed)
    if (endsSessions) endSessions(state, userId)
    // The rights of the earlier role end, also if the user gets it again.
    if (roleOf(changed) !== roleOf(user))
      for (const [digest, session] of state.sessions) if (session.userId === userId) dropRights(state, digest)
  },

  userRemoved(state, { userId }) {
    endSessions(state, userId)
    state.userNames.delete(nameKey(found(state.users.get(userId), userId).name))
    state.users.delete(userId)
  },

  accountAssigned(state, { accountId, userId, ended }) {
    for (const grantId of ended) endGrant(state, grantId)
    const { userId: _, ...account } = found(state.accounts.get(accountId), accountId)
    state.accounts.set(accountId, { ...account, ...definedFields({ userId }) })
  },

  signInLinkIssued(state, { userId, operator, sealed }) {
    const { link, nowMs, endsAtMs, mainEpoch } = sealed
    prune(state.signInLinks, userId, nowMs, LINKS_MAX)
    state.signInLinks.set(link, { userId, endsAtMs, ...definedFields({ operator, mainEpoch }) })
  },

  signedIn(state, { at, userId, sessionId: id, sealed }) {
    const { session, link, nowMs, endsAtMs, from, mainEpoch } = sealed
    prune(state.sessions, userId, nowMs, SESSIONS_MAX)
    if (link) state.signInLinks.delete(link)
    state.sessions.set(session, {
      id,
      userId,
      createdAt: at,
      endsAtMs,
      ...definedFields({ from, mainEpoch }),
    })
  },

  signInFailed() {},
  addressesErased() {},

  signedOut(state, { userId, sessions, endsSessions }) {
    if (endsSessions) return endSessions(state, userId)
    const ended = new Set(sessions)
    for (const [digest, { id }] of state.sessions) if (ended.has(id)) state.sessions.delete(digest)
  },

  operatorRightsRaised(state, { sessionId, sealed: { session: digest, untilMs: operatorUntilMs } }) {
    state.sessions.set(digest, { ...found(state.sessions.get(digest), sessionId), operatorUntilMs })
  },

  operatorRightsDropped: (state, { sealed }) => dropRights(state, sealed.session),
} satisfies Appliers

function dropRights(state: State, digest: Digest): void {
  const { operatorUntilMs: _, ...session } = found(state.sessions.get(digest), 'the session')
  state.sessions.set(digest, session)
}

/** Deletes a user's sessions and sign-in links. Those in copies of this world end with the number. */
function endSessions(state: State, userId: UserId): void {
  const user = found(state.users.get(userId), userId)
  state.users.set(userId, { ...user, signInEpoch: signInEpochOf(user) + 1 })
  for (const [digest, session] of state.sessions) if (session.userId === userId) state.sessions.delete(digest)
  for (const [digest, link] of state.signInLinks) if (link.userId === userId) state.signInLinks.delete(digest)
}

type Ending = { readonly userId: UserId; readonly endsAtMs: number }

/** Deletes expired entries, then this user's oldest entries beyond the limit. */
function prune<Entry extends Ending>(
  map: Map<Digest, Entry>,
  owner: UserId,
  nowMs: number,
  max: number,
): void {
  const digests: Digest[] = []
  for (const [digest, { userId, endsAtMs }] of map)
    if (endsAtMs <= nowMs) map.delete(digest)
    else if (userId === owner) digests.push(digest)
  for (const digest of digests.slice(0, Math.max(0, digests.length - max + 1))) map.delete(digest)
}

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
