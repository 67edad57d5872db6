import { operation } from '../../operation.ts'
import { array, nullable, oneOf, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { appOperation, clientId, page } from './clients.ts'

export const OAuthGrant = record({
  grant_id: uuid(),
  client_id: text(),
  name: text().about('Name of the app.'),
  user_id: nullable(uuid()).about('User who gave consent. null if a partner did for its customer.'),
  live_account_id: nullable(uuid()),
  paper_account_id: nullable(uuid()),
  scope: text(),
  created_at: timestamp(),
  last_used_at: nullable(timestamp()).about('Precise to the hour.'),
  tokens: array(
    record({
      token_id: uuid().about('Accepted by DELETE /v1/oauth/token/{token_id}.'),
      kind: oneOf('access', 'refresh'),
      created_at: timestamp(),
      expires_at: nullable(timestamp()),
    }).named('OAuthGrantToken'),
  ).about('Active tokens.'),
}).named('OAuthGrant')

export const oauthGrants = {
  listOAuthGrants: operation('GET /v1/oauth/grants', appOperation, {
    summary: 'List grants of accounts and apps of the caller, newest first.',
    query: record({ account_id: optional(uuid()), client_id: optional(clientId), ...page }),
    output: array(OAuthGrant),
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  deleteOAuthGrant: operation('DELETE /v1/oauth/grants/{grant_id}', appOperation, {
    summary: 'Revoke a grant with all its tokens and close its open streams.',
    params: record({ grant_id: uuid() }),
    errors: ['invalidParameter', 'worldNotFound', 'oauthGrantNotFound'],
  }),
}
