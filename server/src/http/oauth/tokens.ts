import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'
import { getOAuthMetadata } from './metadata.ts'
import { exchangeOAuthCode } from './token.ts'
import { introspectOAuthToken, revokeOAuthToken } from './token-state.ts'

type Names = 'exchangeOAuthCode' | 'revokeOAuthToken' | 'introspectOAuthToken' | 'getOAuthMetadata'

/** What apps call in their own name. */
export const oauthTokenHandlers: Handlers<Context, Names> = {
  exchangeOAuthCode,
  revokeOAuthToken,
  introspectOAuthToken,
  getOAuthMetadata,
}
