import { operation } from '../../operation.ts'
import { array, integer, nullable, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { appErrors, appOperation, clientId, ofClient } from './app-parameters.ts'

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
  listOAuthClientSecrets: operation({
    ...appOperation,
    method: 'GET',
    path: '/v1/oauth/clients/{client_id}/secrets',
    summary: 'List active secrets of an app, without their values.',
    params: ofClient,
    output: array(OAuthClientSecret),
    status: 200,
    errors: appErrors,
  }),
  createOAuthClientSecret: operation({
    ...appOperation,
    method: 'POST',
    path: '/v1/oauth/clients/{client_id}/secrets',
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
  deleteOAuthClientSecret: operation({
    ...appOperation,
    method: 'DELETE',
    path: '/v1/oauth/clients/{client_id}/secrets/{secret_id}',
    summary: 'Delete a secret of an app.',
    params: record({ client_id: clientId, secret_id: uuid() }),
    status: 204,
    errors: [...appErrors, 'oauthSecretNotFound'],
  }),
}
