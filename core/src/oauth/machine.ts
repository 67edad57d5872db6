import type { Key } from '../account/account.ts'
import type { Digest } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { OAuthRefusal } from './checks.ts'
import type { IssueMachineToken, RevokeMachineToken } from './commands.ts'
import type { MachineTokenIssued, MachineTokenRevoked } from './events.ts'
import { MACHINE_TOKEN_LIFE } from './lives.ts'

/** For a partner's key. A signed assertion gets one token and no second. */
export function issueMachineToken(
  view: View,
  { at }: Moment,
  { keyId, token, assertion }: IssueMachineToken,
): Result<[MachineTokenIssued], OAuthRefusal> {
  if (view.keys.get(keyId)?.owner.kind !== 'partner') return fail({ code: 'oauthClientRefused' })
  if (assertion && view.assertions.has(assertion.digest)) return fail({ code: 'oauthAssertionUsed' })
  const sealed = { keyId, token, ...(assertion ? { assertion } : {}) }
  return ok([{ kind: 'machineTokenIssued', at, expiresAt: (at + MACHINE_TOKEN_LIFE) as Instant, sealed }])
}

export function revokeMachineToken(
  view: View,
  { at }: Moment,
  { keyId, token }: RevokeMachineToken,
): Result<MachineTokenRevoked[], never> {
  const isTheirs = view.machineTokens.get(token)?.keyId === keyId
  return ok(isTheirs ? [{ kind: 'machineTokenRevoked', at, sealed: { token } }] : [])
}

/** The key a machine's token stands for; none once it has ended or the key is gone. */
export function machineOf(view: View, digest: Digest, at: Instant): Key | undefined {
  const token = view.machineTokens.get(digest)
  return token && token.expiresAt > at ? view.keys.get(token.keyId) : undefined
}
