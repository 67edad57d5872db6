import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, call, type Started } from '../broker.ts'
import type { Random } from '../random.ts'

/**
 * What became of a request, as its client knows it:
 *   acknowledged  a success was received
 *   refused       an error was received: certainly not applied
 *   unknown       no answer came
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

export type Placed = {
  readonly asked: Readonly<Record<string, unknown>>
  readonly outcome: Outcome
  readonly status?: number
  /** The order as it was answered. */
  readonly order?: Body
}

/** Everything the clients of a broker asked for, and what they know of it. */
export type Memory = {
  readonly orders: Map<string, Placed>
  readonly cancels: Map<string, Outcome>
  readonly mints: Map<string, Placed>
  /** The highest journal number any answer carried. */
  seq: number
}

export const newMemory = (): Memory => ({ orders: new Map(), cancels: new Map(), mints: new Map(), seq: 0 })

type Client = {
  readonly broker: Started
  readonly random: Random
  readonly memory: Memory
  /** Where ids of this load begin, so that no other has them. */
  readonly name: string
}

/** Many clients at once, each asking for one thing after the other, until one gets no answer or all are told to stop. */
export async function load(client: Client, clients: number, isOver: () => boolean): Promise<void> {
  let asked = 0
  const one = async (): Promise<void> => {
    while (!isOver()) if (!(await act(client, `${client.name}-${asked++}`))) return
  }
  await Promise.all(Array.from({ length: clients }, one))
}

/** Begins a load and waits until so many answers have come; what it gives is over when no more answers come. */
export async function busyAfter(
  client: Client,
  clients: number,
  answers: number,
): Promise<{ readonly over: Promise<void> }> {
  const enough = Promise.withResolvers<void>()
  // Whoever asks for more than its first thing has had an answer.
  let asked = 0
  const over = load(client, clients, () => {
    if (++asked >= clients + answers) enough.resolve()
    return false
  })
  await Promise.race([enough.promise, over])
  return { over }
}

/** Gives false when no answer came. */
async function act(client: Client, id: string): Promise<boolean> {
  const luck = client.random.next()
  if (luck < 0.12) return cancelSome(client)
  if (luck < 0.16) return mint(client, id)
  return place(client, { ...orderBy(client.random, luck), client_order_id: id })
}

const market = { type: 'market', time_in_force: 'day' }
const far = { type: 'limit', time_in_force: 'gtc', side: 'buy', limit_price: '1.5' }

function orderBy(random: Random, luck: number): Record<string, unknown> {
  const symbol = random.pick(['AAPL', 'MSFT', 'KO', 'F'])
  if (luck < 0.3) return { ...far, symbol, qty: String(random.integer(1, 3)) }
  if (luck < 0.6) return { ...market, symbol, side: 'buy', qty: `0.${random.integer(1, 999_999_999)}` }
  if (luck < 0.8) return { ...market, symbol, side: 'sell', qty: `0.0${random.integer(1, 99)}` }
  return random.pick([
    { ...market, symbol: 'NOSUCH', side: 'buy', qty: '1' },
    { ...market, symbol, side: 'buy', qty: '-1' },
    { ...market, symbol, side: 'buy', qty: '1000000' },
    { ...market, symbol, side: 'sell', qty: '1000000' },
    { ...far, symbol, qty: '1', limit_price: '1.005' },
    { ...far, symbol, qty: '0.5' },
    { symbol, side: 'buy', qty: '1' },
  ])
}

type Sent = Omit<Placed, 'asked'>

/** Sends, and tells what is known afterwards. */
async function send(
  { broker, memory }: Client,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  try {
    const answer = await call(broker, method, path, body, headers)
    memory.seq = Math.max(memory.seq, Number(answer.headers.get('x-quipu-seq') ?? 0))
    const { status, body: order } = answer
    return { outcome: status < 300 ? 'acknowledged' : 'refused', status, order }
  } catch {
    return { outcome: 'unknown' }
  }
}

async function place(client: Client, asked: Readonly<Record<string, unknown>>): Promise<boolean> {
  const id = String(asked['client_order_id'])
  client.memory.orders.set(id, { asked, outcome: 'unknown' })
  const sent = await send(client, 'POST', '/v2/orders', asked)
  client.memory.orders.set(id, { asked, ...sent })
  return sent.outcome !== 'unknown'
}

/** One of the last resting orders that nobody has asked to cancel yet. */
async function cancelSome(client: Client): Promise<boolean> {
  const { random, memory } = client
  const resting = [...memory.orders.values()]
    .filter(({ order }) => order?.type === 'limit' && !memory.cancels.has(order.id))
    .slice(-20)
  const id = random.pick(resting)?.order.id
  if (id === undefined) {
    await sleep(1)
    return true
  }
  memory.cancels.set(id, 'unknown')
  const { outcome } = await send(client, 'DELETE', `/v2/orders/${id}`)
  memory.cancels.set(id, outcome)
  return outcome !== 'unknown'
}

/** The one symbol whose shares become tokens here. */
export const MINTED = 'KO'

async function mint(client: Client, id: string): Promise<boolean> {
  const { random, memory } = client
  const asked = {
    underlying_symbol: MINTED,
    qty: random.chance(0.2) ? '5000000' : `0.000${random.integer(1, 9)}`,
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    client_request_id: id,
  }
  memory.mints.set(id, { asked, outcome: 'unknown' })
  const sent = await send(client, 'POST', '/v2/tokenization/mint', asked, { 'Idempotency-Key': id })
  memory.mints.set(id, { asked, ...sent })
  return sent.outcome !== 'unknown'
}
