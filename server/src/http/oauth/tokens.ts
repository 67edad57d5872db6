import type { Handler } from '@quipu/contract'
import { scopes } from '@quipu/core'
import { publicUrlOf } from '../connection/host.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { exchangeOAuthCode } from './token.ts'
import { introspectOAuthToken, revokeOAuthToken } from './token-state.ts'

const withSecret = ['client_secret_post', 'client_secret_basic']
const clientAuthentication = [...withSecret, 'none']

/** The metadata of RFC 8414 for OAuth clients. */
export const getOAuthMetadata: Handler<'getOAuthMetadata', Context> = (_, { services }) => {
  const issuer = publicUrlOf(services)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    service_documentation: `${issuer}/docs`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: withSecret,
    scopes_supported: [...scopes, 'general'],
    authorization_response_iss_parameter_supported: true,
  }
}

/** OAuth operations that apps call with their own credentials. */
export const oauthTokenHandlers = {
  exchangeOAuthCode,
  revokeOAuthToken,
  introspectOAuthToken,
  getOAuthMetadata,
} satisfies SomeHandlers
