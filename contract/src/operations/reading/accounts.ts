import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  openRecord,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { BrokerAccount } from '../broker/accounts.ts'
import { accountName, ofWorld, operatorOnly, worldParam } from '../sim/world-param.ts'

/** The gain of an account, without transfers. */
export const AccountGain = record({
  at: timestamp().about('Current time of the world.'),
  equity: decimalText().about('Cash and positions at current prices.'),
  transferred: decimalText().about(
    'Value of the deposits, withdrawals, journals, mints and redeems since the account was opened. Shares count at their price in that minute.',
  ),
  gain: decimalText().about('equity minus transferred: the gain since the account was opened.'),
}).named('AccountGain')

/** An account with its balances. */
export const WorldAccountShape = openRecord(
  record({
    ...BrokerAccount.fields,
    name: accountName(),
    cash: decimalText(),
    equity: decimalText().about('Cash and positions at current prices.'),
    buying_power: decimalText(),
    position_market_value: decimalText(),
    positions: integer().about('Number of symbols with a position.'),
  }).named('WorldAccount'),
)

export const worldAccounts = {
  listWorldAccounts: operation('GET /sim/v1/worlds/{world}/accounts', ofWorld, {
    summary: 'List accounts of a world with balances, newest first.',
    query: record({
      query: optional(text({ max: 256 })).about(
        'Search words, separated by spaces. Each must occur in the account number, a name or another detail.',
      ),
      limit: withDefault(integer({ min: 1, max: 1000 }), 100),
      page_token: optional(uuid()).about('Id of the last account of the previous page.'),
    }),
    output: array(WorldAccountShape),
    errors: ['invalidParameter', 'worldNotFound'],
  }),
  getAccountGain: operation('GET /sim/v1/worlds/{world}/accounts/{account_id}/gain', operatorOnly, {
    summary:
      'Get the gain of an account since it was opened. Transfers are no gain, as in the portfolio history.',
    params: record({ ...worldParam, account_id: uuid() }),
    output: AccountGain,
    errors: ['worldNotFound', 'accountNotFound', 'upstreamUnavailable'],
  }),
}
