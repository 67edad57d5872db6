import type { AccountId, ClientOrderId, Instant, Order, OrderId, Side, Ticker } from '@quipu/core'

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
  readonly side?: Side
  /** Exclusive cursors: by that order's place in the list. */
  readonly beforeOrderId?: OrderId
  readonly afterOrderId?: OrderId
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
  order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined>
  orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined>
  close(): Promise<void>
}
