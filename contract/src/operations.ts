import type { Operation } from './operation.ts'
import { account } from './operations/account.ts'
import { accountBlocks } from './operations/account-blocks.ts'
import { accountEvents } from './operations/account-events.ts'
import { activities } from './operations/activities.ts'
import { announcements } from './operations/announcements.ts'
import { assets } from './operations/assets.ts'
import { auditLog } from './operations/audit-log.ts'
import { brokerAccounts } from './operations/broker-accounts.ts'
import { brokerMoney } from './operations/broker-money.ts'
import { calendar } from './operations/calendar.ts'
import { corporateActionData } from './operations/corporate-action-data.ts'
import { corporateActions } from './operations/corporate-actions.ts'
import { cryptoData } from './operations/crypto-data.ts'
import { explain } from './operations/explain.ts'
import { importedData } from './operations/imported-data.ts'
import { issuers } from './operations/issuers.ts'
import { keys } from './operations/keys.ts'
import { locates } from './operations/locates.ts'
import { machineTokens } from './operations/machine-tokens.ts'
import { market } from './operations/market.ts'
import { oauth } from './operations/oauth.ts'
import { oauthClients } from './operations/oauth-clients.ts'
import { oauthPages } from './operations/oauth-pages.ts'
import { oauthTokens } from './operations/oauth-tokens.ts'
import { optionContracts } from './operations/option-contracts.ts'
import { optionData } from './operations/option-data.ts'
import { orders } from './operations/orders.ts'
import { otherData } from './operations/other-data.ts'
import { partners } from './operations/partners.ts'
import { portfolioHistory } from './operations/portfolio-history.ts'
import { positions } from './operations/positions.ts'
import { reading } from './operations/reading.ts'
import { stockMeta } from './operations/stock-meta.ts'
import { stockTicks } from './operations/stock-ticks.ts'
import { system } from './operations/system.ts'
import { tokenization } from './operations/tokenization.ts'
import { tokenizationBroker } from './operations/tokenization-broker.ts'
import { tokenizationWorld } from './operations/tokenization-world.ts'
import { tradingAccounts, tradingPartners } from './operations/trading-accounts.ts'
import { users } from './operations/users.ts'
import { wallets } from './operations/wallets.ts'
import { watchlists } from './operations/watchlists.ts'
import { weather } from './operations/weather.ts'
import { worldAccounts } from './operations/world-accounts.ts'
import { worldAssets } from './operations/world-assets.ts'
import { worlds } from './operations/worlds.ts'
import type { GivenOf, TypeOf } from './shape/index.ts'

/** Every operation of the platform, by name. */
export const operations = {
  ...account,
  ...activities,
  ...portfolioHistory,
  ...accountEvents,
  ...orders,
  ...assets,
  ...positions,
  ...calendar,
  ...watchlists,
  ...announcements,
  ...optionContracts,
  ...wallets,
  ...locates,
  ...market,
  ...stockTicks,
  ...stockMeta,
  ...cryptoData,
  ...optionData,
  ...otherData,
  ...corporateActionData,
  ...oauth,
  ...oauthClients,
  ...machineTokens,
  ...oauthTokens,
  ...oauthPages,
  ...brokerAccounts,
  ...accountBlocks,
  ...tradingAccounts,
  ...tradingPartners,
  ...brokerMoney,
  ...tokenization,
  ...tokenizationBroker,
  ...tokenizationWorld,
  ...issuers,
  ...worlds,
  ...worldAccounts,
  ...worldAssets,
  ...weather,
  ...corporateActions,
  ...importedData,
  ...keys,
  ...partners,
  ...users,
  ...reading,
  ...auditLog,
  ...explain,
  ...system,
} as const satisfies Record<string, Operation>

export type Operations = typeof operations
export type OperationName = keyof Operations

type Part<O, Key extends string, Absent> = O extends { readonly [K in Key]: infer S } ? TypeOf<S> : Absent
type GivenPart<O, Key extends string> = O extends { readonly [K in Key]: infer S }
  ? { readonly [K in Key]: GivenOf<S> }
  : unknown
type Empty = { readonly [key: string]: never }

/** What a handler receives: everything read and checked. */
export type InputOf<Name extends OperationName> = {
  readonly params: Part<Operations[Name], 'params', Empty>
  readonly query: Part<Operations[Name], 'query', Empty>
  readonly headers: Part<Operations[Name], 'headers', Empty>
  readonly body: Part<Operations[Name], 'body', undefined>
}

/** What a caller writes: the same places, before reading. */
export type CallOf<Name extends OperationName> = GivenPart<Operations[Name], 'params'> &
  GivenPart<Operations[Name], 'query'> &
  GivenPart<Operations[Name], 'headers'> &
  GivenPart<Operations[Name], 'body'>

/** What an operation answers; text or a picture's bytes where it is not JSON, undefined where it is empty. */
export type OutputOf<Name extends OperationName> = Operations[Name] extends { readonly output: infer S }
  ? TypeOf<S>
  : Operations[Name] extends { readonly raw: `image/${string}` }
    ? Uint8Array
    : Operations[Name] extends { readonly raw: string }
      ? string
      : undefined

export type Handler<Name extends OperationName, Context> = (
  input: InputOf<Name>,
  context: Context,
) => Answered<Name> | Promise<Answered<Name>>

/** Text that is always the same may be kept as the bytes it is sent as. */
type Answered<Name extends OperationName> =
  | OutputOf<Name>
  | (Operations[Name] extends { readonly raw: string } ? Uint8Array : never)

/** One handler for each operation: a missing one does not compile. */
export type Handlers<Context, Names extends OperationName = OperationName> = {
  readonly [Name in Names]: Handler<Name, Context>
}
