import { type Instant, later, MINUTE, SECOND } from '../time.ts'
import type { App, Grant } from './app.ts'

/** Lifetime of an authorization code. */
export const CODE_LIFETIME = MINUTE
/** How long an expired code is remembered to detect reuse. */
export const CODE_RETENTION = 10n * MINUTE
/** Lifetime of a machine token. */
export const MACHINE_TOKEN_LIFETIME = 15n * MINUTE
/** Default lifetime of a refresh token. */
export const REFRESH_SECONDS = 30 * 24 * 3600
/** How long a used refresh token returns one more pair: the app may not have received the response. */
export const REFRESH_GRACE = 10n * SECOND
/** Maximum tokens of one grant; further refreshes delete the oldest. */
export const GRANT_TOKENS_MAX = 32
/** Maximum valid secrets of one app. */
export const SECRETS_MAX = 5

/** Expiry of a token issued now, and of its refresh token; undefined if the app's tokens do not expire. */
export function tokenExpiryOf(
  { tokenSeconds, refreshSeconds = REFRESH_SECONDS }: App,
  at: Instant,
): { readonly expiresAt: Instant; readonly refreshExpiresAt: Instant } | undefined {
  if (tokenSeconds === undefined) return undefined
  return {
    expiresAt: later(at, BigInt(tokenSeconds) * SECOND),
    refreshExpiresAt: later(at, BigInt(refreshSeconds) * SECOND),
  }
}

/** Whether a grant has tokens, or a code that can still be exchanged. */
export const isInForce = ({ tokens, createdAt }: Grant, at: Instant): boolean =>
  tokens.length > 0 || at < createdAt + CODE_LIFETIME
