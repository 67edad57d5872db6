import type { Digest } from '../ids.ts'
import { found } from '../result.ts'
import type { View } from '../state.ts'
import type { App, Grant, Token } from './app.ts'

/** Whom a bearer of this token speaks for; nobody once the app is disabled. */
export function bearerOf(view: View, digest: Digest): { app: App; grant: Grant; token: Token } | undefined {
  const id = view.tokenDigests.get(digest)
  if (id === undefined) return undefined
  const token = found(view.tokens.get(id), id)
  const grant = found(view.grants.get(token.grantId), token.grantId)
  const app = found(view.apps.get(grant.appId), grant.appId)
  return app.status === 'active' ? { app, grant, token } : undefined
}
