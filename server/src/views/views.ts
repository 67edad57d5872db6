import type {
  AccountId,
  AssetClass,
  ClientOrderId,
  Instant,
  IssuerCode,
  KeyedCall,
  Order,
  OrderId,
  OutsideStatus,
  PartnerId,
  RequestId,
  Side,
  Ticker,
  TokenizationRequest,
} from '@quipu/core'

import type { HistoryQuery } from './history.ts'

/** Which orders of one account, by when they were submitted. */
export type OrdersQuery = {
  readonly accountId: AccountId
  readonly status: 'open' | 'closed' | 'all'
  readonly limit: number
  readonly direction: 'asc' | 'desc'
  /** Both exclusive. */
  readonly after?: Instant
  readonly until?: Instant
  readonly symbols?: readonly Ticker[]
  /** At least one. */
  readonly classes?: readonly AssetClass[]
  readonly side?: Side
  /** Exclusive cursors: by that order's place in the list. Given both, `beforeOrderId` counts. */
  readonly beforeOrderId?: OrderId
  readonly afterOrderId?: OrderId
  /** The place of the cursor's order, where the caller knows it: then the views do not look the order up. */
  readonly cursor?: OrderPlace
  /** Without the legs of parents that have the status and side that are asked for: they stand under those. */
  readonly nested?: boolean
}

/** What orders are sorted by: no two orders share a place. */
export type OrderPlace = Pick<Order, 'submittedAt' | 'createdAt' | 'id'>

/** Which tokenization requests of one account, newest first by when they were made. */
export type RequestsQuery = {
  readonly accountId: AccountId
  readonly limit: number
  readonly kind?: TokenizationRequest['kind']
  readonly status?: OutsideStatus
  readonly underlying?: Ticker
  readonly issuer?: IssuerCode
  readonly network?: string
  /** The name that this side gave the request. */
  readonly label?: string
  /** Both exclusive. */
  readonly after?: Instant
  readonly before?: Instant
}

/**
 * Query tables made from the journal, for what memory has let go. They may lag; whoever asks first waits until
 * they have passed the last event of its account.
 */
export interface Views {
  /** The journal number they have come to. */
  position(): number
  /** The journal has come to this number: go on. */
  follow(seq: number): void
  /** Resolves when the tables hold everything up to this number. */
  reached(seq: number): Promise<void>
  orders(query: OrdersQuery): Promise<readonly Order[]>
  /** The legs of these parents, oldest first, those that others stand in the place of included. */
  legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]>
  order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined>
  orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined>
  requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]>
  request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined>
  /** The newest one the client gave this label. */
  requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined>
  /** By the idempotency key it was made under. */
  requestByKey(accountId: AccountId, key: string): Promise<TokenizationRequest | undefined>
  /** What a partner did under an idempotency key. */
  callByKey(partnerId: PartnerId, key: string): Promise<KeyedCall | undefined>
  /** Records of an account's past; what stands in them depends on the part. */
  history(query: HistoryQuery): Promise<readonly string[]>
  close(): Promise<void>
}

/** The query tables are damaged. Closing the views deletes the tables, and the next opening rebuilds them. */
export class ViewsDamaged extends Error {
  constructor(cause: unknown) {
    super(`the query tables are damaged: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.name = 'ViewsDamaged'
  }
}
