import { operation } from '../../operation.ts'
import {
  anything,
  array,
  bool,
  forgiving,
  integer,
  oneOf,
  optional,
  record,
  text,
  unchecked,
} from '../../shape/index.ts'

/** Wrong and missing fields are not told here, because a doubt about the app comes before them. */
export const OAuthTokenRequest = record({
  client_id: forgiving(text({ min: 1, max: 128 })),
  client_secret: forgiving(text({ min: 1, max: 256 })),
  redirect_uri: forgiving(text({ min: 1, max: 2048 })),
  scope: forgiving(text({ max: 1024 })).about('Words apart by spaces.'),
  account_id: forgiving(text({ min: 1, max: 64 })).about('The account of the person the app will act for.'),
  code_challenge: anything().about('For a code. PKCE: the SHA-256 of the verifier in base64url.'),
  code_challenge_method: anything().about('With a challenge: S256.'),
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
  expires_in: optional(integer()).about('Seconds; absent where the token lasts until it is revoked.'),
}).named('IssueOAuthTokenResponse')

const partner = { family: 'broker', who: ['partner'], scope: 'never', status: 200, state: 'works' } as const
const grantErrors = [
  'oauthClientRefused',
  'oauthRedirectUriInvalid',
  'oauthScopeInvalid',
  'oauthAccountInvalid',
] as const

export const oauth = {
  getOAuthClient: operation({
    ...partner,
    method: 'GET',
    path: '/v1/oauth/clients/{client_id}',
    summary: 'An app, for the page that asks a person for consent.',
    params: record({ client_id: text({ max: 128 }).about('With or without hyphens, in any case.') }),
    query: record({
      response_type: unchecked(),
      redirect_uri: unchecked(),
      scope: unchecked(),
    }),
    output: OathClientResponse,
    // All but the first only where QUIPU_STRICT_CLIENT_LOOKUP is on.
    errors: ['oauthClientRefused', 'oauthRedirectUriInvalid', 'oauthScopeInvalid', 'invalidParameter'],
  }),
  authorizeOAuthToken: operation({
    ...partner,
    method: 'POST',
    path: '/v1/oauth/authorize',
    summary: 'Issues a code that the app exchanges at POST /oauth/token.',
    body: OAuthTokenRequest,
    output: AuthorizeOAuthTokenResponse,
    errors: [...grantErrors, 'oauthChallengeMissing'],
  }),
  issueOAuthToken: operation({
    ...partner,
    method: 'POST',
    path: '/v1/oauth/token',
    summary: 'Issues a token at once.',
    body: OAuthTokenRequest,
    output: IssueOAuthTokenResponse,
    errors: [...grantErrors, 'oauthCodesOnly'],
  }),
  deleteOAuthToken: operation({
    ...partner,
    method: 'DELETE',
    path: '/v1/oauth/token/{token_id}',
    summary:
      'Revokes a token of an app the caller may use; its open sockets are closed. One nobody knows too.',
    params: record({
      token_id: text({ min: 1, max: 256 }).about('The token, or its id as GET /v1/oauth/grants tells it.'),
    }),
    status: 204,
    secretPath: true,
    errors: [],
  }),
}
