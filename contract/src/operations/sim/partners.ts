import { operation } from '../../operation.ts'
import { array, integer, record, text, timestamp, uuid } from '../../shape/index.ts'
import { worldParam } from './world-param.ts'

const fields = {
  partner_id: uuid(),
  name: text(),
  accounts: integer({ min: 0 }).about('Number of accounts, including closed ones.'),
  created_at: timestamp(),
}

export const Partner = record(fields).named('Partner')
export const CreatedPartner = record({
  ...fields,
  key_id: text(),
  secret_key: text().about('Shown once.'),
}).named('CreatedPartner')

const inWorld = record(worldParam)
const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const

export const partners = {
  listPartners: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/partners',
    summary: 'List partners of a world, oldest first.',
    params: inWorld,
    output: array(Partner),
    status: 200,
    errors: ['worldNotFound'],
  }),
  createPartner: operation({
    ...shared,
    method: 'POST',
    path: '/sim/v1/worlds/{world}/partners',
    summary:
      'Create a partner with a key. The secret is shown once. A partner sees only accounts that it opened.',
    params: inWorld,
    body: record({ name: text({ min: 1, max: 128 }) }).named('NewPartner'),
    output: CreatedPartner,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
}
