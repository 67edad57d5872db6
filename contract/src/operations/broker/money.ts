import { operation } from '../../operation.ts'
import {
  array,
  date,
  decimal,
  decimalText,
  integer,
  isPositive,
  moment,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { worldName } from '../sim/world-param.ts'
import { accountParam, shared, withKey } from './accounts.ts'
import { keyErrors } from './idempotency.ts'

const Direction = oneOf('INCOMING', 'OUTGOING')
const TransferType = oneOf('ach', 'wire')
const EntryType = oneOf('JNLC', 'JNLS')

const notPositive = 'expected an amount greater than zero'
const cents = () => decimal({ decimals: 2 }).where(isPositive, notPositive)

export const TransferShape = record({
  id: uuid(),
  account_id: uuid(),
  type: TransferType,
  status: oneOf('COMPLETE'),
  currency: text(),
  amount: decimalText(),
  requested_amount: decimalText(),
  instant_amount: decimalText(),
  fee: decimalText(),
  fee_payment_method: oneOf('user'),
  direction: Direction,
  relationship_id: nullable(text()),
  bank_id: nullable(text()),
  additional_information: nullable(text()),
  reason: nullable(text()),
  created_at: timestamp(),
  updated_at: timestamp(),
  expires_at: nullable(timestamp()),
}).named('Transfer')

export const JournalShape = record({
  id: uuid(),
  entry_type: EntryType,
  from_account: uuid(),
  to_account: uuid(),
  status: oneOf('executed', 'pending', 'rejected').about(
    'pending: the other world has not answered. rejected: money or shares were returned; see reason.',
  ),
  net_amount: decimalText().about('For shares: their market value.'),
  symbol: nullable(text()),
  qty: nullable(decimalText()),
  price: nullable(decimalText()).about('Last trade price. null if there was none.'),
  description: nullable(text()),
  currency: text(),
  system_date: date(),
  settle_date: date(),
  created_at: timestamp(),
  from_world: optional(worldName()).about('The world of from_account, if it is another one.'),
  to_world: optional(worldName()).about('The world of to_account, if it is another one.'),
  transit_id: optional(text()).about(
    'Between two worlds: the id of the journal in both, and in their ledgers.',
  ),
  reason: optional(text()).about('Why the other world rejected the journal.'),
}).named('Journal')

const NewTransfer = record({
  transfer_type: withDefault(TransferType, 'ach'),
  direction: Direction,
  amount: cents().about('Dollars, at most 2 decimals.'),
  additional_information: optional(text({ max: 1024 })),
}).named('NewTransfer')

const NewJournal = record({
  entry_type: EntryType,
  from_account: uuid(),
  to_account: uuid(),
  to_world: optional(worldName()).about('The world of to_account. Default: the same world.'),
  amount: optional(cents()).about('For JNLC: dollars, at most 2 decimals.'),
  symbol: optional(text({ min: 1, max: 64 })).about('For JNLS.'),
  qty: optional(decimal({ excess: 'cut' }).where(isPositive, notPositive)).about(
    'For JNLS: number of shares. Only the first nine decimals count.',
  ),
  description: optional(text({ max: 1024 })),
})
  .refine(({ entry_type, amount, symbol, qty }) => {
    if (entry_type === 'JNLC')
      return amount === undefined ? { field: 'amount', message: 'amount is required for JNLC' } : undefined
    if (symbol === undefined) return { field: 'symbol', message: 'symbol is required for JNLS' }
    return qty === undefined ? { field: 'qty', message: 'qty is required for JNLS' } : undefined
  })
  .named('NewJournal')

const accountErrors = ['invalidParameter', 'worldNotFound', 'accountNotFound'] as const
const limit = withDefault(integer({ min: 1, max: 1000 }), 100)

export const brokerMoney = {
  createTransfer: operation('POST /v1/accounts/{account_id}/transfers', shared, {
    summary: 'Deposit or withdraw money. Completes at once.',
    headers: withKey,
    params: record(accountParam),
    body: NewTransfer,
    output: TransferShape,
    errors: [
      ...accountErrors,
      ...keyErrors,
      'accountIsClosed',
      'transfersBlocked',
      'insufficientWithdrawable',
    ],
  }),
  listTransfers: operation('GET /v1/accounts/{account_id}/transfers', shared, {
    summary: 'List deposits and withdrawals of an account, newest first.',
    params: record(accountParam),
    query: record({
      direction: optional(Direction),
      limit,
      offset: withDefault(integer({ min: 0, max: 10_000 }), 0),
      page_token: optional(uuid()).about('Id of the last transfer of the previous page.'),
    }),
    output: array(TransferShape),
    errors: accountErrors,
  }),
  createJournal: operation('POST /v1/journals', shared, {
    summary:
      'Move cash (JNLC) or shares (JNLS) between two accounts. Executed at once within a world; pending to another.',
    headers: withKey,
    body: NewJournal,
    output: JournalShape,
    errors: [
      ...accountErrors,
      'idempotencyKeyMalformed',
      'idempotencyKeyTooLong',
      'journalKeyReused',
      'accountIsClosed',
      'transfersBlocked',
      'journalToSelf',
      'journalAcrossPartners',
      'insufficientWithdrawable',
      'accountHoldsCustody',
      'insufficientShares',
      'receiverIsShort',
    ],
  }),
  listJournals: operation('GET /v1/journals', shared, {
    summary: 'List journals of the caller, newest first.',
    query: record({
      entry_type: optional(EntryType),
      status: optional(
        oneOf('executed', 'queued', 'sent_to_clearing', 'pending', 'rejected', 'canceled', 'refused'),
      ),
      from_account: optional(uuid()),
      to_account: optional(uuid()),
      after: optional(moment()).about('Exclusive.'),
      before: optional(moment()).about('Exclusive.'),
      limit,
      page_token: optional(uuid()).about('Id of the last journal of the previous page.'),
    }),
    output: array(JournalShape),
    errors: accountErrors,
  }),
  getJournal: operation('GET /v1/journals/{journal_id}', shared, {
    summary: 'Get a journal.',
    params: record({ journal_id: uuid() }),
    output: JournalShape,
    errors: ['invalidParameter', 'worldNotFound', 'journalNotFound'],
  }),
}
