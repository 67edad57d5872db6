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
import { keyTimes, newKeyExpiry } from '../sim/keys.ts'
import { AccountStatus } from '../trading/account.ts'
import { keyErrors, keyHeader } from './idempotency.ts'

/** Operators choose the world with a header. A partner credential belongs to one world. */
export const inPartnerWorld = record({
  'x-quipu-world': strictlyOptional(text({ min: 1, max: 64 })).about(
    'World to use. Operators only. Default: the world of the credential.',
  ),
})

/** A request with the same Idempotency-Key is executed once. */
export const withKey = record({ ...inPartnerWorld.fields, ...keyHeader.fields })

const Flavour = oneOf('paper', 'live')
const printable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** A position in the format of `GET /v2/positions`. Other fields are ignored. */
const NewPosition = record({
  symbol: text({ min: 1, max: 64 }).about('Crypto pairs may omit the slash: BTCUSD.'),
  qty: decimal({ excess: 'kept' }).about('Negative for a short position. Rounded to nine decimals.'),
  side: optional(oneOf('long', 'short')).about('short: the position is short even if qty is positive.'),
  cost_basis: optional(decimal({ excess: 'kept' })).about('Total cost of the position.'),
  avg_entry_price: optional(decimal({ excess: 'kept' })).about(
    'Used if cost_basis is omitted. Default: the price of the last trade.',
  ),
}).named('NewPosition')

const positions = () => array(NewPosition, { max: 1000 })
const cash = () => decimal({ excess: 'kept' }).about('Dollars, rounded to cents.')

/** Personal data of the Broker API. Quipu stores and returns it, but does not check it. */
const details = {
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
      'Your own id. The same id with the same body returns the existing account.',
    ),
    user: optional(text({ min: 1, max: 128 })).about(
      'Owner (user name or id). Partners can name only users who have an account with them.',
    ),
    flavour: withDefault(Flavour, 'paper'),
    cash: optional(cash().where((dollars) => !dollars.startsWith('-'), 'cash: expected zero or more')),
    positions: withDefault(positions(), []),
    partner_id: optional(uuid()).about(
      'Partner of the account, such as the partner of an issuer for a custody account. Only operators can name another.',
    ),
    ...details,
  }).named('NewAccount'),
)

export const BlockKindShape = oneOf('trading', 'transfers', 'account')

const Block = record({
  block: BlockKindShape,
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
    last_equity: decimalText().about('Equity at the close of the previous trading day.'),
    flavour: Flavour,
    client_account_id: optional(text()),
    partner_id: uuid(),
    user_id: optional(uuid()).about('Owner (user id).'),
    created_at: timestamp(),
    closed_at: optional(timestamp()),
    blocks: optional(array(Block)).about('Active blocks. Absent if there are none.'),
    ...details,
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
  'true: cancel open orders and remove cash and positions first. false: refuse an account with open orders or positions.',
)

export const shared = { family: 'broker', who: ['partner'], scope: 'never', headers: inPartnerWorld } as const
const positionErrors = ['assetNotFound', 'assetNotShortable', 'noPrice', 'duplicatePosition'] as const
const closing = [
  'invalidParameter',
  'worldNotFound',
  'accountNotFound',
  'accountIsClosed',
  'accountHoldsCustody',
  'mintsPending',
  'journalsPending',
  'transfersBlocked',
] as const

export const brokerAccounts = {
  createAccount: operation('POST /v1/accounts', shared, {
    summary: 'Open an account. It is active at once. All fields are optional; unknown fields are stored.',
    headers: withKey,
    body: NewAccount,
    output: BrokerAccount,
    errors: [
      'invalidParameter',
      'worldNotFound',
      ...keyErrors,
      'accountIdReused',
      'userNotFound',
      'partnerNotFound',
      'accountDetailsTooLarge',
      ...positionErrors,
    ],
  }),
  listAccounts: operation('GET /v1/accounts', shared, {
    summary:
      'List accounts, newest first. Partners see their own accounts, operators all accounts of the world.',
    query: record({
      query: optional(text({ max: 256 })).about(
        'Search words, separated by spaces. Each must occur in the account number, a name or another detail.',
      ),
      status: optional(AccountStatus),
      flavour: optional(Flavour),
      created_after: optional(moment()).about('Exclusive.'),
      created_before: optional(moment()).about('Exclusive.'),
      sort: withDefault(oneOf('asc', 'desc'), 'desc'),
      limit: withDefault(integer({ min: 1, max: 1000 }), 1000),
      page_token: optional(uuid()).about('Id of the last account of the previous page.'),
    }),
    output: array(BrokerAccount),
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  getAccountById: operation('GET /v1/accounts/{account_id}', shared, {
    summary: 'Get an account.',
    // Some operations of the protocol have a word in place of the id; without them the path is a 404.
    params: record({ account_id: uuid().refusedAs('accountNotFound') }),
    output: BrokerAccount,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  updateAccount: operation('PATCH /v1/accounts/{account_id}', shared, {
    summary: 'Update account details field by field. null removes a field.',
    params: ofAccount,
    body: openRecord(record(details).named('AccountChanges')),
    output: BrokerAccount,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'accountNotFound',
      'accountIsClosed',
      'accountDetailsTooLarge',
    ],
  }),
  deleteAccount: operation('DELETE /v1/accounts/{account_id}', shared, {
    summary: 'Close an account. Older form of the close action.',
    params: ofAccount,
    query: record({ empty }),
    errors: [...closing, 'accountNotEmpty', 'accountCashNegative'],
  }),
  closeAccount: operation('POST /v1/accounts/{account_id}/actions/close', shared, {
    summary: 'Close an account and pay out its cash. A closed account cannot change any more.',
    headers: withKey,
    params: ofAccount,
    query: record({ empty }),
    errors: [...closing, ...keyErrors, 'accountNotEmpty', 'accountCashNegative'],
  }),
  resetAccount: operation('POST /v1/accounts/{account_id}/actions/reset', shared, {
    summary: 'Cancel open orders and set cash and positions. Account id, keys and history stay.',
    headers: withKey,
    params: ofAccount,
    body: record({
      cash: optional(cash()).about('Dollars, rounded to cents. Default: the starting cash of the world.'),
      positions: withDefault(positions(), []).about('Positions in the format of GET /v2/positions.'),
    }).named('AccountReset'),
    output: BrokerAccount,
    errors: [...closing, ...keyErrors, ...positionErrors],
  }),
  listAccountKeys: operation('GET /v1/accounts/{account_id}/keys', shared, {
    summary: 'List keys of an account, without secrets.',
    params: ofAccount,
    output: array(AccountKey),
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  createAccountKey: operation('POST /v1/accounts/{account_id}/keys', shared, {
    summary: 'Create a key for an account. The secret is shown once.',
    params: ofAccount,
    body: record(newKeyExpiry).named('NewAccountKey'),
    output: CreatedAccountKey,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'accountIsClosed', 'keyNotFound'],
  }),
  deleteAccountKey: operation('DELETE /v1/accounts/{account_id}/keys/{key_id}', shared, {
    summary: 'Delete a key of an account and close its open streams.',
    params: record({ ...accountParam, key_id: text({ min: 1, max: 64 }) }),
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'keyNotFound'],
  }),
}
