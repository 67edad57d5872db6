import type { Handlers } from '@quipu/contract'
import type { Context } from './context.ts'
import { getOAuthMetadata } from './oauth-metadata.ts'
import { exchangeOAuthCode } from './oauth-token.ts'
import { introspectOAuthToken, revokeOAuthToken } from './oauth-token-state.ts'

type Names = 'exchangeOAuthCode' | 'revokeOAuthToken' | 'introspectOAuthToken' | 'getOAuthMetadata'

/** What apps call in their own name. */
export const oauthTokenHandlers: Handlers<Context, Names> = {
  exchangeOAuthCode,
  revokeOAuthToken,
  introspectOAuthToken,
  getOAuthMetadata,
}
