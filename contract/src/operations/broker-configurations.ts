import { operation } from '../operation.ts'
import { record } from '../shape/index.ts'
import { AccountConfigurations, ChangeConfigurations } from './account.ts'
import { accountParam, shared } from './broker-accounts.ts'

const ofAccount = {
  ...shared,
  path: '/v1/trading/accounts/{account_id}/account/configurations',
  params: record(accountParam),
  output: AccountConfigurations,
  status: 200,
} as const

/** What the owner of an account chooses for it, for its partner to read and to choose too. */
export const brokerConfigurations = {
  getTradingConfigurations: operation({
    ...ofAccount,
    method: 'GET',
    summary: "What was chosen for one of a partner's accounts.",
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  patchTradingConfigurations: operation({
    ...ofAccount,
    method: 'PATCH',
    summary: "Chooses for one of a partner's accounts, as its owner may; suspend_trade refuses new orders.",
    body: ChangeConfigurations,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'accountIsClosed'],
  }),
}
