import { operation } from '../../operation.ts'
import { array, nullable, oneOf, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { appOperation, clientId, page } from './app-parameters.ts'

export const OAuthGrant = record({
  grant_id: uuid(),
  client_id: text(),
  name: text().about('What the app is called.'),
  user_id: nullable(uuid()).about('The user who agreed; null where a partner did for its customer.'),
  live_account_id: nullable(uuid()),
  paper_account_id: nullable(uuid()),
  scope: text(),
  created_at: timestamp(),
  last_used_at: nullable(timestamp()).about('To the hour.'),
  tokens: array(
    record({
      token_id: uuid().about('As DELETE /v1/oauth/token/{token_id} takes it.'),
      kind: oneOf('access', 'refresh'),
      created_at: timestamp(),
      expires_at: nullable(timestamp()),
    }).named('OAuthGrantToken'),
  ).about('Those that are live.'),
}).named('OAuthGrant')

export const oauthGrants = {
  listOAuthGrants: operation({
    ...appOperation,
    method: 'GET',
    path: '/v1/oauth/grants',
    summary: 'Which app may act for which account, for accounts and apps of the caller, newest first.',
    query: record({ account_id: optional(uuid()), client_id: optional(clientId), ...page }),
    output: array(OAuthGrant),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  deleteOAuthGrant: operation({
    ...appOperation,
    method: 'DELETE',
    path: '/v1/oauth/grants/{grant_id}',
    summary: 'Takes back what an app was granted, with every token; its open sockets are closed.',
    params: record({ grant_id: uuid() }),
    status: 204,
    errors: ['invalidParameter', 'worldNotFound', 'oauthGrantNotFound'],
  }),
}
