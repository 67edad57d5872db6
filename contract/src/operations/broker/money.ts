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
import { accountParam, shared, withKey } from './accounts.ts'
import { keyErrors } from './idempotency.ts'

const Direction = oneOf('INCOMING', 'OUTGOING')
const TransferType = oneOf('ach', 'wire')
const EntryType = oneOf('JNLC', 'JNLS')

const above = 'expected an amount greater than zero'
const cents = () => decimal({ places: 2 }).where(isPositive, above)

export const Transfer = record({
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

export const Journal = record({
  id: uuid(),
  entry_type: EntryType,
  from_account: uuid(),
  to_account: uuid(),
  status: oneOf('executed'),
  net_amount: decimalText().about('Of shares: what they were worth.'),
  symbol: nullable(text()),
  qty: nullable(decimalText()),
  price: nullable(decimalText()).about('Of the last trade before; null where nobody knew one.'),
  description: nullable(text()),
  currency: text(),
  system_date: date(),
  settle_date: date(),
  created_at: timestamp(),
}).named('Journal')

const NewTransfer = record({
  transfer_type: withDefault(TransferType, 'ach'),
  direction: Direction,
  amount: cents().about('Dollars, in whole cents.'),
  additional_information: optional(text({ max: 1024 })),
}).named('NewTransfer')

const NewJournal = record({
  entry_type: EntryType,
  from_account: uuid(),
  to_account: uuid(),
  amount: optional(cents()).about('Of a JNLC: dollars, in whole cents.'),
  symbol: optional(text({ min: 1, max: 64 })).about('Of a JNLS.'),
  qty: optional(decimal({ beyond: 'cut' }).where(isPositive, above)).about(
    'Of a JNLS: shares. The first nine decimal places count.',
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

const own = ['invalidParameter', 'worldNotFound', 'accountNotFound'] as const
const limit = withDefault(integer({ min: 1, max: 1000 }), 100)

export const brokerMoney = {
  createTransfer: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/transfers',
    summary: 'Deposits money or takes it out: complete at once.',
    headers: withKey,
    params: record(accountParam),
    body: NewTransfer,
    output: Transfer,
    status: 200,
    errors: [...own, ...keyErrors, 'accountIsClosed', 'transfersBlocked', 'insufficientWithdrawable'],
  }),
  listTransfers: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/transfers',
    summary: 'The deposits and withdrawals of an account, newest first.',
    params: record(accountParam),
    query: record({
      direction: optional(Direction),
      limit,
      offset: withDefault(integer({ min: 0, max: 10_000 }), 0),
      page_token: optional(uuid()).about('The last transfer of the page before.'),
    }),
    output: array(Transfer),
    status: 200,
    errors: own,
  }),
  createJournal: operation({
    ...shared,
    method: 'POST',
    path: '/v1/journals',
    summary: 'Moves cash (JNLC) or shares (JNLS) between two accounts: executed at once.',
    headers: withKey,
    body: NewJournal,
    output: Journal,
    status: 200,
    errors: [
      ...own,
      ...keyErrors,
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
  listJournals: operation({
    ...shared,
    method: 'GET',
    path: '/v1/journals',
    summary: 'The journals of the caller, newest first.',
    query: record({
      entry_type: optional(EntryType),
      status: optional(
        oneOf('executed', 'queued', 'sent_to_clearing', 'pending', 'rejected', 'canceled', 'refused'),
      ),
      from_account: optional(uuid()),
      to_account: optional(uuid()),
      after: optional(moment()).about('This instant is not included.'),
      before: optional(moment()).about('This instant is not included.'),
      limit,
      page_token: optional(uuid()).about('The last journal of the page before.'),
    }),
    output: array(Journal),
    status: 200,
    errors: own,
  }),
  getJournal: operation({
    ...shared,
    method: 'GET',
    path: '/v1/journals/{journal_id}',
    summary: 'One journal.',
    params: record({ journal_id: uuid() }),
    output: Journal,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'journalNotFound'],
  }),
}
