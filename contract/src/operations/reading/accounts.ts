import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  openRecord,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { BrokerAccount } from '../broker/accounts.ts'
import { inWorld, sharedReading } from './reading-parameters.ts'

/** An account with its balances. */
export const WorldAccount = openRecord(
  record({
    ...BrokerAccount.fields,
    cash: decimalText(),
    equity: decimalText().about('Cash and positions at current prices.'),
    buying_power: decimalText(),
    position_market_value: decimalText(),
    positions: integer().about('Number of symbols with a position.'),
  }).named('WorldAccount'),
)

export const worldAccounts = {
  listWorldAccounts: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/accounts',
    summary: 'Lists the accounts of a world with their balances, newest first.',
    params: record(inWorld),
    query: record({
      query: optional(text({ max: 256 })).about(
        'Words apart by spaces; each must stand in the number, the names or what was told of an account.',
      ),
      limit: withDefault(integer({ min: 1, max: 1000 }), 100),
      page_token: optional(uuid()).about('The last account of the page before.'),
    }),
    output: array(WorldAccount),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound'],
  }),
}
