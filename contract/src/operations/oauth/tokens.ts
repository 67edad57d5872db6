import { operation } from '../../operation.ts'
import { array, bool, integer, oneOf, optional, record, text, uuid } from '../../shape/index.ts'

/** The error does not repeat the value, because it may be a secret. */
export const once = (rules: Parameters<typeof text>[0] & { readonly max: number }) =>
  optional(
    text({ min: 1, ...rules }).message((value, path) =>
      Array.isArray(value) ? `${path} is given more than once` : `${path} is invalid`,
    ),
  )

/** Client authentication: in the form, or Basic. A public app has no secret. */
const client = {
  client_id: once({ max: 128 }),
  client_secret: once({ max: 256 }).about('Or use Basic authentication. Public apps have none.'),
}

const open = { family: 'oauth', who: ['anyone'], scope: 'never' } as const
const form = { ...open, bodyKind: 'form' } as const

const token = {
  token: once({ max: 256 }),
  token_type_hint: once({ max: 64 }).about('Optional and ignored.'),
}

const verifier = /^[A-Za-z0-9\-._~]{43,128}$/

export const oauthTokens = {
  exchangeOAuthCode: operation('POST /oauth/token', form, {
    summary: 'Exchange a code or a refresh token for an access token. Errors follow RFC 6749.',
    body: record({
      grant_type: once({ max: 64 }).about('`authorization_code` or `refresh_token`.'),
      code: once({ max: 256 }).about('For `authorization_code`. Valid once, for one minute.'),
      redirect_uri: once({ max: 2048 }).about('Redirect URI of the authorization request.'),
      code_verifier: once({ max: 128, pattern: verifier }).about(
        'PKCE verifier (S256). Required if a challenge was sent, otherwise refused.',
      ),
      refresh_token: once({ max: 256 }).about(
        'For `refresh_token`. Valid once, and a second time within 10 s.',
      ),
      scope: once({ max: 1024 }).about('For `refresh_token`: part of the granted scope. Default: all of it.'),
      ...client,
    }).named('OAuthCodeExchange'),
    output: record({
      access_token: text(),
      token_type: oneOf('bearer'),
      scope: text(),
      expires_in: optional(integer()).about('Seconds. Absent if the token is valid until revoked.'),
      refresh_token: optional(text()).about('Present if the access token expires.'),
    }).named('OAuthToken'),
  }),
  revokeOAuthToken: operation('POST /oauth/revoke', form, {
    summary: 'Revoke a token (RFC 7009). A refresh token revokes all tokens of the same consent.',
    body: record({ ...token, ...client }).named('OAuthRevocation'),
    output: record({}).named('OAuthRevoked'),
  }),
  introspectOAuthToken: operation('POST /oauth/introspect', form, {
    summary:
      'Get the state of a token (RFC 7662). Requires the secret of its app, or the key of a partner that may use the app.',
    body: record({ ...token, ...client }).named('OAuthIntrospection'),
    output: record({
      active: bool(),
      scope: optional(text()),
      client_id: optional(text()),
      token_type: optional(oneOf('bearer')).about('Absent for a refresh token.'),
      exp: optional(integer()).about('Seconds since 1970. Absent if the token is valid until revoked.'),
      iat: optional(integer()),
      sub: optional(uuid()).about('Account that the token acts for. With two accounts, the paper account.'),
      iss: optional(text()),
      accounts: optional(array(record({ id: uuid(), env: oneOf('live', 'paper') }))),
    }).named('OAuthTokenState'),
  }),
  getOAuthMetadata: operation('GET /.well-known/oauth-authorization-server', open, {
    summary: 'Get the authorization server metadata for apps (RFC 8414).',
    output: record({
      issuer: text(),
      authorization_endpoint: text(),
      token_endpoint: text(),
      revocation_endpoint: text(),
      introspection_endpoint: text(),
      service_documentation: text(),
      response_types_supported: array(text()),
      response_modes_supported: array(text()),
      grant_types_supported: array(text()),
      code_challenge_methods_supported: array(text()),
      token_endpoint_auth_methods_supported: array(text()),
      revocation_endpoint_auth_methods_supported: array(text()),
      introspection_endpoint_auth_methods_supported: array(text()),
      scopes_supported: array(text()),
      authorization_response_iss_parameter_supported: bool(),
    }).named('OAuthMetadata'),
  }),
}
