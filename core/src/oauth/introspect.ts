import type { Digest, PartnerId } from '../ids.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { App } from './app.ts'
import { type Bearer, rightsOf } from './bearer.ts'
import { checkRequest } from './checks.ts'
import type { AppRequest } from './commands.ts'
import { tokenOf } from './exchange.ts'

/** The app that introspects a token. It must authenticate with a secret (RFC 7662). */
export const introspectingApp = (view: View, at: Instant, request: Pick<AppRequest, 'clientId' | 'secret'>) =>
  checkRequest(view, at, 'introspect', request)

/** The caller of an introspection: the token's app, a partner that may use the app, or an operator. */
export type Introspector =
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'partner'; readonly partnerId: PartnerId }
  | { readonly kind: 'operator' }

/** An access or refresh token that is valid now; undefined if it is not, or if the caller may not see it. */
export function validToken(
  view: View,
  at: Instant,
  digest: Digest,
  caller: Introspector,
): Bearer | undefined {
  const token = tokenOf(view, digest)
  if (
    !token ||
    token.refresh === 'used' ||
    token.refresh === 'spent' ||
    (token.expiresAt !== undefined && token.expiresAt <= at)
  )
    return undefined
  const rights = rightsOf(view, token)
  return rights && maySee(caller, rights.app) ? rights : undefined
}

function maySee(caller: Introspector, app: App): boolean {
  switch (caller.kind) {
    case 'app':
      return caller.app.id === app.id
    case 'partner':
      return app.partners.includes(caller.partnerId)
    case 'operator':
      return true
  }
}
