import {
  FOR_ACCOUNT,
  FOR_PARTNER,
  tradingAccounts,
  tradingPartners,
} from '../operations/broker/trading-accounts.ts'
import type { OperationName } from '../operations.ts'
import { brokerExamples } from './broker.table.ts'
import { dataExamples } from './data.table.ts'
import type { Example } from './example.ts'
import { oauthExamples } from './oauth.table.ts'
import { readingExamples } from './reading.table.ts'
import { simExamples } from './sim.table.ts'
import { tokenizationExamples } from './tokenization.table.ts'
import { tradingExamples } from './trading.table.ts'
import { accountId } from './values.table.ts'

export type { Example }

const written = {
  ...tradingExamples,
  ...dataExamples,
  ...brokerExamples,
  ...oauthExamples,
  ...tokenizationExamples,
  ...simExamples,
  ...readingExamples,
}

/** The examples of trading, with the parameters that a partner adds. */
const derived = (names: object, suffix: string, params: object): object =>
  Object.fromEntries(
    Object.keys(names).map((name) => {
      const { input, output } = written[name.slice(0, -suffix.length) as keyof typeof written]
      const call = input as { readonly params?: object; readonly headers?: object }
      return [
        name,
        {
          input: { ...call, params: { ...params, ...call.params }, headers: { ...call.headers } },
          output,
        },
      ]
    }),
  )

export const examples = {
  ...written,
  ...derived(tradingAccounts, FOR_ACCOUNT, { account_id: accountId }),
  ...derived(tradingPartners, FOR_PARTNER, {}),
} as { readonly [Name in OperationName]: Example<Name> }
