import type { OrderShape } from '../operations/trading/order-record.ts'
import type { TypeOf } from '../shape/index.ts'

export const tradeUpdatesPath = '/stream'
export const tradeUpdatesChannel = 'trade_updates'

/** Messages of a client of `/stream`; clients use both forms of authentication. */
export type TradeStreamRequest =
  | {
      readonly action: 'authenticate'
      readonly data:
        | { readonly key_id: string; readonly secret_key: string }
        | { readonly oauth_token: string }
    }
  | { readonly action: 'auth'; readonly key: string; readonly secret: string }
  | { readonly action: 'listen' | 'unlisten'; readonly data: { readonly streams: readonly string[] } }

/** Messages of the server; the first one is the authentication result. */
export type TradeStreamMessage =
  | { readonly stream: 'authorization'; readonly data: Authorization }
  | { readonly stream: 'listening'; readonly data: { readonly streams: readonly string[] } }
  | { readonly stream: 'trade_updates'; readonly data: TradeUpdate }
  | TradeStreamError

export type Authorization = {
  readonly status: 'authorized' | 'unauthorized'
  readonly action: 'authenticate' | 'listen'
  readonly message?: string
}

/** Has both fields, because old clients crash without `stream` and newer ones read `action`. */
export type TradeStreamError = {
  readonly stream: 'error'
  readonly action: 'error'
  readonly data: { readonly error: string; readonly error_message: string }
}

/** Every order event of the protocol, including events that Quipu never sends. */
export const tradeEvents = [
  'accepted',
  'pending_new',
  'new',
  'partial_fill',
  'fill',
  'canceled',
  'expired',
  'done_for_day',
  'replaced',
  'rejected',
  'pending_cancel',
  'pending_replace',
  'stopped',
  'calculated',
  'suspended',
  'held',
  'order_cancel_rejected',
  'order_replace_rejected',
  'restated',
  'trade_bust',
  'trade_correct',
] as const

export type TradeEvent = (typeof tradeEvents)[number]

export type TradeUpdate = {
  readonly event: TradeEvent
  readonly timestamp: string
  readonly order: TypeOf<typeof OrderShape>
  readonly at: string
  /** ULID; ids sort like the events. */
  readonly event_id: string
  /** Present with `fill` and `partial_fill`, as are price, qty and position_qty. */
  readonly execution_id?: string
  readonly price?: string
  readonly qty?: string
  /** Position after the execution; negative if short. */
  readonly position_qty?: string
}

export const tradeStreamMessages = {
  wrongCredentials: 'access key verification failed',
  noCredentials: 'must provide key_id and secret_key or oauth_token',
  internal: 'internal server error',
  unreadable: 'expected JSON with action authenticate, auth, listen or unlisten',
} as const

export const tradeStreamError = (message: string): TradeStreamError => ({
  stream: 'error',
  action: 'error',
  data: { error: message, error_message: message },
})
