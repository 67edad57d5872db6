import { expiryFaults, schedule, unschedule } from '../agenda.ts'
import { definedFields } from '../defined-fields.ts'
import type { Appliers, Deciders } from '../handlers.ts'
import type { KeyId } from '../ids.ts'
import { fail, found, ok } from '../result.ts'
import type { State, View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { Key, KeyOwner } from './account.ts'
import type { KeyRevoked } from './events.ts'
import type { OpenRefusal } from './open.ts'

export const keyDeciders = {
  issueKey(view, { at }, { keyId, owner, digest, publicKey, chosen, expiresAt }) {
    if (view.keys.has(keyId)) return fail({ code: 'keyTaken', keyId })
    const sealed = { keyId, digest, ...definedFields({ chosen }) }
    if (owner.kind !== 'account') {
      if (!view.partners.has(owner.partnerId)) return fail({ code: 'partnerNotFound' })
      return ok([{ kind: 'keyIssued', at, owner, ...definedFields({ publicKey, expiresAt }), sealed }])
    }
    if (!view.accounts.has(owner.accountId)) return fail({ code: 'accountNotFound' })
    return ok([
      { kind: 'keyIssued', at, accountId: owner.accountId, owner, ...definedFields({ expiresAt }), sealed },
    ])
  },

  revokeKey(view, { at }, { keyId, keepsOperator }) {
    const key = view.keys.get(keyId)
    if (!key) return fail({ code: 'keyNotFound', keyId })
    if (keepsOperator && isLastOperatorKey(view, key)) return fail({ code: 'lastOperatorKey' })
    return ok([revokedEvent(key, at)])
  },

  limitKey(view, { at }, { keyId, expiresAt }) {
    const key = view.keys.get(keyId)
    if (!key) return fail({ code: 'keyNotFound', keyId })
    if (key.expiresAt !== undefined && key.expiresAt <= expiresAt) return ok([])
    return ok([{ kind: 'keyLimited', at, ...ownerFields(key), expiresAt, sealed: { keyId } }])
  },

  /** Submitted by the world's clock when the key expires. */
  expireKey(view, { at }, { keyId }) {
    return ok([{ ...revokedEvent(found(view.keys.get(keyId), keyId), at), expired: true }])
  },
} satisfies Deciders<OpenRefusal>

/** Without an operator key nobody could create another one over the API. Keys that expire do not count. */
const isLastOperatorKey = ({ keys }: View, key: Key): boolean =>
  isOperatorKey(key) &&
  ![...keys.values()].some((other) => other.id !== key.id && isOperatorKey(other) && !other.expiresAt)

const isOperatorKey = ({ owner }: Key): boolean => owner.kind === 'partner' && owner.operator

const revokedEvent = (key: Key, at: Instant): KeyRevoked => ({
  kind: 'keyRevoked',
  at,
  ...ownerFields(key),
  sealed: { keyId: key.id },
})

/** The account or partner of a key. */
export const keyOwnerId = (owner: KeyOwner): string =>
  owner.kind === 'account' ? owner.accountId : owner.partnerId

const ownerFields = ({ owner }: Key) => (owner.kind === 'account' ? { accountId: owner.accountId } : {})

/** Whether the key has expired, even if no event has recorded the expiry yet. */
export const hasExpired = ({ expiresAt }: Key, at: Instant): boolean =>
  expiresAt !== undefined && expiresAt <= at

export const keyAppliers = {
  keyIssued(state, { at, owner, publicKey, expiresAt, sealed: { keyId: id, digest, chosen } }) {
    const fields = definedFields({ chosen, publicKey, expiresAt })
    state.keys.set(id, { id, owner, digest, ...fields, createdAt: at })
    if (expiresAt !== undefined) schedule(state.agenda, expiresAt, { kind: 'expireKey', keyId: id })
  },

  keyLimited(state, { expiresAt, sealed: { keyId } }) {
    state.keys.set(keyId, { ...withoutExpiry(state, keyId), expiresAt })
    schedule(state.agenda, expiresAt, { kind: 'expireKey', keyId })
  },

  keyRevoked(state, { sealed: { keyId } }) {
    withoutExpiry(state, keyId)
    state.keys.delete(keyId)
    for (const [digest, token] of state.machineTokens)
      if (token.keyId === keyId) state.machineTokens.delete(digest)
  },
} satisfies Appliers

/** A key, whose expiry is no longer on the agenda. */
export function withoutExpiry(state: State, keyId: KeyId): Key {
  const key = found(state.keys.get(keyId), keyId)
  if (key.expiresAt !== undefined) unschedule(state.agenda, key.expiresAt, { kind: 'expireKey', keyId })
  return key
}

/** Checks that every key with an expiry has exactly one agenda item, at that time. */
export const keyFaults = ({ agenda, keys }: View): string[] =>
  expiryFaults(agenda, 'key', keys, (item) => (item.kind === 'expireKey' ? item.keyId : undefined))
