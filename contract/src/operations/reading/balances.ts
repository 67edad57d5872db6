import { operation } from '../../operation.ts'
import { array, decimalText, integer, optional, record, text, uuid } from '../../shape/index.ts'
import { ofWorldOrOwner } from '../sim/world-param.ts'
import { formatParameter, nextCursor, paging, resuming } from './reading-parameters.ts'

export const LedgerBalance = record({
  ledger_account: text(),
  account_id: optional(uuid()),
  asset: text(),
  amount: decimalText(),
}).named('LedgerBalance')

export const balances = {
  listBalances: operation('GET /sim/v1/worlds/{world}/balances', ofWorldOrOwner, {
    summary: 'List ledger balances, or the sums of the postings of one order. An account sees its own.',
    query: record({
      ...paging,
      account_id: optional(uuid()),
      asset: optional(text({ min: 1, max: 80, example: 'USD' })),
      order_id: optional(uuid()).about('Only the sums of the postings of this order.'),
      format: formatParameter,
    }),
    headers: record(resuming),
    output: record({
      balances: array(LedgerBalance),
      number: integer().about('Last event included in the balances.'),
      next_cursor: nextCursor,
    }).named('BalancesPage'),
    also: ['text/csv', 'application/x-ndjson', 'text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'orderNotFound', 'eventStreamsFull'],
  }),
}
