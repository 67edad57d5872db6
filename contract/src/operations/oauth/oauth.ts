import { operation } from '../../operation.ts'
import {
  anything,
  array,
  bool,
  integer,
  lenient,
  oneOf,
  optional,
  record,
  text,
  unchecked,
} from '../../shape/index.ts'

/** Wrong and missing fields are accepted here, because the handler checks the app before the fields. */
export const OAuthTokenRequest = record({
  client_id: lenient(text({ min: 1, max: 128 })),
  client_secret: lenient(text({ min: 1, max: 256 })),
  redirect_uri: lenient(text({ min: 1, max: 2048 })),
  scope: lenient(text({ max: 1024 })).about('Separated by spaces.'),
  account_id: lenient(text({ min: 1, max: 64 })).about('Account that the app acts for.'),
  code_challenge: anything().about('For a code: PKCE challenge, SHA-256 of the verifier in base64url.'),
  code_challenge_method: anything().about('Required with code_challenge: S256.'),
}).named('OAuthTokenRequest')

export const OathClientResponse = record({
  client_id: text(),
  name: text(),
  description: text(),
  url: text(),
  terms_of_use: text(),
  privacy_policy: text(),
  status: oneOf('ACTIVE', 'DISABLED'),
  redirect_uri: array(text()),
  live_trading_approved: bool(),
}).named('OathClientResponse')

export const AuthorizeOAuthTokenResponse = record({
  code: text({ min: 1 }),
  client_id: text(),
  redirect_uri: text(),
  scope: text(),
}).named('AuthorizeOAuthTokenResponse')

export const IssueOAuthTokenResponse = record({
  access_token: text({ min: 1 }),
  token_type: oneOf('Bearer'),
  scope: text(),
  expires_in: optional(integer()).about('Seconds. Absent if the token is valid until revoked.'),
}).named('IssueOAuthTokenResponse')

const partner = { family: 'broker', who: ['partner'], scope: 'never' } as const
const grantErrors = [
  'oauthClientRefused',
  'oauthRedirectUriInvalid',
  'oauthScopeInvalid',
  'oauthAccountInvalid',
] as const

export const oauth = {
  getOAuthClient: operation('GET /v1/oauth/clients/{client_id}', partner, {
    summary: 'Get an app, for a consent page.',
    params: record({ client_id: text({ max: 128 }).about('Case-insensitive, with or without hyphens.') }),
    query: record({
      response_type: unchecked(),
      redirect_uri: unchecked(),
      scope: unchecked(),
    }),
    output: OathClientResponse,
    // All but the first occur only with QUIPU_STRICT_CLIENT_LOOKUP.
    errors: ['oauthClientRefused', 'oauthRedirectUriInvalid', 'oauthScopeInvalid', 'invalidParameter'],
  }),
  authorizeOAuthToken: operation('POST /v1/oauth/authorize', partner, {
    summary: 'Issue a code that the app exchanges at POST /oauth/token.',
    body: OAuthTokenRequest,
    output: AuthorizeOAuthTokenResponse,
    errors: [...grantErrors, 'oauthChallengeMissing'],
  }),
  issueOAuthToken: operation('POST /v1/oauth/token', partner, {
    summary: 'Issue a token without a code.',
    body: OAuthTokenRequest,
    output: IssueOAuthTokenResponse,
    errors: [...grantErrors, 'oauthCodesOnly'],
  }),
  deleteOAuthToken: operation('DELETE /v1/oauth/token/{token_id}', partner, {
    summary:
      'Revoke a token of an app that the caller may use, and close its open streams. An unknown token is not an error.',
    params: record({
      token_id: text({ min: 1, max: 256 }).about('Token, or token id from GET /v1/oauth/grants.'),
    }),
    secretPath: true,
  }),
}
