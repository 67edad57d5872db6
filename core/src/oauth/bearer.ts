import type { Digest } from '../ids.ts'
import { found } from '../result.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import { type App, accountOf, type Grant, type Token } from './app.ts'
import type { Scope } from './scopes.ts'

export type Bearer = {
  readonly app: App
  readonly grant: Grant
  readonly token: Token
  readonly scopes: readonly Scope[]
}

/** No app acts for a person who is disabled. All accounts of a grant are one person's, or nobody's. */
export function isUpheld(view: View, grant: Pick<Grant, 'live' | 'paper'>): boolean {
  const { personId } = found(view.accounts.get(accountOf(grant)), 'an account of the grant')
  return personId === undefined || !view.people.get(personId)?.disabled
}

/** Whom a bearer of this token speaks for; nobody once it has expired, or while the app or the person is disabled. */
export function bearerOf(view: View, digest: Digest, at: Instant): Bearer | undefined {
  const id = view.tokenDigests.get(digest)
  if (id === undefined) return undefined
  const token = found(view.tokens.get(id), id)
  if (token.refresh || (token.expiresAt !== undefined && token.expiresAt <= at)) return undefined
  const grant = found(view.grants.get(token.grantId), token.grantId)
  const app = found(view.apps.get(grant.appId), grant.appId)
  if (app.status !== 'active' || !isUpheld(view, grant)) return undefined
  return { app, grant, token, scopes: token.narrowed?.scopes ?? grant.scopes }
}
