import type { WithKinds } from './field-kinds.ts'
import type { Operation } from './operation.ts'
import { accountBlocks } from './operations/broker/account-blocks.ts'
import { brokerAccounts } from './operations/broker/accounts.ts'
import { brokerMoney } from './operations/broker/money.ts'
import { tradingAccounts, tradingPartners } from './operations/broker/trading-accounts.ts'
import { barOperations } from './operations/data/bars.ts'
import { corporateActionData } from './operations/data/corporate-actions.ts'
import { emptyData } from './operations/data/empty.ts'
import { halts } from './operations/data/halts.ts'
import { latest } from './operations/data/latest.ts'
import { screener } from './operations/data/screener.ts'
import { ticks } from './operations/data/ticks.ts'
import { oauthClients, oauthSecrets } from './operations/oauth/clients.ts'
import { oauthGrants } from './operations/oauth/grants.ts'
import { machineTokens } from './operations/oauth/machine-tokens.ts'
import { oauth } from './operations/oauth/oauth.ts'
import { oauthPages } from './operations/oauth/pages.ts'
import { oauthTokens } from './operations/oauth/tokens.ts'
import { accountSnapshots } from './operations/reading/account-snapshot.ts'
import { worldAccounts } from './operations/reading/accounts.ts'
import { auditLog } from './operations/reading/audit-log.ts'
import { balances } from './operations/reading/balances.ts'
import { differences } from './operations/reading/difference.ts'
import { explain } from './operations/reading/explain.ts'
import { frames } from './operations/reading/frames.ts'
import { journal } from './operations/reading/journal.ts'
import { worldOrders } from './operations/reading/orders.ts'
import { requests } from './operations/reading/requests.ts'
import { sockets } from './operations/reading/sockets.ts'
import { whatIf } from './operations/reading/what-if.ts'
import { clocks } from './operations/sim/clock.ts'
import { cluster } from './operations/sim/cluster.ts'
import { corporateActions } from './operations/sim/corporate-actions.ts'
import { descriptions } from './operations/sim/descriptions.ts'
import { doctor } from './operations/sim/doctor.ts'
import { faults } from './operations/sim/faults.ts'
import { importedData } from './operations/sim/imported-data.ts'
import { keys, partners } from './operations/sim/keys.ts'
import { marketEvents, worldAssets } from './operations/sim/market.ts'
import { replay } from './operations/sim/replay.ts'
import { runs } from './operations/sim/runs/runs.ts'
import { scenarios } from './operations/sim/scenarios.ts'
import { store } from './operations/sim/store.ts'
import { system } from './operations/sim/system.ts'
import { users } from './operations/sim/users.ts'
import { worldFiles } from './operations/sim/world-files.ts'
import { worlds } from './operations/sim/worlds.ts'
import { issuers } from './operations/tokenization/issuers.ts'
import { requestControl } from './operations/tokenization/request-control.ts'
import { tokenization } from './operations/tokenization/tokenization.ts'
import { tokenizationBroker } from './operations/tokenization/tokenization-broker.ts'
import { account } from './operations/trading/account.ts'
import { activities } from './operations/trading/activities.ts'
import { announcements } from './operations/trading/announcements.ts'
import { assets, optionContracts } from './operations/trading/assets.ts'
import { calendar } from './operations/trading/calendar.ts'
import { accountEventOperations } from './operations/trading/events.ts'
import { orderPreview } from './operations/trading/order-preview.ts'
import { orders } from './operations/trading/orders.ts'
import { portfolioHistory } from './operations/trading/portfolio-history.ts'
import { positions } from './operations/trading/positions.ts'
import { locates, wallets } from './operations/trading/unsupported.ts'
import { watchlists } from './operations/trading/watchlists.ts'
import type { TypeOf, WireOf } from './shape/index.ts'

