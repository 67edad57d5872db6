import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'

/** Counts of the requests of the load and of their responses. */
export type LoadCounts = {
  requests: number
  /** Responses with an unexpected status. */
  readonly unexpected: string[]
  /** Market orders, each of which is filled once. */
  filled: number
  /** Orders that rest, each of which is canceled some turns later. */
  readonly resting: string[]
  canceled: number
}

export const newLoadCounts = (): LoadCounts => ({
  requests: 0,
  unexpected: [],
  filled: 0,
  resting: [],
  canceled: 0,
})

const order = { symbol: 'KO', qty: '1', time_in_force: 'day' }
const REST_TURNS = 10

/**
 * Shares bought in one turn are sold half a round later, when the buy order is filled, because an account may not sell
 * a symbol that it has an open buy order for. For the same reason resting orders use another symbol, `resting`.
 */
const traded = 'AAPL MSFT NVDA AMZN META TSLA JPM PEP WMT XOM CVX JNJ PFE DIS NKE INTC AMD GE BA PG'.split(
  ' ',
)
const resting = 'F'

/** Buys the first shares, so that every later sale and mint is covered. */
export async function buyFirstShares(broker: Broker, counts: LoadCounts): Promise<void> {
  for (const symbol of [order.symbol, ...traded]) {
    const first = { ...order, symbol, qty: '10', side: 'buy', type: 'market' }
    const { status, body } = await call(broker, 'POST', '/v2/orders', first)
    count(counts, 200, status, JSON.stringify(body))
    counts.filled++
  }
}

/** Each turn: one buy, one sale, one resting order, one cancel, one refused order and one read. */
export async function oneTurn(broker: Broker, counts: LoadCounts, turn: number): Promise<void> {
  const send = async (expected: number, method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await call(broker, method, path, body)
    count(counts, expected, response.status, `${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  counts.filled += 2
  const bought = traded[turn % traded.length]!
  const sold = traded[(turn + traded.length / 2) % traded.length]!
  const [rests] = await Promise.all([
    send(200, 'POST', '/v2/orders', {
      ...order,
      symbol: resting,
      side: 'buy',
      type: 'limit',
      limit_price: '1',
    }),
    send(200, 'POST', '/v2/orders', { ...order, symbol: bought, side: 'buy', type: 'market' }),
    send(200, 'POST', '/v2/orders', { ...order, symbol: sold, side: 'sell', type: 'market' }),
    send(422, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'market', symbol: 'NOSUCH' }),
    send(200, 'GET', pages[turn % pages.length]!),
  ])
  counts.resting.push(rests.id)
  if (counts.resting.length > REST_TURNS) {
    await send(204, 'DELETE', `/v2/orders/${counts.resting.shift()}`)
    counts.canceled++
  }
  if (turn % 20 === 19) await mint(broker, counts, turn)
  if (turn % 50 === 49) await useWorld(broker, counts)
}

const pages = [
  '/v2/account',
  '/v2/orders?status=all&limit=50',
  '/v2/positions',
  '/v2/assets/KO',
  '/v2/orders?status=open',
  '/v2/clock',
]

function count(counts: LoadCounts, expected: number, status: number, text: string): void {
  counts.requests++
  if (status !== expected) counts.unexpected.push(`${status} for ${expected}: ${text}`.slice(0, 300))
}

async function mint(broker: Broker, counts: LoadCounts, turn: number): Promise<void> {
  const request = {
    underlying_symbol: 'KO',
    qty: '0.001',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  }
  const key = { 'Idempotency-Key': `steady-${turn}` }
  const { status, body } = await call(broker, 'POST', '/v2/tokenization/mint', request, key)
  count(counts, 200, status, JSON.stringify(body))
}

/** Creates and deletes a world with a stream, which must not leave memory behind. */
async function useWorld(broker: Broker, counts: LoadCounts): Promise<void> {
  const world = await newWorld(broker)
  const stream = await StreamClient.open(`${broker.url}/stream`)
  await stream.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await stream.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  const placed = await call(world, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'market' })
  count(counts, 200, placed.status, 'an order in a world')
  const { status } = await world.advance('1d')
  count(counts, 200, status, 'an advance by a day')
  await stream.close()
  const deleted = await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world.world}`)
  count(counts, 204, deleted.status, 'the deletion of a world')
}
