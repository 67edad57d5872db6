import type { Client } from '@quipu/sdk'

export type DrillFault = Parameters<Client['createFault']>[0]['body']

/** One failure that a program must survive. */
export type Drill = {
  readonly name: string
  /** `order`: the response to a placement is in doubt. `stream`: updates do not arrive as they should. */
  readonly kind: 'order' | 'stream'
  readonly about: string
  /** What a program that fails has to change. */
  readonly advice: string
  readonly rules: (options: DrillOptions) => readonly DrillFault[]
}

export type DrillOptions = {
  /** The timeout of the program for a request. */
  readonly clientTimeoutMs: number
}

const placing = { operation: 'placeOrder' }
const updates = { stream: 'trade_updates' }
const fills = { ...updates, message: 'fill' }

const order = (name: string, about: string, advice: string, rules: Drill['rules']): Drill => ({
  name,
  kind: 'order',
  about,
  advice,
  rules,
})
const stream = (name: string, about: string, advice: string, ...rules: readonly DrillFault[]): Drill => ({
  name,
  kind: 'stream',
  about,
  advice,
  rules: () => rules,
})

const LOOK_UP =
  'Set your own client_order_id. After a lost response, look the order up by it before you send it again under the same id.'
const SEND_AGAIN = 'Send the order again under the same client_order_id.'
const READ_AGAIN =
  'After each new connection, and from time to time, read your orders and positions: the stream does not repeat what you missed.'

/** The catalogue, in the order of the certificate. */
export const catalogue: readonly Drill[] = [
  order('answer-lost', 'The order is placed, and the connection closes without a response.', LOOK_UP, () => [
    { match: placing, effect: { kind: 'answer_lost' } },
  ]),
  order('request-lost', 'The connection closes before the order is placed.', SEND_AGAIN, () => [
    { match: placing, effect: { kind: 'request_lost' } },
  ]),
  order('error-before', 'The server answers 503, and the order is not placed.', SEND_AGAIN, () => [
    { match: placing, effect: { kind: 'status', status: 503 } },
  ]),
  order('error-after', 'The server answers 502, but the order is placed.', LOOK_UP, () => [
    { match: placing, effect: { kind: 'status', status: 502, applied: true } },
  ]),
  order(
    'rate-limited',
    'The server answers 429 to the first three placements.',
    'Wait for the seconds of Retry-After before the next try, and keep the client_order_id.',
    () => [
      { match: { ...placing, next: 3 }, effect: { kind: 'status', status: 429, retry_after_seconds: 1 } },
    ],
  ),
  order(
    'answer-late',
    'The order is placed, and the response comes after the timeout of the program.',
    LOOK_UP,
    ({ clientTimeoutMs }) => [
      { match: placing, effect: { kind: 'delay', client_timeout_ms: clientTimeoutMs, applied: true } },
    ],
  ),
  order('answer-truncated', 'The order is placed, and half of the response arrives.', LOOK_UP, () => [
    { match: placing, effect: { kind: 'truncated' } },
  ]),
  order('connection-reset', 'The order is placed, and the connection is reset.', LOOK_UP, () => [
    { match: placing, effect: { kind: 'reset', applied: true } },
  ]),
  stream('stream-closed', 'The stream closes instead of reporting a fill.', READ_AGAIN, {
    match: fills,
    effect: { kind: 'close', on: 'message' },
  }),
  stream(
    'stream-silent',
    'The stream answers pings, but reports nothing from the first fill on.',
    'Do not trust a silent stream: read your open orders from time to time.',
    {
      match: fills,
      effect: { kind: 'silence', on: 'message' },
    },
  ),
  stream(
    'stream-half-open',
    'The stream stays open and sends nothing at all from the first fill on.',
    'Send pings, and connect again if no pong comes. Then read your orders.',
    {
      match: fills,
      effect: { kind: 'half_open', on: 'message' },
    },
  ),
  stream('update-twice', 'The stream reports a fill twice.', 'Ignore a fill whose execution_id you know.', {
    match: fills,
    effect: { kind: 'duplicate' },
  }),
  stream(
    'update-reordered',
    'The stream reports a new order after its fill.',
    'Take the status from the order in the message, and never go back from a later one.',
    {
      match: { ...updates, message: 'new' },
      effect: { kind: 'reorder' },
    },
  ),
  stream('update-dropped', 'The stream omits a fill.', READ_AGAIN, {
    match: fills,
    effect: { kind: 'drop' },
  }),
  stream(
    'resubscription-lost',
    'The stream closes, and the subscription of the next connection is ignored.',
    'Wait for the answer to your subscription, and subscribe again if it does not come. Then read your orders.',
    { match: fills, effect: { kind: 'close', on: 'message' } },
    { match: { ...updates, nth: 2 }, effect: { kind: 'lost_subscription' } },
  ),
]
