import { operation } from '../../operation.ts'
import {
  array,
  bool,
  clearable,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { inPartnerWorld } from '../broker/accounts.ts'
import { OathClientResponse } from './oauth.ts'

/** The fields that all operations about apps share. */
export const appOperation = {
  family: 'broker',
  who: ['partner'],
  scope: 'never',
  headers: inPartnerWorld,
} as const

export const clientId = text({ max: 128 }).about('Case-insensitive, with or without hyphens.')
export const ofClient = record({ client_id: clientId })

export const page = {
  limit: withDefault(integer({ min: 1, max: 1000 }), 100),
  page_token: optional(text({ min: 1, max: 128 })).about('Id of the last entry of the previous page.'),
}

export const appErrors = ['invalidParameter', 'worldNotFound', 'oauthClientRefused'] as const

const Status = oneOf('ACTIVE', 'DISABLED')
const GrantedScope = oneOf('account:write', 'trading', 'data', 'tokenization')

/** Shown on the consent page, so control characters and text-direction characters are refused. */
const name = () =>
  text({
    min: 1,
    max: 128,
    pattern: /^(?=.*\S)[^\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u,
    expected: 'text of 1 to 128 characters',
  })
const description = () => text({ max: 1024 })
/** A link on the consent page. */
const webAddress = () =>
  text({
    max: 2048,
    pattern: /^(?:https?:\/\/[^\s"'<>`\\]+)?$/i,
    expected: 'a URL that starts with https:// or http://, or empty text',
  })
const redirectUris = () =>
  array(text({ min: 1, max: 2048 }), { max: 20 })
    .where((uris) => uris.length > 0, 'redirect_uri: expected at least one')
    .about('https, http on a loopback address, or a custom scheme such as com.example.app:/callback.')
const grantedScopes = () =>
  array(GrantedScope, { max: 10 }).about('Maximum scopes of the app. Read access is always included.')
const seconds = () => integer({ min: 60, max: 315_360_000 })

const about = {
  public: 'Public app without a secret. Every code requires a PKCE challenge.',
  native: 'Installed app: a loopback redirect URI matches on any port.',
  pkce: 'Require a PKCE challenge for every code.',
  direct: 'Partners may issue tokens without a code.',
  token: 'Lifetime of an access token in seconds. null: until revoked.',
  refresh: 'Lifetime of a refresh token in seconds. null: 30 days.',
  developer:
    'User who may connect their own live accounts before the app is approved. Partners can name only users who have an account with them.',
  approved: 'Users may connect live accounts. Only an operator can change this field.',
  partners: 'Other partners that may use the app.',
} as const

export const OAuthClientSettings = record({
  ...OathClientResponse.fields,
  scopes: array(GrantedScope),
  public: bool(),
  native: bool(),
  pkce_required: bool(),
  allow_direct_token: bool().about(about.direct),
  token_expires_in: nullable(integer()).about(about.token),
  refresh_expires_in: nullable(integer()).about(about.refresh),
  developer: nullable(uuid()).about('User id.'),
  owner: uuid().about('Partner that may change the app.'),
  partners: array(uuid()).about('Partners that may use the app, owner first.'),
  created_at: timestamp(),
}).named('OAuthClientSettings')

export const CreatedOAuthClient = record({
  ...OAuthClientSettings.fields,
  client_secret: optional(text()).about('Shown once. Public apps have none.'),
}).named('CreatedOAuthClient')

export const NewOAuthClient = record({
  name: name(),
  description: withDefault(description(), ''),
  url: withDefault(webAddress(), ''),
  terms_of_use: withDefault(webAddress(), ''),
  privacy_policy: withDefault(webAddress(), ''),
  redirect_uri: redirectUris(),
  scopes: withDefault(grantedScopes(), ['account:write', 'trading', 'data']),
  public: withDefault(bool(), false).about(about.public),
  native: withDefault(bool(), false).about(about.native),
  pkce_required: withDefault(bool(), false).about(about.pkce),
  allow_direct_token: withDefault(bool(), true).about(about.direct),
  token_expires_in: optional(seconds()).about(about.token),
  refresh_expires_in: optional(seconds()).about(about.refresh),
  developer: optional(text({ min: 1, max: 128 })).about(`${about.developer} Name or id.`),
  live_trading_approved: withDefault(bool(), false).about(about.approved),
  partners: withDefault(array(uuid(), { max: 100 }), []).about(about.partners),
}).named('NewOAuthClient')

export const OAuthClientChanges = record({
  name: optional(name()),
  description: optional(description()),
  url: optional(webAddress()),
  terms_of_use: optional(webAddress()),
  privacy_policy: optional(webAddress()),
  redirect_uri: optional(redirectUris()),
  scopes: optional(grantedScopes()),
  status: optional(Status).about('DISABLED: no token is issued or accepted until the app is ACTIVE again.'),
  public: optional(bool()).about(`${about.public} Existing secrets are deleted.`),
  native: optional(bool()).about(about.native),
  pkce_required: optional(bool()).about(about.pkce),
  allow_direct_token: optional(bool()).about(about.direct),
  token_expires_in: clearable(seconds()).about(`${about.token} Applies to new tokens.`),
  refresh_expires_in: clearable(seconds()).about(about.refresh),
  developer: clearable(text({ min: 1, max: 128 })).about(`${about.developer} Name or id; null: none.`),
  live_trading_approved: optional(bool()).about(about.approved),
  partners: optional(array(uuid(), { max: 100 })).about(about.partners),
}).named('OAuthClientChanges')

export const oauthClients = {
  listOAuthClients: operation('GET /v1/oauth/clients', appOperation, {
    summary: 'List apps that the caller may use, newest first. Operators see all apps of the world.',
    query: record(page),
    output: array(OAuthClientSettings),
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  createOAuthClient: operation('POST /v1/oauth/clients', appOperation, {
    summary: 'Register an app. The secret is shown once.',
    body: NewOAuthClient,
    output: CreatedOAuthClient,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'oauthApprovalForbidden', 'partnerNotFound'],
  }),
  getOAuthClientSettings: operation('GET /v1/oauth/clients/{client_id}/settings', appOperation, {
    summary: 'Get the settings of an app, without secrets.',
    params: ofClient,
    output: OAuthClientSettings,
    errors: appErrors,
  }),
  updateOAuthClient: operation('PATCH /v1/oauth/clients/{client_id}', appOperation, {
    summary: 'Update the given fields of an app.',
    params: ofClient,
    body: OAuthClientChanges,
    output: OAuthClientSettings,
    errors: [...appErrors, 'oauthApprovalForbidden', 'partnerNotFound'],
  }),
  deleteOAuthClient: operation('DELETE /v1/oauth/clients/{client_id}', appOperation, {
    summary: 'Delete an app with all its grants and close its open streams.',
    params: ofClient,
    errors: appErrors,
  }),
}

const secretFields = {
  secret_id: uuid(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()).about('Expiry. null: valid until deleted.'),
}
export const OAuthClientSecret = record(secretFields).named('OAuthClientSecret')
export const CreatedOAuthClientSecret = record({
  ...secretFields,
  client_secret: text().about('Shown once.'),
}).named('CreatedOAuthClientSecret')

export const oauthSecrets = {
  listOAuthClientSecrets: operation('GET /v1/oauth/clients/{client_id}/secrets', appOperation, {
    summary: 'List active secrets of an app, without their values.',
    params: ofClient,
    output: array(OAuthClientSecret),
    errors: appErrors,
  }),
  createOAuthClientSecret: operation('POST /v1/oauth/clients/{client_id}/secrets', appOperation, {
    summary: 'Create another secret for an app. The value is shown once.',
    params: ofClient,
    body: record({
      others_expire_in: optional(integer({ min: 0, max: 31_536_000 })).about(
        'Seconds until the other secrets expire. 0: at once. Default: they do not expire.',
      ),
    }).named('NewOAuthClientSecret'),
    output: CreatedOAuthClientSecret,
    status: 201,
    errors: [...appErrors, 'oauthTooManySecrets'],
  }),
  deleteOAuthClientSecret: operation(
    'DELETE /v1/oauth/clients/{client_id}/secrets/{secret_id}',
    appOperation,
    {
      summary: 'Delete a secret of an app.',
      params: record({ client_id: clientId, secret_id: uuid() }),
      errors: [...appErrors, 'oauthSecretNotFound'],
    },
  ),
}
