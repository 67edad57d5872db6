import { operation } from '../../operation.ts'
import {
  anything,
  array,
  integer,
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
import { ofWorld, ofWorldOrOwner, operatorOrOwner, worldParam } from './world-param.ts'

/** Last use and expiry, for every list of keys. */
export const keyTimes = {
  last_used_at: optional(timestamp()).about('Precise to the minute. Absent before the first use.'),
  expires_at: optional(timestamp()).about('Expiry. Absent if the key does not expire.'),
}
export const newKeyExpiry = {
  expires_at: optional(moment()).about(
    'Expiry, by the clock of the world. The key is then refused and its open streams are closed. Default: none.',
  ),
}

const kinds = ['account', 'partner', 'operator', 'auditor'] as const

const fields = {
  key_id: text(),
  kind: oneOf(...kinds),
  account_id: optional(uuid()),
  partner_id: optional(uuid()),
  issuer: optional(text()).about('Issuer that uses the key for its callbacks.'),
  public_key: optional(map(text())).about(
    'JSON Web Key. The owner of the private key signs; there is no secret.',
  ),
  created_at: timestamp(),
  ...keyTimes,
}

export const KeyShape = record(fields).named('Key')
export const CreatedKey = record({
  ...fields,
  secret_key: optional(text()).about('Shown once. Absent for a key with a public key.'),
}).named('CreatedKey')

export const keys = {
  listKeys: operation('GET /sim/v1/worlds/{world}/keys', ofWorldOrOwner, {
    summary: 'List keys of a world, without secrets. An account sees its own.',
    output: array(KeyShape),
  }),
  createKey: operation('POST /sim/v1/worlds/{world}/keys', ofWorldOrOwner, {
    summary: 'Create a key. The secret is shown once. A signed-in user creates keys of the own account.',
    body: record({
      kind: withDefault(oneOf(...kinds), 'account'),
      account_id: optional(uuid()).about(
        'For account keys. Default: the first account of the world, or the account of the token.',
      ),
      partner_id: optional(uuid()).about(
        'For partner, operator and auditor keys. Default: the first partner of the world.',
      ),
      public_key: optional(anything().where((key) => key !== '', 'expected a key')).about(
        'For partner, operator and auditor keys: PEM or JSON Web Key (P-256, RSA of 2048 bits or more, Ed25519). The private key signs token requests at POST /v1/oauth2/token.',
      ),
      ...newKeyExpiry,
    }).named('NewKey'),
    output: CreatedKey,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'accountNotFound',
      'partnerNotFound',
      'keyNeedsSession',
      'keyLimitReached',
    ],
  }),
  deleteKey: operation('DELETE /sim/v1/worlds/{world}/keys/{key_id}', operatorOrOwner, {
    summary: 'Delete a key and close its open streams. A signed-in user deletes keys of the own account.',
    params: record({ ...worldParam, key_id: text({ min: 1, max: 64 }) }),
    errors: ['worldNotFound', 'keyNotFound', 'lastOperatorKey', 'keyNeedsSession'],
  }),
}

const partnerFields = {
  partner_id: uuid(),
  name: text(),
  accounts: integer({ min: 0 }).about('Number of accounts, including closed ones.'),
  created_at: timestamp(),
}

export const PartnerShape = record(partnerFields).named('Partner')
export const CreatedPartner = record({
  ...partnerFields,
  key_id: text(),
  secret_key: text().about('Shown once.'),
}).named('CreatedPartner')

export const partners = {
  listPartners: operation('GET /sim/v1/worlds/{world}/partners', ofWorld, {
    summary: 'List partners of a world, oldest first.',
    output: array(PartnerShape),
  }),
  createPartner: operation('POST /sim/v1/worlds/{world}/partners', ofWorld, {
    summary:
      'Create a partner with a key. The secret is shown once. A partner sees only accounts that it opened.',
    body: record({ name: text({ min: 1, max: 128 }) }).named('NewPartner'),
    output: CreatedPartner,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
}
