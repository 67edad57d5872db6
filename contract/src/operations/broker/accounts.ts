import { operation } from '../../operation.ts'
import {
  anything,
  array,
  bool,
  decimal,
  decimalText,
  integer,
  moment,
  nullable,
  oneOf,
  openRecord,
  optional,
  record,
  strictlyOptional,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { keyTimes, newKeyEnd } from '../sim/keys.ts'
import { AccountStatus } from '../trading/account.ts'
import { idempotencyKey, keyErrors } from './idempotency.ts'

/** An operator may enter any world by its name; a partner's credential has one. */
export const inWorld = record({
  'x-quipu-world': strictlyOptional(text({ min: 1, max: 64 })).about(
    'For operators: the world that is meant, where it is not the one of the credential.',
  ),
})

/** A name of one logical call: the same again is done once. */
export const withKey = record({ ...inWorld.fields, 'idempotency-key': strictlyOptional(idempotencyKey) })

const Flavour = oneOf('paper', 'live')
const printable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** A position as `GET /v2/positions` tells it, here or elsewhere; whatever else stands in it is not looked at. */
const NewPosition = record({
  symbol: text({ min: 1, max: 64 }).about('A pair of coins also without its slash: BTCUSD.'),
  qty: decimal({ beyond: 'kept' }).about('Negative for a short. Rounded to nine places.'),
  side: optional(oneOf('long', 'short')).about('A short is one also where its quantity has no sign.'),
  cost_basis: optional(decimal({ beyond: 'kept' })).about('What was paid for all of it.'),
  avg_entry_price: optional(decimal({ beyond: 'kept' })).about(
    'Stands in where cost_basis is left out; else it is what the last trade says.',
  ),
}).named('NewPosition')

const positions = () => array(NewPosition, { max: 1000 })
const cash = () => decimal({ beyond: 'kept' }).about('Rounded to cents.')

/** What the broker knows of people is of no meaning here, and kept for whoever asks. */
const told = {
  contact: anything(),
  identity: anything(),
  disclosures: anything(),
  agreements: anything(),
  documents: anything(),
  trusted_contact: anything(),
}

const NewAccount = openRecord(
  record({
    client_account_id: optional(text({ min: 1, max: 128, pattern: printable })).about(
      'A name of the caller. The same again with the same body is the same account.',
    ),
    user: optional(text({ min: 1, max: 128 })).about(
      'Owner: the name or id of a person, who signs in and allows apps to act in it. A partner names a person who has an account with it.',
    ),
    flavour: withDefault(Flavour, 'paper'),
    cash: optional(cash().where((dollars) => !dollars.startsWith('-'), 'cash: expected zero or more')),
    positions: withDefault(positions(), []),
    ...told,
  }).named('NewAccount'),
)

export const BlockKind = oneOf('trading', 'transfers', 'account')

const Block = record({
  block: BlockKind,
  reason: nullable(text()),
  since: timestamp(),
}).named('AccountBlock')

export const BrokerAccount = openRecord(
  record({
    id: uuid(),
    account_number: text(),
    status: AccountStatus,
    crypto_status: AccountStatus,
    account_type: anything(),
    trading_type: anything(),
    currency: text(),
    last_equity: decimalText().about('Equity at the close of the trading day before.'),
    flavour: Flavour,
    client_account_id: optional(text()),
    partner_id: uuid(),
    user_id: optional(uuid()).about('The person whose it is.'),
    created_at: timestamp(),
    closed_at: optional(timestamp()),
    blocks: optional(array(Block)).about('What it is forbidden; absent where it is nothing.'),
    ...told,
  }).named('BrokerAccount'),
)

const keyFields = { key_id: text(), created_at: timestamp(), ...keyTimes }
export const AccountKey = record(keyFields).named('AccountKey')
export const CreatedAccountKey = record({ ...keyFields, secret_key: text().about('Shown once.') }).named(
  'CreatedAccountKey',
)

export const accountParam = { account_id: uuid() }
const ofAccount = record(accountParam)
const empty = withDefault(bool(), false).about(
  'Cancels open orders and takes everything out, shares too; else an account must have neither.',
)

export const shared = {
  family: 'broker',
  who: ['partner'],
  scope: 'never',
  headers: inWorld,
  state: 'works',
} as const
const given = ['assetNotFound', 'assetNotShortable', 'noPrice', 'duplicatePosition'] as const
const closing = [
  'invalidParameter',
  'worldNotFound',
  'accountNotFound',
  'accountIsClosed',
  'accountHoldsCustody',
  'mintsPending',
  'transfersBlocked',
] as const

export const brokerAccounts = {
  createAccount: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts',
    summary: 'Opens an account, which is active at once. Every field may be left out; unknown ones are kept.',
    headers: withKey,
    body: NewAccount,
    output: BrokerAccount,
    status: 200,
    errors: [
      'invalidParameter',
      'worldNotFound',
      ...keyErrors,
      'accountIdReused',
      'userNotFound',
      'accountDetailsTooLarge',
      ...given,
    ],
  }),
  listAccounts: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts',
    summary: 'The accounts of the caller, newest first: a partner has its own, an operator all of the world.',
    query: record({
      query: optional(text({ max: 256 })).about(
        'Words apart by spaces; each must stand in the number, the names or what was told of an account.',
      ),
      status: optional(AccountStatus),
      flavour: optional(Flavour),
      created_after: optional(moment()).about('This instant is not included.'),
      created_before: optional(moment()).about('This instant is not included.'),
      sort: withDefault(oneOf('asc', 'desc'), 'desc'),
      limit: withDefault(integer({ min: 1, max: 1000 }), 1000),
      page_token: optional(uuid()).about('The last account of the page before.'),
    }),
    output: array(BrokerAccount),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  getAccountById: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}',
    summary: 'One account.',
    // Other operations of the protocol have a word in this place.
    params: record({ account_id: uuid().refusedAs('accountNotFound') }),
    output: BrokerAccount,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  updateAccount: operation({
    ...shared,
    method: 'PATCH',
    path: '/v1/accounts/{account_id}',
    summary: 'Changes what is told of an account: records field by field; null takes a field away.',
    params: ofAccount,
    body: openRecord(record(told).named('AccountChanges')),
    output: BrokerAccount,
    status: 200,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'accountNotFound',
      'accountIsClosed',
      'accountDetailsTooLarge',
    ],
  }),
  deleteAccount: operation({
    ...shared,
    method: 'DELETE',
    path: '/v1/accounts/{account_id}',
    summary: 'Closes an account. The older spelling of the close action.',
    params: ofAccount,
    query: record({ empty }),
    status: 204,
    errors: [...closing, 'accountNotEmpty', 'accountCashNegative'],
  }),
  closeAccount: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/actions/close',
    summary: 'Closes an account: what cash it has leaves for the bank, and nothing happens in it any more.',
    params: ofAccount,
    query: record({ empty }),
    status: 204,
    errors: [...closing, 'accountNotEmpty', 'accountCashNegative'],
  }),
  resetAccount: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/actions/reset',
    summary: 'Cancels what is open and sets cash and positions. Id, keys and history stay.',
    params: ofAccount,
    body: record({
      cash: optional(cash()).about("What the world's accounts begin with, when left out."),
      positions: withDefault(positions(), []).about('As GET /v2/positions answered, here or elsewhere.'),
    }).named('AccountReset'),
    output: BrokerAccount,
    status: 200,
    errors: [...closing, ...given],
  }),
  listAccountKeys: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/keys',
    summary: 'The keys of an account, without their secrets.',
    params: ofAccount,
    output: array(AccountKey),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  createAccountKey: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/keys',
    summary: 'Makes a key of an account and shows its secret once.',
    params: ofAccount,
    body: record(newKeyEnd).named('NewAccountKey'),
    output: CreatedAccountKey,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'accountIsClosed', 'keyNotFound'],
  }),
  deleteAccountKey: operation({
    ...shared,
    method: 'DELETE',
    path: '/v1/accounts/{account_id}/keys/{key_id}',
    summary: 'Withdraws a key of an account; its open sockets are closed.',
    params: record({ ...accountParam, key_id: text({ min: 1, max: 64 }) }),
    status: 204,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'keyNotFound'],
  }),
}
