import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, call, type Started } from '../support/broker.ts'
import type { Random } from '../support/random.ts'

/**
 * The outcome of a request, as its client knows it:
 *   acknowledged  a success was received
 *   refused       an error was received: the request was not applied
 *   unknown       no response was received
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

export type Placed = {
  readonly request: Readonly<Record<string, unknown>>
  readonly outcome: Outcome
  readonly status?: number
  /** The order in the response. */
  readonly order?: Body
}

/** Every request that a broker's clients sent, with the response they received. */
export type ClientRecords = {
  readonly orders: Map<string, Placed>
  readonly cancels: Map<string, Outcome>
  readonly mints: Map<string, Placed>
  /** The highest event number of all responses. */
  seq: number
}

export const newClientRecords = (): ClientRecords => ({
  orders: new Map(),
  cancels: new Map(),
  mints: new Map(),
  seq: 0,
})

export type Client = {
  readonly broker: Started
  readonly random: Random
  readonly records: ClientRecords
  /** Prefix for ids in this load, so that loads share no id. */
  readonly name: string
}

/**
 * Runs clients at once. Each sends one request after the other until it gets no response or `isOver` returns true.
 * `pauseMs`: between the requests of a client, for a load that lasts as long as something else.
 */
export async function load(
  client: Client,
  clients: number,
  isOver: () => boolean,
  pauseMs = 0,
): Promise<void> {
  let sent = 0
  const one = async (): Promise<void> => {
    while (!isOver()) {
      if (!(await sendAny(client, `${client.name}-${sent++}`))) return
      if (pauseMs > 0) await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
}

/** Starts a load and waits for `responses` responses; `ended` resolves when no more responses are received. */
export async function startLoad(
  client: Client,
  clients: number,
  responses: number,
): Promise<{ readonly ended: Promise<void> }> {
  const enough = Promise.withResolvers<void>()
  // A client sends its second request after the response to its first.
  let sent = 0
  const ended = load(client, clients, () => {
    if (++sent >= clients + responses) enough.resolve()
    return false
  })
  await Promise.race([enough.promise, ended])
  return { ended }
}

/** Returns false when no response was received. */
export async function sendAny(client: Client, id: string): Promise<boolean> {
  const draw = client.random.next()
  if (draw < 0.12) return cancelOne(client)
  if (draw < 0.16) return mint(client, id)
  return place(client, { ...orderBy(client.random, draw), client_order_id: id })
}

const marketOrder = { type: 'market', time_in_force: 'day' }
const restingOrder = { type: 'limit', time_in_force: 'gtc', side: 'buy', limit_price: '1.5' }

function orderBy(random: Random, draw: number): Record<string, unknown> {
  const symbol = random.pick(['AAPL', 'MSFT', 'KO', 'F'])
  if (draw < 0.3) return { ...restingOrder, symbol, qty: String(random.integer(1, 3)) }
  if (draw < 0.6) return { ...marketOrder, symbol, side: 'buy', qty: `0.${random.integer(1, 999_999_999)}` }
  if (draw < 0.8) return { ...marketOrder, symbol, side: 'sell', qty: `0.0${random.integer(1, 99)}` }
  return random.pick([
    { ...marketOrder, symbol: 'NOSUCH', side: 'buy', qty: '1' },
    { ...marketOrder, symbol, side: 'buy', qty: '-1' },
    { ...marketOrder, symbol, side: 'buy', qty: '1000000' },
    { ...marketOrder, symbol, side: 'sell', qty: '1000000' },
    { ...restingOrder, symbol, qty: '1', limit_price: '1.005' },
    { ...restingOrder, symbol, qty: '0.5' },
    { symbol, side: 'buy', qty: '1' },
  ])
}

const UNAVAILABLE_MS = 100

type Sent = Omit<Placed, 'request'>

/** Sends a request and returns its outcome. */
async function send(
  { broker, records }: Client,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  try {
    const response = await call(broker, method, path, body, headers)
    records.seq = Math.max(records.seq, Number(response.headers.get('x-quipu-seq') ?? 0))
    const { status, body: order } = response
    // A proxy received no response.
    if (status === 502 || status === 504) return { outcome: 'unknown' }
    // A client that repeats at once sends thousands of requests while the broker is not ready.
    if (status === 503) await sleep(UNAVAILABLE_MS)
    return { outcome: status < 300 ? 'acknowledged' : 'refused', status, order }
  } catch {
    return { outcome: 'unknown' }
  }
}

async function place(client: Client, request: Readonly<Record<string, unknown>>): Promise<boolean> {
  const id = String(request['client_order_id'])
  client.records.orders.set(id, { request, outcome: 'unknown' })
  const sent = await send(client, 'POST', '/v2/orders', request)
  client.records.orders.set(id, { request, ...sent })
  return sent.outcome !== 'unknown'
}

/** Cancels one of the last resting orders without a cancel request. */
async function cancelOne(client: Client): Promise<boolean> {
  const { random, records } = client
  const resting = [...records.orders.values()]
    .filter(({ order }) => order?.type === 'limit' && !records.cancels.has(order.id))
    .slice(-20)
  const id = random.pick(resting)?.order.id
  if (id === undefined) {
    await sleep(1)
    return true
  }
  records.cancels.set(id, 'unknown')
  const { outcome } = await send(client, 'DELETE', `/v2/orders/${id}`)
  records.cancels.set(id, outcome)
  return outcome !== 'unknown'
}

/** The only symbol that this load mints. */
export const MINTED = 'KO'

async function mint(client: Client, id: string): Promise<boolean> {
  const { random, records } = client
  const request = {
    underlying_symbol: MINTED,
    qty: random.chance(0.2) ? '5000000' : `0.000${random.integer(1, 9)}`,
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    client_request_id: id,
  }
  records.mints.set(id, { request, outcome: 'unknown' })
  const sent = await send(client, 'POST', '/v2/tokenization/mint', request, { 'Idempotency-Key': id })
  records.mints.set(id, { request, ...sent })
  return sent.outcome !== 'unknown'
}
