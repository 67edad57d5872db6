import type { Client } from '@quipu/sdk'

export type DrillFault = Parameters<Client['createFault']>[0]['body']

/** What happens to the program or to its world, besides faults, when its first order was answered; `clock` and `split` from the start. */
export type Disturbance =
  | { readonly kind: 'kill' }
  | { readonly kind: 'sleep'; readonly by: string }
  | { readonly kind: 'block' }
  | { readonly kind: 'clock'; readonly offsetMs: number }
  | { readonly kind: 'split' }

/** One failure that a program must survive. */
export type Drill = {
  readonly name: string
  /**
   * `order`: the response to a placement is in doubt. `stream`: updates do not arrive as they should. `program`: it is killed,
   * or its time is wrong. `account`: its account changes.
   */
  readonly kind: 'order' | 'stream' | 'program' | 'account'
  readonly about: string
  /** What a program that fails has to change. */
  readonly advice: string
  readonly rules: (options: DrillOptions) => readonly DrillFault[]
  readonly disturbance?: Disturbance
  /** `trades`: it trades as without faults. `goes on`: it may trade differently, but must not end or lose sight of an order. */
  readonly expects: 'trades' | 'goes on'
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
  expects: 'trades',
})
const stream = (name: string, about: string, advice: string, ...rules: readonly DrillFault[]): Drill => ({
  name,
  kind: 'stream',
  about,
  advice,
  rules: () => rules,
  expects: 'trades',
})
const killed = (name: string, about: string, rules: readonly DrillFault[]): Drill => ({
  name,
  kind: 'program',
  about,
  advice: RESTART,
  rules: () => rules,
  disturbance: { kind: 'kill' },
  expects: 'trades',
})

const LOOK_UP =
  'Set your own client_order_id. After a lost response, look the order up by it before you send it again under the same id.'
const RESTART =
  'When the program starts, read your orders and positions first. Derive the client_order_id from what the order is for, so that it is the same after a restart.'
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
  killed('killed-before', 'The program is killed before its first order arrives, and started again.', [
    { match: placing, effect: { kind: 'request_lost' } },
  ]),
  killed('killed-during', 'The program is killed when its first order is placed, before the response.', [
    { match: placing, effect: { kind: 'answer_lost' } },
  ]),
  killed(
    'killed-after',
    'The program is killed after the response to its first order, and started again.',
    [],
  ),
  {
    name: 'machine-sleeps',
    kind: 'program',
    about: 'An hour passes at once after the first order, as if the machine had slept.',
    advice:
      'Compare times instead of counting ticks, and read your orders and positions after a jump of the clock.',
    rules: () => [],
    disturbance: { kind: 'sleep', by: '1h' },
    expects: 'goes on',
  },
  {
    name: 'clock-wrong',
    kind: 'program',
    about: 'The clock of the machine is three minutes behind.',
    advice: 'Take times from the broker (GET /v2/clock, bars, orders), not from the machine.',
    rules: () => [],
    disturbance: { kind: 'clock', offsetMs: -180_000 },
    expects: 'goes on',
  },
  {
    name: 'account-blocked',
    kind: 'account',
    about: 'From the first order on, the account may place no orders.',
    advice: 'Handle 403: wait, tell somebody, and go on when orders are accepted again.',
    rules: () => [],
    disturbance: { kind: 'block' },
    expects: 'goes on',
  },
  {
    name: 'split-overnight',
    kind: 'account',
    about: 'The share that is traded first has a split of two for one at the next session.',
    advice:
      'Read positions, open orders and prices again before each session; do not keep quantities of your own.',
    rules: () => [],
    disturbance: { kind: 'split' },
    expects: 'goes on',
  },
]

/** Drills of time and of sessions, which only a replay has. */
export const needsReplay = ({ disturbance }: Drill): boolean =>
  disturbance?.kind === 'clock' || disturbance?.kind === 'split'
