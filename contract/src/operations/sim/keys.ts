import { operation } from '../../operation.ts'
import {
  anything,
  array,
  map,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { worldParam } from './world-param.ts'

/** When a key was used and when it ends, for every list of keys. */
export const keyTimes = {
  last_used_at: optional(timestamp()).about('To the minute; absent before the first use.'),
  expires_at: optional(timestamp()).about('When it ends by itself; absent where it does not.'),
}
export const newKeyEnd = {
  expires_at: optional(moment()).about(
    'When it ends by itself, by the clock of the world: then it is refused, and its open sockets are closed.',
  ),
}

const kinds = ['account', 'partner', 'operator'] as const

const fields = {
  key_id: text(),
  kind: oneOf(...kinds),
  account_id: optional(uuid()),
  partner_id: optional(uuid()),
  issuer: optional(text()).about('The issuer that calls back with it.'),
  public_key: optional(map(text())).about('A JSON Web Key. Its holder signs, and has no secret.'),
  created_at: timestamp(),
  ...keyTimes,
}

export const Key = record(fields).named('Key')
export const CreatedKey = record({
  ...fields,
  secret_key: optional(text()).about('Shown once. A key with a public key has none.'),
}).named('CreatedKey')

const inWorld = record(worldParam)
const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const

export const keys = {
  listKeys: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/keys',
    summary: 'The keys of a world, without their secrets.',
    params: inWorld,
    output: array(Key),
    status: 200,
    errors: ['worldNotFound'],
  }),
  createKey: operation({
    ...shared,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/keys',
    summary: 'Makes a key and shows its secret once.',
    params: inWorld,
    body: record({
      kind: withDefault(oneOf(...kinds), 'account'),
      account_id: optional(uuid()).about('For an account key; the first account of the world when left out.'),
      partner_id: optional(uuid()).about('For the others; the first partner of the world when left out.'),
      public_key: optional(anything().where((key) => key !== '', 'expected a key')).about(
        'For the others: a key in PEM, or a JSON Web Key: P-256, RSA from 2048 bits on, or Ed25519. Its private half signs for tokens at POST /v1/oauth2/token.',
      ),
      ...newKeyEnd,
    }).named('NewKey'),
    output: CreatedKey,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'partnerNotFound'],
  }),
  deleteKey: operation({
    ...shared,
    method: 'DELETE',
    path: '/sim/v1/worlds/{world}/keys/{key_id}',
    summary: 'Withdraws a key; its open sockets are closed.',
    params: record({ ...worldParam, key_id: text({ min: 1, max: 64 }) }),
    status: 204,
    errors: ['worldNotFound', 'keyNotFound'],
  }),
}
