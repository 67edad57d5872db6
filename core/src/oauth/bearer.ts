import type { Digest } from '../ids.ts'
import { found } from '../result.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { App, Grant, Token } from './app.ts'
import type { Scope } from './scopes.ts'

export type Bearer = {
  readonly app: App
  readonly grant: Grant
  readonly token: Token
  readonly scopes: readonly Scope[]
}

/** Whom a bearer of this token speaks for; nobody once it has expired or the app is disabled. */
export function bearerOf(view: View, digest: Digest, at: Instant): Bearer | undefined {
  const id = view.tokenDigests.get(digest)
  if (id === undefined) return undefined
  const token = found(view.tokens.get(id), id)
  if (token.refresh || (token.expiresAt !== undefined && token.expiresAt <= at)) return undefined
  const grant = found(view.grants.get(token.grantId), token.grantId)
  const app = found(view.apps.get(grant.appId), grant.appId)
  if (app.status !== 'active') return undefined
  return { app, grant, token, scopes: token.narrowed?.scopes ?? grant.scopes }
}
