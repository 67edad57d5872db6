import { operation } from '../../operation.ts'
import { array, integer, nullable, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { appErrors, appOperation, clientId, ofClient } from './app-parameters.ts'

const secretFields = {
  secret_id: uuid(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()).about('Good until then; null: until it is deleted.'),
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
    summary: 'Which secrets of an app of the caller are good, without the secrets.',
    params: ofClient,
    output: array(OAuthClientSecret),
    status: 200,
    errors: appErrors,
  }),
  createOAuthClientSecret: operation({
    ...appOperation,
    method: 'POST',
    path: '/v1/oauth/clients/{client_id}/secrets',
    summary: 'Makes one more secret of an app and shows it once. The others stay good, or for a while.',
    params: ofClient,
    body: record({
      others_expire_in: optional(integer({ min: 0, max: 31_536_000 })).about(
        'Seconds after which the other secrets end; 0: at once.',
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
    summary: 'Ends a secret of an app at once.',
    params: record({ client_id: clientId, secret_id: uuid() }),
    status: 204,
    errors: [...appErrors, 'oauthSecretNotFound'],
  }),
}
