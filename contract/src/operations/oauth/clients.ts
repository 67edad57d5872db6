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
import { appErrors, appOperation, ofClient, page } from './app-parameters.ts'
import { OathClientResponse } from './oauth.ts'

const Status = oneOf('ACTIVE', 'DISABLED')
const GrantedScope = oneOf('account:write', 'trading', 'data', 'tokenization')

/** Shown to people who are asked for consent: nothing in it may turn or hide what follows. */
const name = () =>
  text({
    min: 1,
    max: 128,
    pattern: /^(?=.*\S)[^\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u,
    called: 'text of 1 to 128 characters',
  })
const description = () => text({ max: 1024 })
/** A link on the page that asks for consent. */
const webAddress = () =>
  text({
    max: 2048,
    pattern: /^(?:https?:\/\/[^\s"'<>`\\]+)?$/i,
    called: 'an address that begins https:// or http://, or nothing',
  })
const redirectUris = () =>
  array(text({ min: 1, max: 2048 }), { max: 20 })
    .where((uris) => uris.length > 0, 'redirect_uri: expected at least one')
    .about('https, http on the machine itself, or a scheme of the app such as com.example.app:/callback.')
const grantedScopes = () =>
  array(GrantedScope, { max: 10 }).about('The most the app may ask for; reading is always in it.')
const seconds = () => integer({ min: 60, max: 315_360_000 })

const about = {
  public: 'It cannot keep a secret and has none; each of its codes needs a PKCE challenge.',
  native: 'It runs on machines of people: a loopback redirect URI fits on any port.',
  pkce: 'No code without a PKCE challenge.',
  direct: 'Whether partners may get a token for it without a code.',
  token: 'Seconds a token lasts; null: until it is revoked.',
  refresh: 'Seconds a refresh token lasts; null: 30 days.',
  developer:
    'A user who may connect live accounts of their own before the app is approved. A partner names a user who has an account with it.',
  approved: 'Whether people may connect live accounts. Only an operator may change it.',
  partners: 'Who may use it, beside its owner.',
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
  developer: nullable(uuid()).about('A user.'),
  owner: uuid().about('The partner that may change it.'),
  partners: array(uuid()).about('Who may use it, its owner first.'),
  created_at: timestamp(),
}).named('OAuthClientSettings')

export const CreatedOAuthClient = record({
  ...OAuthClientSettings.fields,
  client_secret: optional(text()).about('Shown once. A public app has none.'),
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
  developer: optional(text({ min: 1, max: 128 })).about(`${about.developer} By name or id.`),
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
  status: optional(Status).about(
    'DISABLED ends nothing for good: while it lasts, nothing is issued or let in.',
  ),
  public: optional(bool()).about(`${about.public} Secrets it had are gone.`),
  native: optional(bool()).about(about.native),
  pkce_required: optional(bool()).about(about.pkce),
  allow_direct_token: optional(bool()).about(about.direct),
  token_expires_in: clearable(seconds()).about(`${about.token} For tokens yet to come.`),
  refresh_expires_in: clearable(seconds()).about(about.refresh),
  developer: clearable(text({ min: 1, max: 128 })).about(`${about.developer} By name or id; null: nobody.`),
  live_trading_approved: optional(bool()).about(about.approved),
  partners: optional(array(uuid(), { max: 100 })).about(about.partners),
}).named('OAuthClientChanges')

export const oauthClients = {
  listOAuthClients: operation({
    ...appOperation,
    method: 'GET',
    path: '/v1/oauth/clients',
    summary: 'The apps the caller may use, newest first; an operator sees all of the world.',
    query: record(page),
    output: array(OAuthClientSettings),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  createOAuthClient: operation({
    ...appOperation,
    method: 'POST',
    path: '/v1/oauth/clients',
    summary: 'Registers an app of the caller and shows its secret once.',
    body: NewOAuthClient,
    output: CreatedOAuthClient,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'oauthApprovalForbidden', 'partnerNotFound'],
  }),
  getOAuthClientSettings: operation({
    ...appOperation,
    method: 'GET',
    path: '/v1/oauth/clients/{client_id}/settings',
    summary: 'All that is set of an app, without its secrets.',
    params: ofClient,
    output: OAuthClientSettings,
    status: 200,
    errors: appErrors,
  }),
  updateOAuthClient: operation({
    ...appOperation,
    method: 'PATCH',
    path: '/v1/oauth/clients/{client_id}',
    summary: 'Changes an app of the caller. What is not named stays.',
    params: ofClient,
    body: OAuthClientChanges,
    output: OAuthClientSettings,
    status: 200,
    errors: [...appErrors, 'oauthApprovalForbidden', 'partnerNotFound'],
  }),
  deleteOAuthClient: operation({
    ...appOperation,
    method: 'DELETE',
    path: '/v1/oauth/clients/{client_id}',
    summary: 'Deletes an app of the caller with all it was granted; its open sockets are closed.',
    params: ofClient,
    status: 204,
    errors: appErrors,
  }),
}
