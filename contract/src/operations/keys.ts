import { operation } from '../operation.ts'
import { array, oneOf, optional, record, text, timestamp, uuid, withDefault } from '../shape/index.ts'
import { worldParam } from './world-param.ts'

const kinds = ['account', 'partner', 'operator'] as const

const fields = {
  key_id: text(),
  kind: oneOf(...kinds),
  account_id: optional(uuid()),
  created_at: timestamp(),
}

export const Key = record(fields).named('Key')
export const CreatedKey = record({ ...fields, secret_key: text().about('Shown once.') }).named('CreatedKey')

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
    }).named('NewKey'),
    output: CreatedKey,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
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