/** The operations by family. Families are the folders of `operations/` and of the server's `http/`. */
const families = {
  trading: {
    ...account,
    ...activities,
    ...portfolioHistory,
    ...accountEventOperations,
    ...orders,
    ...orderPreview,
    ...assets,
    ...positions,
    ...calendar,
    ...watchlists,
    ...announcements,
    ...optionContracts,
    ...wallets,
    ...locates,
  },
  data: {
    ...barOperations,
    ...latest,
    ...ticks,
    ...halts,
    ...screener,
    ...emptyData,
    ...corporateActionData,
  },
  broker: {
    ...brokerAccounts,
    ...accountBlocks,
    ...brokerMoney,
  },
  oauth: {
    ...oauth,
    ...oauthClients,
    ...oauthSecrets,
    ...oauthGrants,
    ...machineTokens,
    ...oauthTokens,
    ...oauthPages,
  },
  tokenization: {
    ...tokenization,
    ...tokenizationBroker,
    ...requestControl,
    ...issuers,
  },
  sim: {
    ...worlds,
    ...scenarios,
    ...replay,
    ...descriptions,
    ...worldFiles,
    ...clocks,
    ...worldAssets,
    ...marketEvents,
    ...faults,
    ...corporateActions,
    ...importedData,
    ...runs,
    ...keys,
    ...partners,
    ...users,
    ...store,
    ...cluster,
    ...doctor,
    ...system,
  },
  reading: {
    ...journal,
    ...frames,
    ...balances,
    ...requests,
    ...sockets,
    ...auditLog,
    ...explain,
    ...whatIf,
    ...worldAccounts,
    ...accountSnapshots,
    ...differences,
    ...worldOrders,
  },
}

export type Families = typeof families

/** Every operation of the API, by name. */
export const operations = {
  ...families.trading,
  ...families.data,
  ...families.broker,
  ...families.oauth,
  ...families.tokenization,
  ...families.sim,
  ...families.reading,
  ...tradingAccounts,
  ...tradingPartners,
} as const satisfies Record<string, Operation>

export type Operations = typeof operations
export type OperationName = keyof Operations

const byName: Readonly<Record<string, Operation>> = operations

/** The operation of a name; undefined for any other text. */
export const operationNamed = (name: string): Operation | undefined => byName[name]

type Part<O, Key extends string, Absent> = O extends { readonly [K in Key]: infer S } ? TypeOf<S> : Absent
type WirePart<O, Key extends string> = O extends { readonly [K in Key]: infer S }
  ? { readonly [K in Key]: WireOf<S> }
  : unknown
type Empty = { readonly [key: string]: never }

/** The parsed and checked input of a handler. */
export type InputOf<Name extends OperationName> = {
  readonly params: WithKinds<Part<Operations[Name], 'params', Empty>>
  readonly query: WithKinds<Part<Operations[Name], 'query', Empty>>
  readonly headers: Part<Operations[Name], 'headers', Empty>
  readonly body: WithKinds<Part<Operations[Name], 'body', undefined>>
}

/** The input of a client call, before parsing. */
export type CallOf<Name extends OperationName> = WirePart<Operations[Name], 'params'> &
  WirePart<Operations[Name], 'query'> &
  WirePart<Operations[Name], 'headers'> &
  WirePart<Operations[Name], 'body'>

/** The output of an operation: JSON, text, bytes of an image or a file, or undefined if the response is empty. */
export type OutputOf<Name extends OperationName> = Operations[Name] extends { readonly output: infer S }
  ? TypeOf<S>
  : Operations[Name] extends { readonly raw: `image/${string}` | 'application/octet-stream' }
    ? Uint8Array
    : Operations[Name] extends { readonly raw: string }
      ? string
      : undefined

export type Handler<Name extends OperationName, Context> = (
  input: InputOf<Name>,
  context: Context,
) => HandlerOutput<Name> | Promise<HandlerOutput<Name>>

/** A handler may return constant text as bytes. */
type HandlerOutput<Name extends OperationName> =
  | OutputOf<Name>
  | (Operations[Name] extends { readonly raw: string } ? Uint8Array : never)

/** One handler for each operation; a missing handler is a type error. */
export type Handlers<Context, Names extends OperationName = OperationName> = {
  readonly [Name in Names]: Handler<Name, Context>
}
