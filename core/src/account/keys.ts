import { itemsAt, schedule, unschedule } from '../agenda.ts'
import { definedFields } from '../defined-fields.ts'
import type { KeyId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { Key } from './account.ts'
import type { IssueKey, LimitKey, RevokeKey } from './commands.ts'
import type { KeyIssued, KeyLimited, KeyRevoked } from './events.ts'
import type { OpenRefusal } from './open.ts'

export function issueKey(
  view: View,
  { at }: Moment,
  { keyId, owner, digest, publicKey, chosen, expiresAt }: IssueKey,
): Result<[KeyIssued], OpenRefusal> {
  if (view.keys.has(keyId)) return fail({ code: 'keyTaken', keyId })
  const sealed = { keyId, digest, ...definedFields({ chosen }) }
  if (owner.kind === 'partner') {
    if (!view.partners.has(owner.partnerId)) return fail({ code: 'partnerNotFound' })
    return ok([{ kind: 'keyIssued', at, owner, ...definedFields({ publicKey, expiresAt }), sealed }])
  }
  if (!view.accounts.has(owner.accountId)) return fail({ code: 'accountNotFound' })
  return ok([
    { kind: 'keyIssued', at, accountId: owner.accountId, owner, ...definedFields({ expiresAt }), sealed },
  ])
}

export function revokeKey(
  view: View,
  { at }: Moment,
  { keyId }: RevokeKey,
): Result<[KeyRevoked], OpenRefusal> {
  const key = view.keys.get(keyId)
  if (!key) return fail({ code: 'keyNotFound', keyId })
  return ok([revokedEvent(key, at)])
}

export function limitKey(
  view: View,
  { at }: Moment,
  { keyId, expiresAt }: LimitKey,
): Result<KeyLimited[], OpenRefusal> {
  const key = view.keys.get(keyId)
  if (!key) return fail({ code: 'keyNotFound', keyId })
  if (key.expiresAt !== undefined && key.expiresAt <= expiresAt) return ok([])
  return ok([{ kind: 'keyLimited', at, ...ownerFields(key), expiresAt, sealed: { keyId } }])
}

/** Submitted by the world's clock when the key expires. */
export function expireKey(
  view: View,
  { at }: Moment,
  { keyId }: { readonly keyId: KeyId },
): Result<[KeyRevoked], never> {
  return ok([{ ...revokedEvent(found(view.keys.get(keyId), keyId), at), expired: true }])
}

const revokedEvent = (key: Key, at: Instant): KeyRevoked => ({
  kind: 'keyRevoked',
  at,
  ...ownerFields(key),
  sealed: { keyId: key.id },
})

const ownerFields = ({ owner }: Key) => (owner.kind === 'account' ? { accountId: owner.accountId } : {})

/** Whether the key has expired, even if no event has recorded the expiry yet. */
export const hasExpired = ({ expiresAt }: Key, at: Instant): boolean =>
  expiresAt !== undefined && expiresAt <= at

export function applyKey(state: State, event: KeyIssued | KeyRevoked | KeyLimited): void {
  const { keyId } = event.sealed
  if (event.kind === 'keyIssued') {
    const { owner, publicKey, expiresAt, at } = event
    state.keys.set(keyId, {
      id: keyId,
      owner,
      digest: event.sealed.digest,
      ...definedFields({ chosen: event.sealed.chosen, publicKey, expiresAt }),
      createdAt: at,
    })
    if (expiresAt !== undefined) schedule(state.agenda, expiresAt, { kind: 'expireKey', keyId })
    return
  }
  const key = found(state.keys.get(keyId), keyId)
  if (key.expiresAt !== undefined) unschedule(state.agenda, key.expiresAt, { kind: 'expireKey', keyId })
  if (event.kind === 'keyLimited') {
    const { expiresAt } = event
    state.keys.set(keyId, { ...key, expiresAt })
    return schedule(state.agenda, expiresAt, { kind: 'expireKey', keyId })
  }
  state.keys.delete(keyId)
  for (const [digest, token] of state.machineTokens)
    if (token.keyId === keyId) state.machineTokens.delete(digest)
}

/** Checks that every key with an expiry has exactly one agenda item, at that time. */
export function keyFaults({ agenda, keys }: View): string[] {
  const expiries = new Map<KeyId, Instant>()
  const faults: string[] = []
  for (const due of agenda.dues)
    for (const item of itemsAt(agenda, due)) {
      if (item.kind !== 'expireKey') continue
      if (expiries.has(item.keyId)) faults.push(`key ${item.keyId} expires twice on the agenda`)
      expiries.set(item.keyId, due)
      if (!keys.has(item.keyId)) faults.push(`the agenda expires ${item.keyId}, which does not exist`)
    }
  for (const { id, expiresAt } of keys.values())
    if (expiries.get(id) !== expiresAt) faults.push(`key ${id} is not on the agenda at its expiry`)
  return faults
}
