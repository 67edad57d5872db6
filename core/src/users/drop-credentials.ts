import { keyOwnerId, withoutExpiry } from '../account/keys.ts'
import { definedFields } from '../defined-fields.ts'
import type { Appliers, Deciders } from '../handlers.ts'
import { endGrant } from '../oauth/apply-tokens.ts'
import { ok } from '../result.ts'
import type { State, View } from '../state/state.ts'
import type { User } from './user.ts'

/**
 * Copies of a world carry no password, session or right:
 *   reset  the world begins again: people lose password, sessions, links and rights; keys of accounts and partners stay
 *   copy   a fork or a loaded world: keys, tokens, codes, consents and the description of the original end too
 * People stay as owners of accounts, and apps stay registered.
 */
export const credentialDeciders = {
  dropCredentials(view, { at }, { of }) {
    const hasSome = hasPeople(view) || (of === 'copy' && hasOthers(view))
    return ok(hasSome ? [{ kind: 'credentialsDropped', at, of }] : [])
  },
} satisfies Deciders

const hasPeople = ({ users, sessions, signInLinks }: View): boolean =>
  sessions.size + signInLinks.size > 0 || [...users.values()].some((user) => !isWithoutRights(user))

const isWithoutRights = (user: User): boolean =>
  user.password === '' && Object.keys(user).length === Object.keys(withoutRights(user)).length

const hasOthers = ({ keys, machineTokens, codes, grants, apps, description }: View): boolean =>
  keys.size + machineTokens.size + codes.size + grants.size > 0 ||
  description !== undefined ||
  [...apps.values()].some(({ isCopied }) => isCopied === undefined)

export const credentialAppliers = {
  credentialsDropped(state, { of }) {
    for (const [id, user] of state.users) state.users.set(id, withoutRights(user))
    state.sessions.clear()
    state.signInLinks.clear()
    if (of === 'copy') dropOthers(state)
  },
} satisfies Appliers

/** Names what stays, so that a new field of a user is not copied by mistake. */
const withoutRights = ({ id, name, createdAt, disabled }: User): User => ({
  id,
  name,
  createdAt,
  password: '',
  ...definedFields({ disabled }),
})

function dropOthers(state: State): void {
  for (const [id, app] of state.apps) state.apps.set(id, { ...app, isCopied: true })
  for (const id of [...state.grants.keys()]) endGrant(state, id)
  state.codes.clear()
  state.machineTokens.clear()
  for (const { id, owner } of state.keys.values()) {
    withoutExpiry(state, id)
    const ownerId = keyOwnerId(owner)
    state.formerKeys.set(ownerId, [...(state.formerKeys.get(ownerId) ?? []), id])
  }
  state.keys.clear()
  state.description = undefined
}
