import { type Instant, MINUTE, SECOND } from '../time.ts'
import type { App, Grant } from './app.ts'

/** How long a code is good. */
export const CODE_LIFE = MINUTE
/** How long an expired code is still known for what it was. */
export const CODE_MEMORY = 10n * MINUTE
/** How long a partner's program may use one token. */
export const MACHINE_TOKEN_LIFE = 15n * MINUTE
/** How long a refresh token is good where its app does not say. */
export const REFRESH_SECONDS = 30 * 24 * 3600
/** How long a used refresh token yields one more pair: an app may not have received the answer. */
export const REFRESH_GRACE = 10n * SECOND
/** So many tokens stand on one grant: whoever refreshes again and again loses the oldest, used or not. */
export const GRANT_TOKENS_MAX = 32
/** Live secrets of one app. */
export const SECRETS_MAX = 5

/** When a token issued now ends, and when its refresh token; nothing where the app's tokens last. */
export function endsOf(
  { tokenSeconds, refreshSeconds = REFRESH_SECONDS }: App,
  at: Instant,
): { readonly expiresAt: Instant; readonly refreshExpiresAt: Instant } | undefined {
  if (tokenSeconds === undefined) return undefined
  return {
    expiresAt: (at + BigInt(tokenSeconds) * SECOND) as Instant,
    refreshExpiresAt: (at + BigInt(refreshSeconds) * SECOND) as Instant,
  }
}

/** Whether an app acts on a grant, or still may come to: where its code served nobody in time, nothing comes of it. */
export const isInForce = ({ tokens, createdAt }: Grant, at: Instant): boolean =>
  tokens.length > 0 || at < createdAt + CODE_LIFE
