import { definedFields } from '../defined-fields.ts'
import type { Appliers } from '../handlers.ts'
import type { AppId, SecretId } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { App } from './app.ts'
import { addToken, dropToken, endGrant } from './apply-tokens.ts'
import type { CodeExchanged, TokenRefreshed } from './events.ts'
import { CODE_RETENTION } from './lifetimes.ts'

export const appAppliers = {
  appRegistered(state, { at, app, sealed: { clientId, secret } }) {
    const { id } = app
    const secrets = secret ? [{ id: id as string as SecretId, digest: secret, createdAt: at }] : []
    state.apps.set(id, { ...app, clientId, secrets })
    state.clientIds.set(clientId, id)
  },

  appStatusChanged: (state, { appId, status }) => changeApp(state, appId, { status }),

  appChanged(state, { appId, change, cleared = [] }) {
    const changed = { ...found(state.apps.get(appId), appId), ...change }
    for (const setting of cleared) delete changed[setting]
    state.apps.set(appId, changed)
  },

  appSecretAdded(state, { at, appId, secretId: id, othersUntil, sealed }) {
    const others = found(state.apps.get(appId), appId).secrets.map((secret) =>
      othersUntil === undefined || (secret.expiresAt ?? othersUntil) < othersUntil
        ? secret
        : { ...secret, expiresAt: othersUntil },
    )
    const kept = others.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
    changeApp(state, appId, { secrets: [...kept, { id, digest: sealed.secret, createdAt: at }] })
  },

  appSecretRemoved(state, { appId, secretId }) {
    const { secrets } = found(state.apps.get(appId), appId)
    changeApp(state, appId, { secrets: secrets.filter(({ id }) => id !== secretId) })
  },

  appDeleted(state, { appId, grants, sealed }) {
    for (const grantId of grants) endGrant(state, grantId)
    state.clientIds.delete(sealed.clientId)
    state.apps.delete(appId)
  },

  failedAttemptLimitReached() {},
} satisfies Appliers

function changeApp(state: State, id: AppId, changed: Partial<App>): void {
  state.apps.set(id, { ...found(state.apps.get(id), id), ...changed })
}

export const grantAppliers = {
  codeIssued(state, { at, grant, redirectUri, expiresAt, challenge, sealed }) {
    dropExpired(state, at)
    state.grants.set(grant.id, grant)
    const bound = definedFields({ challenge })
    const code = { grantId: grant.id, appId: grant.appId, redirectUri, expiresAt, used: false, ...bound }
    state.codes.set(sealed.code, code)
  },

  tokenIssued(state, { at, grant, tokenId: id, expiresAt, sealed }) {
    state.grants.set(grant.id, grant)
    const ends = definedFields({ expiresAt })
    addToken(state, { id, grantId: grant.id, digest: sealed.token, createdAt: at, ...ends })
  },

  codeExchanged(state, event) {
    const code = found(state.codes.get(event.sealed.code), 'the code')
    state.codes.set(event.sealed.code, { ...code, used: true })
    addPair(state, event)
  },

  tokenRefreshed(state, event) {
    useRefreshTokens(state, event)
    for (const id of event.dropped ?? []) dropToken(state, id)
    addPair(state, event)
  },

  codeReplayed: (state, { grantId }) => endGrant(state, grantId),
  refreshReplayed: (state, { grantId }) => endGrant(state, grantId),
  grantRevoked: (state, { grantId }) => endGrant(state, grantId),

  consentWithdrawn(state, { grants }) {
    for (const grantId of grants) endGrant(state, grantId)
  },

  tokenRevoked: (state, { tokenId }) => dropToken(state, tokenId),
  tokenExpired: (state, { tokenId }) => dropToken(state, tokenId),

  grantUsed(state, { at, grantId }) {
    state.grants.set(grantId, { ...found(state.grants.get(grantId), grantId), lastUsedAt: at })
  },

  consentRefused() {},
} satisfies Appliers

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

export const machineAppliers = {
  machineTokenIssued(state, { at, expiresAt, sealed: { keyId, token, assertion } }) {
    // All have the same lifetime, so the oldest are first.
    for (const [digest, known] of state.machineTokens) {
      if (known.expiresAt > at) break
      state.machineTokens.delete(digest)
    }
    state.machineTokens.set(token, { keyId, createdAt: at, expiresAt })
    if (!assertion) return
    // Lifetimes are similar, so the scan stops at the first one that has not expired.
    for (const [digest, ends] of state.assertions) {
      if (ends > assertion.now) break
      state.assertions.delete(digest)
    }
    state.assertions.set(assertion.digest, assertion.expiresAt)
  },

  machineTokenRevoked: (state, { sealed }) => state.machineTokens.delete(sealed.token),
} satisfies Appliers
