import type { Digest, PersonId } from '../ids.ts'
import { endGrant } from '../oauth/apply-tokens.ts'
import { found, unreachable } from '../result.ts'
import type { State } from '../state.ts'
import type {
  AccountAssigned,
  PeopleEvent,
  PersonAdded,
  PersonChanged,
  SignedIn,
  SignedOut,
  SignInLinkIssued,
} from './events.ts'
import { LINKS_MAX, nameKey, SESSIONS_MAX } from './person.ts'

export function applyPeople(state: State, event: PeopleEvent): void {
  switch (event.kind) {
    case 'personAdded':
      return addPerson(state, event)
    case 'personChanged':
      return change(state, event)
    case 'personRemoved':
      return removePerson(state, event.personId)
    case 'accountAssigned':
      return assign(state, event)
    case 'signInLinkIssued':
      return addLink(state, event)
    case 'signedIn':
      return signIn(state, event)
    case 'signInFailed':
    case 'addressesErased':
      return
    case 'signedOut':
      return signOut(state, event)
    case 'operatorRightsRaised': {
      const { session: digest, untilMs: operatorUntilMs } = event.sealed
      const session = found(state.sessions.get(digest), event.sessionId)
      return void state.sessions.set(digest, { ...session, operatorUntilMs })
    }
    case 'operatorRightsDropped':
      return dropRights(state, event.sealed.session)
    default:
      return unreachable(event)
  }
}

function addPerson(state: State, { at, personId: id, name, operator, sealed }: PersonAdded): void {
  state.people.set(id, {
    id,
    name,
    password: sealed.password,
    createdAt: at,
    ...(operator ? { operator } : {}),
  })
  state.personNames.set(nameKey(name), id)
}

function removePerson(state: State, personId: PersonId): void {
  endSessions(state, personId)
  state.personNames.delete(nameKey(found(state.people.get(personId), personId).name))
  state.people.delete(personId)
}

function addLink(state: State, { personId, operator, sealed }: SignInLinkIssued): void {
  const { link, nowMs, endsAtMs } = sealed
  makeRoom(state.signInLinks, personId, nowMs, LINKS_MAX)
  state.signInLinks.set(link, { personId, endsAtMs, ...(operator ? { operator } : {}) })
}

function signIn(state: State, { at, personId, sessionId: id, sealed }: SignedIn): void {
  const { session, link, nowMs, endsAtMs, from } = sealed
  makeRoom(state.sessions, personId, nowMs, SESSIONS_MAX)
  if (link) state.signInLinks.delete(link)
  state.sessions.set(session, { id, personId, createdAt: at, endsAtMs, ...(from ? { from } : {}) })
}

function signOut(state: State, { sessions }: SignedOut): void {
  const ended = new Set(sessions)
  for (const [digest, { id }] of state.sessions) if (ended.has(id)) state.sessions.delete(digest)
}

function dropRights(state: State, digest: Digest): void {
  const { operatorUntilMs: _, ...session } = found(state.sessions.get(digest), 'the session')
  state.sessions.set(digest, session)
}

function change(state: State, { personId, name, operator, disabled, endsSessions, sealed }: PersonChanged) {
  const person = found(state.people.get(personId), personId)
  if (name !== undefined) {
    state.personNames.delete(nameKey(person.name))
    state.personNames.set(nameKey(name), personId)
  }
  state.people.set(personId, {
    ...person,
    ...(name === undefined ? {} : { name }),
    ...(operator === undefined ? {} : { operator }),
    ...(disabled === undefined ? {} : { disabled }),
    ...sealed,
  })
  if (endsSessions) endSessions(state, personId)
  // A person who becomes an operator again must raise the rights again.
  if (operator === false)
    for (const [digest, session] of state.sessions)
      if (session.personId === personId) dropRights(state, digest)
}

function assign(state: State, { accountId, personId, ended }: AccountAssigned): void {
  for (const grantId of ended) endGrant(state, grantId)
  const { personId: _, ...account } = found(state.accounts.get(accountId), accountId)
  state.accounts.set(accountId, { ...account, ...(personId ? { personId } : {}) })
}

/** Deletes a person's sessions and sign-in links. */
function endSessions(state: State, personId: PersonId): void {
  for (const [digest, session] of state.sessions)
    if (session.personId === personId) state.sessions.delete(digest)
  for (const [digest, link] of state.signInLinks)
    if (link.personId === personId) state.signInLinks.delete(digest)
}

type Ending = { readonly personId: PersonId; readonly endsAtMs: number }

/** Deletes expired entries, then this person's oldest entries beyond the limit. */
function makeRoom<Entry extends Ending>(
  map: Map<Digest, Entry>,
  whose: PersonId,
  nowMs: number,
  most: number,
): void {
  const theirs: Digest[] = []
  for (const [digest, { personId, endsAtMs }] of map)
    if (endsAtMs <= nowMs) map.delete(digest)
    else if (personId === whose) theirs.push(digest)
  for (const digest of theirs.slice(0, Math.max(0, theirs.length - most + 1))) map.delete(digest)
}
