import { operation } from '../../operation.ts'
import { array, bool, integer, oneOf, optional, record, text, uuid } from '../../shape/index.ts'

/** What came is not repeated: it may be a secret. */
export const once = (rules: Parameters<typeof text>[0] & { readonly max: number }) =>
  optional(
    text({ min: 1, ...rules }).message((value, path) =>
      Array.isArray(value) ? `${path} is given more than once` : `${path} is not as expected`,
    ),
  )

/** Which app calls: in the form, or in the header by Basic. A public app has no secret. */
const client = {
  client_id: once({ max: 128 }),
  client_secret: once({ max: 256 }).about('Or in the header, by Basic. Apps that are public have none.'),
}

const open = { family: 'oauth', who: ['anyone'], scope: 'never', status: 200, state: 'works' } as const
const form = { ...open, method: 'POST', bodyKind: 'form', errors: [] } as const

const token = {
  token: once({ max: 256 }),
  token_type_hint: once({ max: 64 }).about('Not needed: a token is found by what it is.'),
}

const verifier = /^[A-Za-z0-9\-._~]{43,128}$/

export const oauthTokens = {
  exchangeOAuthCode: operation({
    ...form,
    path: '/oauth/token',
    summary: 'Exchanges a code, or a refresh token, for a token. Errors are those of RFC 6749.',
    body: record({
      grant_type: once({ max: 64 }).about('`authorization_code` or `refresh_token`.'),
      code: once({ max: 256 }).about('Of `authorization_code`. It serves once, for a minute.'),
      redirect_uri: once({ max: 2048 }).about('The one the code was asked for with.'),
      code_verifier: once({ max: 128, pattern: verifier }).about(
        'What `code_challenge` was made of, by S256. Needed where a challenge was sent, refused where none was.',
      ),
      refresh_token: once({ max: 256 }).about(
        'Of `refresh_token`. It serves once, and once more within 10 s.',
      ),
      scope: once({ max: 1024 }).about('Of `refresh_token`: less than was granted; all of it where absent.'),
      ...client,
    }).named('OAuthCodeExchange'),
    output: record({
      access_token: text(),
      token_type: oneOf('bearer'),
      scope: text(),
      expires_in: optional(integer()).about('In seconds; absent where the token lasts until it is revoked.'),
      refresh_token: optional(text()).about('Where the token ends.'),
    }).named('OAuthToken'),
  }),
  revokeOAuthToken: operation({
    ...form,
    path: '/oauth/revoke',
    summary:
      'Gives a token up, as RFC 7009 has it. With a refresh token goes all that stands on the same consent.',
    body: record({ ...token, ...client }).named('OAuthRevocation'),
    output: record({}).named('OAuthRevoked'),
  }),
  introspectOAuthToken: operation({
    ...form,
    path: '/oauth/introspect',
    summary:
      'What a token is good for, as RFC 7662 has it: for its app by its secret, and for the key of a partner that may use the app.',
    body: record({ ...token, ...client }).named('OAuthIntrospection'),
    output: record({
      active: bool(),
      scope: optional(text()),
      client_id: optional(text()),
      token_type: optional(oneOf('bearer')).about('Absent for a refresh token.'),
      exp: optional(integer()).about('Seconds since 1970; absent where it lasts.'),
      iat: optional(integer()),
      sub: optional(uuid()).about('The account it acts for; of two, the one on paper.'),
      iss: optional(text()),
      accounts: optional(array(record({ id: uuid(), env: oneOf('live', 'paper') }))),
    }).named('OAuthTokenState'),
  }),
  getOAuthMetadata: operation({
    ...open,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Where everything is that a client of OAuth needs, as RFC 8414 has it.',
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
    errors: [],
  }),
}
