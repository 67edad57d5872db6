import { type Body, type Broker, call, callAsOperator, newWorld } from '../broker.ts'
import { StreamClient } from '../stream-client.ts'

/** What the load has asked for, and whether it was answered as it should be. */
export type Asked = {
  requests: number
  /** The first few answers that should have been others. */
  readonly unexpected: string[]
  /** Market orders, each of which is filled once. */
  filled: number
  /** Orders that rest, each of which is canceled some turns later. */
  readonly resting: string[]
  canceled: number
}

export const nothingAsked = (): Asked => ({
  requests: 0,
  unexpected: [],
  filled: 0,
  resting: [],
  canceled: 0,
})

const order = { symbol: 'KO', qty: '1', time_in_force: 'day' }
const REST_TURNS = 10

/**
 * What is bought in one turn is sold half a round later, when its order has long been filled: nobody may sell what they
 * have an order to buy. For the same reason what rests is of another symbol, `resting`.
 */
const traded = 'AAPL MSFT NVDA AMZN META TSLA JPM PEP WMT XOM CVX JNJ PFE DIS NKE INTC AMD GE BA PG'.split(
  ' ',
)
const resting = 'F'

/** So that there always is something to sell and to mint. */
export async function begin(broker: Broker, asked: Asked): Promise<void> {
  for (const symbol of [order.symbol, ...traded]) {
    const first = { ...order, symbol, qty: '10', side: 'buy', type: 'market' }
    const { status, body } = await call(broker, 'POST', '/v2/orders', first)
    count(asked, 200, status, JSON.stringify(body))
    asked.filled++
  }
}

/** Each turn: one bought, one sold, one that will rest, one canceled, one refused, one page read. */
export async function oneTurn(broker: Broker, asked: Asked, turn: number): Promise<void> {
  const ask = async (want: number, method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await call(broker, method, path, body)
    count(asked, want, answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  asked.filled += 2
  const bought = traded[turn % traded.length]!
  const sold = traded[(turn + traded.length / 2) % traded.length]!
  const [rests] = await Promise.all([
    ask(200, 'POST', '/v2/orders', {
      ...order,
      symbol: resting,
      side: 'buy',
      type: 'limit',
      limit_price: '1',
    }),
    ask(200, 'POST', '/v2/orders', { ...order, symbol: bought, side: 'buy', type: 'market' }),
    ask(200, 'POST', '/v2/orders', { ...order, symbol: sold, side: 'sell', type: 'market' }),
    ask(422, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'market', symbol: 'NOSUCH' }),
    ask(200, 'GET', pages[turn % pages.length]!),
  ])
  asked.resting.push(rests.id)
  if (asked.resting.length > REST_TURNS) {
    await ask(204, 'DELETE', `/v2/orders/${asked.resting.shift()}`)
    asked.canceled++
  }
  if (turn % 20 === 19) await mint(broker, asked, turn)
  if (turn % 50 === 49) await visit(broker, asked)
}

const pages = [
  '/v2/account',
  '/v2/orders?status=all&limit=50',
  '/v2/positions',
  '/v2/assets/KO',
  '/v2/orders?status=open',
  '/v2/clock',
]

function count(asked: Asked, want: number, status: number, what: string): void {
  asked.requests++
  if (status !== want) asked.unexpected.push(`${status} for ${want}: ${what}`.slice(0, 300))
}

async function mint(broker: Broker, asked: Asked, turn: number): Promise<void> {
  const wanted = {
    underlying_symbol: 'KO',
    qty: '0.001',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  }
  const key = { 'Idempotency-Key': `steady-${turn}` }
  const { status, body } = await call(broker, 'POST', '/v2/tokenization/mint', wanted, key)
  count(asked, 200, status, JSON.stringify(body))
}

/** A world and a stream that come and go: nothing of them may stay. */
async function visit(broker: Broker, asked: Asked): Promise<void> {
  const world = await newWorld(broker)
  const stream = await StreamClient.open(`${broker.url}/stream`)
  await stream.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await stream.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  const placed = await call(world, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'market' })
  count(asked, 200, placed.status, 'an order in a world')
  const { status } = await world.advance('1d')
  count(asked, 200, status, 'an advance by a day')
  await stream.close()
  const gone = await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world.world}`)
  count(asked, 204, gone.status, 'the end of a world')
}
