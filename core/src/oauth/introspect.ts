import type { Digest, PartnerId } from '../ids.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { App } from './app.ts'
import { type Bearer, powerOf } from './bearer.ts'
import { checkAsk } from './checks.ts'
import type { Ask } from './commands.ts'
import { tokenOf } from './exchange.ts'

/** The app that asks about a token. It must show its secret: an app that has none cannot ask (RFC 7662). */
export const introspectingApp = (view: View, at: Instant, ask: Pick<Ask, 'clientId' | 'secret'>) =>
  checkAsk(view, at, 'introspect', ask)

/** Who asks what a token is good for: its app, a partner that may use the app, or whoever may know everything. */
export type Asker =
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'partner'; readonly partnerId: PartnerId }
  | { readonly kind: 'operator' }

/** A token, access or refresh, that is good now; nothing where it is not, or where it is not the asker's to know. */
export function liveToken(view: View, at: Instant, digest: Digest, asker: Asker): Bearer | undefined {
  const token = tokenOf(view, digest)
  if (
    !token ||
    token.refresh === 'used' ||
    token.refresh === 'spent' ||
    (token.expiresAt !== undefined && token.expiresAt <= at)
  )
    return undefined
  const power = powerOf(view, token)
  return power && mayKnow(asker, power.app) ? power : undefined
}

function mayKnow(asker: Asker, app: App): boolean {
  switch (asker.kind) {
    case 'app':
      return asker.app.id === app.id
    case 'partner':
      return app.partners.includes(asker.partnerId)
    case 'operator':
      return true
  }
}
