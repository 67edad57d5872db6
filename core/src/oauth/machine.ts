import type { Key } from '../account/account.ts'
import { hasExpired } from '../account/keys.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { Digest, KeyId, PartnerId } from '../ids.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { type Instant, later } from '../time.ts'
import type { OAuthRefusal } from './checks.ts'
import { MACHINE_TOKEN_LIFETIME } from './lifetimes.ts'

export const machineDeciders = {
  /** Issues a token for a partner's key. A signed assertion is valid once. */
  issueMachineToken(view, { at }, { keyId, token, assertion }) {
    const partnerId = partnerOf(view, keyId)
    if (!partnerId) return fail({ code: 'oauthClientRefused' })
    if (assertion && view.assertions.has(assertion.digest)) return fail({ code: 'oauthAssertionUsed' })
    const sealed = { keyId, token, ...definedFields({ assertion }) }
    const expiresAt = later(at, MACHINE_TOKEN_LIFETIME)
    return ok([{ kind: 'machineTokenIssued', at, partnerId, expiresAt, sealed }])
  },

  revokeMachineToken(view, { at }, { keyId, token }) {
    const partnerId = partnerOf(view, keyId)
    const isTheirs = view.machineTokens.get(token)?.keyId === keyId
    return ok(
      partnerId && isTheirs ? [{ kind: 'machineTokenRevoked', at, partnerId, sealed: { token } }] : [],
    )
  },
} satisfies Deciders<OAuthRefusal>

/** The partner that owns a key, if any. */
function partnerOf(view: View, keyId: KeyId): PartnerId | undefined {
  const owner = view.keys.get(keyId)?.owner
  return owner?.kind === 'partner' ? owner.partnerId : undefined
}

/** The key of a machine token; undefined if the token or the key has expired or was revoked. */
export function keyOfMachineToken(view: View, digest: Digest, at: Instant): Key | undefined {
  const token = view.machineTokens.get(digest)
  const key = token && token.expiresAt > at ? view.keys.get(token.keyId) : undefined
  return key && !hasExpired(key, at) ? key : undefined
}
