import type { Digest, GrantId, TokenId } from '../ids.ts'
import { found, unreachable } from '../result.ts'
import type { State } from '../state.ts'
import type { Instant } from '../time.ts'
import type { OAuthEvent } from './events.ts'

export function applyOAuth(state: State, event: OAuthEvent): void {
  switch (event.kind) {
    case 'appRegistered': {
      const { clientId, secret } = event.sealed
      const secrets = [{ digest: secret, createdAt: event.at }]
      state.apps.set(event.app.id, { ...event.app, clientId, secrets })
      state.clientIds.set(clientId, event.app.id)
      return
    }
    case 'appStatusChanged': {
      const app = found(state.apps.get(event.appId), event.appId)
      state.apps.set(app.id, { ...app, status: event.status })
      return
    }
    case 'codeIssued': {
      dropExpired(state, event.at)
      const { grant, redirectUri, expiresAt } = event
      state.grants.set(grant.id, grant)
      const code = { grantId: grant.id, appId: grant.appId, redirectUri, expiresAt, used: false }
      state.codes.set(event.sealed.code, code)
      return
    }
    case 'tokenIssued':
      state.grants.set(event.grant.id, event.grant)
      return addToken(state, event.grant.id, event.tokenId, event.sealed.token, event.at)
    case 'codeExchanged': {
      const code = found(state.codes.get(event.sealed.code), 'the code')
      state.codes.set(event.sealed.code, { ...code, used: true })
      return addToken(state, event.grantId, event.tokenId, event.sealed.token, event.at)
    }
    case 'codeReplayed':
      for (const id of event.revoked) dropToken(state, id)
      state.grants.delete(event.grantId)
      return
    case 'tokenRevoked':
      dropToken(state, event.tokenId)
      if (found(state.grants.get(event.grantId), event.grantId).tokens.length === 0)
        state.grants.delete(event.grantId)
      return
    default:
      return unreachable(event)
  }
}

function addToken(state: State, grantId: GrantId, id: TokenId, digest: Digest, createdAt: Instant): void {
  const grant = found(state.grants.get(grantId), grantId)
  state.grants.set(grantId, { ...grant, tokens: [...grant.tokens, id] })
  state.tokens.set(id, { id, grantId, digest, createdAt })
  state.tokenDigests.set(digest, id)
}

function dropToken(state: State, id: TokenId): void {
  const { digest, grantId } = found(state.tokens.get(id), id)
  state.tokens.delete(id)
  state.tokenDigests.delete(digest)
  const grant = found(state.grants.get(grantId), grantId)
  state.grants.set(grantId, { ...grant, tokens: grant.tokens.filter((token) => token !== id) })
}

/**
 * An expired code is refused like an unknown one, so nothing changes by letting it go. Codes all live equally long:
 * the oldest stand first. A grant on which no token came to stand goes with its code.
 */
function dropExpired(state: State, at: Instant): void {
  for (const [digest, { expiresAt, grantId }] of state.codes) {
    if (expiresAt > at) return
    state.codes.delete(digest)
    if (state.grants.get(grantId)?.tokens.length === 0) state.grants.delete(grantId)
  }
}
