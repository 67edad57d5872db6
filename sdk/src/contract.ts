import type {
  AccountRecord,
  AccountSnapshotRecord,
  AuditEntryRecord,
  BarRecord,
  CallOf,
  CandlesRecord,
  JournalEventRecord,
  LedgerLegRecord,
  LoggedRequestRecord,
  OpenSocketRecord,
  OperationName,
  OrderRecord,
  OutputOf,
  PositionRecord,
  StoredRunRecord,
  WorldOrderRecord,
} from '@quipu/contract'
import type { Camel } from './records/case.ts'

// The only file that imports the contract. The build replaces it with flat declarations and a table of routes, so that
// the published package has no schemas and imports no other package.

export {
  type ActivityEvent,
  type ClientRoute,
  type ClockMessage,
  type DataStreamMessage,
  type OperationName,
  type OrderType,
  type orderTypes,
  routes,
  type SnapshotChanges,
  type SnapshotMessage,
  type TokenizationEvent,
  type TradeUpdate,
  type WorldsMessage,
} from '@quipu/contract'

export type Account = AccountRecord
/** The records with camelCase names. The build writes them flat. */
export type CamelAccount = Camel<AccountRecord>
export type CamelOrder = Omit<Camel<OrderRecord>, 'legs'> & {
  readonly legs: readonly CamelOrder[] | undefined
}
export type CamelPosition = Camel<PositionRecord>
export type AccountSnapshot = AccountSnapshotRecord
export type AuditEntry = AuditEntryRecord
export type Bar = BarRecord
export type Candles = CandlesRecord
export type JournalEvent = JournalEventRecord
export type LedgerLeg = LedgerLegRecord
export type LoggedRequest = LoggedRequestRecord
export type OpenSocket = OpenSocketRecord
export type Order = OrderRecord
/** A run that a server stores. */
export type ServerRun = StoredRunRecord
export type WorldOrder = WorldOrderRecord

type MayBeEmpty<Part> = Record<never, never> extends Part ? true : false
type Flat<T> = { readonly [K in keyof T]: T[K] }
/** A part of the request may be omitted if all of its inputs are optional. */
type Loose<Call> = Flat<
  { [K in keyof Call as MayBeEmpty<Call[K]> extends true ? never : K]: Call[K] } & {
    [K in keyof Call as MayBeEmpty<Call[K]> extends true ? K : never]?: Call[K]
  }
>

export type Call<Name extends OperationName> = Loose<CallOf<Name>>
export type Output<Name extends OperationName> = OutputOf<Name>
export type ResponseInfo = { readonly status: number; readonly headers: Headers }
export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  /** Called with status and headers of a successful response. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}
type Arguments<Name extends OperationName> =
  MayBeEmpty<Call<Name>> extends true
    ? [call?: Call<Name>, options?: CallOptions]
    : [call: Call<Name>, options?: CallOptions]

/** One method per operation of the contract, with its name. */
export type Client = {
  readonly [Name in OperationName]: (...args: Arguments<Name>) => Promise<OutputOf<Name>>
}
