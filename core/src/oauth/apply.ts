import { definedFields } from '../defined-fields.ts'
import type { SecretId } from '../ids.ts'
import { found, unreachable } from '../result.ts'
import type { State } from '../state.ts'
import type { Instant } from '../time.ts'
import { addToken, dropToken, endGrant } from './apply-tokens.ts'
import type {
  AppEvent,
  CodeExchanged,
  CodeIssued,
  GrantEvent,
  MachineEvent,
  TokenRefreshed,
} from './events.ts'
import { CODE_RETENTION } from './lifetimes.ts'

export function applyApp(state: State, event: AppEvent): void {
  if (event.kind === 'failedAttemptLimitReached') return
  if (event.kind === 'appRegistered') {
    const { clientId, secret } = event.sealed
    const { id } = event.app
    const secrets = secret ? [{ id: id as string as SecretId, digest: secret, createdAt: event.at }] : []
    state.apps.set(id, { ...event.app, clientId, secrets })
    state.clientIds.set(clientId, id)
    return
  }
  const app = found(state.apps.get(event.appId), event.appId)
  switch (event.kind) {
    case 'appStatusChanged':
      return void state.apps.set(app.id, { ...app, status: event.status })
    case 'appChanged': {
      const changed = { ...app, ...event.change }
      for (const setting of event.cleared ?? []) delete changed[setting]
      return void state.apps.set(app.id, changed)
    }
    case 'appSecretAdded': {
      const { othersUntil, secretId: id } = event
      const others = app.secrets.map((secret) =>
        othersUntil === undefined || (secret.expiresAt ?? othersUntil) < othersUntil
          ? secret
          : { ...secret, expiresAt: othersUntil },
      )
      const kept = others.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > event.at)
      const added = { id, digest: event.sealed.secret, createdAt: event.at }
      return void state.apps.set(app.id, { ...app, secrets: [...kept, added] })
    }
    case 'appSecretRemoved': {
      const secrets = app.secrets.filter(({ id }) => id !== event.secretId)
      return void state.apps.set(app.id, { ...app, secrets })
    }
    case 'appDeleted':
      for (const grantId of event.grants) endGrant(state, grantId)
      state.clientIds.delete(event.sealed.clientId)
      state.apps.delete(app.id)
      return
    default:
      return unreachable(event)
  }
}

export function applyGrant(state: State, event: GrantEvent): void {
  switch (event.kind) {
    case 'codeIssued':
      return issueCode(state, event)
    case 'tokenIssued': {
      const { at, grant, tokenId: id, expiresAt } = event
      state.grants.set(grant.id, grant)
      const ends = definedFields({ expiresAt })
      return addToken(state, { id, grantId: grant.id, digest: event.sealed.token, createdAt: at, ...ends })
    }
    case 'codeExchanged': {
      const code = found(state.codes.get(event.sealed.code), 'the code')
      state.codes.set(event.sealed.code, { ...code, used: true })
      return addPair(state, event)
    }
    case 'tokenRefreshed': {
      useRefreshTokens(state, event)
      for (const id of event.dropped ?? []) dropToken(state, id)
      return addPair(state, event)
    }
    case 'codeReplayed':
    case 'refreshReplayed':
    case 'grantRevoked':
      return endGrant(state, event.grantId)
    case 'consentWithdrawn':
      for (const grantId of event.grants) endGrant(state, grantId)
      return
    case 'tokenRevoked':
    case 'tokenExpired':
      return dropToken(state, event.tokenId)
    case 'grantUsed': {
      const grant = found(state.grants.get(event.grantId), event.grantId)
      return void state.grants.set(grant.id, { ...grant, lastUsedAt: event.at })
    }
    case 'consentRefused':
      return
    default:
      return unreachable(event)
  }
}

function issueCode(state: State, { at, grant, redirectUri, expiresAt, challenge, sealed }: CodeIssued): void {
  dropExpired(state, at)
  state.grants.set(grant.id, grant)
  const bound = definedFields({ challenge })
  const code = { grantId: grant.id, appId: grant.appId, redirectUri, expiresAt, used: false, ...bound }
  state.codes.set(sealed.code, code)
}

/**
 * Marks a grant's refresh tokens after a refresh. Fresh ones become used together, so that only one of two
 * pairs can be refreshed; used ones become spent. A repeated refresh keeps fresh ones, because they are its
 * twins.
 */
function useRefreshTokens(state: State, { at, grantId, repeated }: TokenRefreshed): void {
  for (const id of found(state.grants.get(grantId), grantId).tokens) {
    const token = found(state.tokens.get(id), id)
    if (token.refresh === 'used') state.tokens.set(id, { ...token, refresh: 'spent' })
    else if (token.refresh === 'fresh' && !repeated)
      state.tokens.set(id, { ...token, refresh: 'used', usedAt: at })
  }
}

/** Adds an access token and its refresh token. */
function addPair(state: State, event: CodeExchanged | TokenRefreshed): void {
  const { at, grantId, tokenId, expiresAt, refreshId, refreshExpiresAt, sealed } = event
  addToken(state, {
    id: tokenId,
    grantId,
    digest: sealed.token,
    createdAt: at,
    ...definedFields({
      expiresAt,
      narrowed: event.kind === 'tokenRefreshed' ? event.narrowed : undefined,
    }),
  })
  if (refreshId === undefined || sealed.refresh === undefined) return
  addToken(state, {
    id: refreshId,
    grantId,
    digest: sealed.refresh,
    createdAt: at,
    refresh: 'fresh',
    ...definedFields({ expiresAt: refreshExpiresAt }),
  })
}

/**
 * Deletes codes some time after their expiry. An expired code is refused like an unknown one; it is kept
 * longer because reuse of a used code indicates theft. All codes have the same lifetime, so the oldest are
 * first. A grant without tokens is deleted with its code.
 */
function dropExpired(state: State, at: Instant): void {
  for (const [digest, { expiresAt, grantId }] of state.codes) {
    if (expiresAt + CODE_RETENTION > at) return
    state.codes.delete(digest)
    if (state.grants.get(grantId)?.tokens.length === 0) state.grants.delete(grantId)
  }
}

export function applyMachine(state: State, event: MachineEvent): void {
  if (event.kind === 'machineTokenRevoked') return void state.machineTokens.delete(event.sealed.token)
  const { at, expiresAt } = event
  // All have the same lifetime, so the oldest are first.
  for (const [digest, token] of state.machineTokens) {
    if (token.expiresAt > at) break
    state.machineTokens.delete(digest)
  }
  const { keyId, token, assertion } = event.sealed
  state.machineTokens.set(token, { keyId, createdAt: at, expiresAt })
  if (!assertion) return
  // Lifetimes are similar, so the scan stops at the first one that has not expired.
  for (const [digest, ends] of state.assertions) {
    if (ends > assertion.now) break
    state.assertions.delete(digest)
  }
  state.assertions.set(assertion.digest, assertion.expiresAt)
}
