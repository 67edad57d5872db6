import { ApiError, type Call, createClient, createQuipu, type Quipu } from '@quipu/sdk'
import { openStage } from './stage.ts'

/** A world with a story, for screenshots and for trying the dashboard: the same calls give the same world. */
export type Demo = { readonly world: string; readonly account: string }

type Body = Call<'placeOrder'>['body']
/** The rest of the order follows from the act. */
type Order = Pick<Body, 'symbol' | 'qty' | 'side' | 'time_in_force'>

const SEED = '7'
const START = '2025-12-15T09:30:00-05:00'

/** What the account bought in December. */
const positions: readonly Order[] = [
  { symbol: 'AAPL', qty: '70', side: 'buy' },
  { symbol: 'MSFT', qty: '24', side: 'buy' },
  { symbol: 'SPY', qty: '15', side: 'buy' },
  { symbol: 'NVDA', qty: '60', side: 'buy' },
  { symbol: 'KO', qty: '120', side: 'buy' },
  { symbol: 'TSLA', qty: '18', side: 'sell' },
]

/** The day of the crash: times in New York, and what a program did then. Prices are relative to the last price. */
type Act = {
  readonly at: string
  readonly id: string
  readonly order: Order | 'cancel'
  readonly limit?: number
  readonly stop?: number
}

const day: readonly Act[] = [
  { at: '09:58:31', id: 'trim-1', order: { symbol: 'NVDA', qty: '15', side: 'sell' } },
  { at: '10:04:05', id: 'dip-buyer-1', order: { symbol: 'AAPL', qty: '45', side: 'buy' }, limit: 0.965 },
  { at: '10:04:05', id: 'dip-buyer-2', order: { symbol: 'AAPL', qty: '30', side: 'buy' }, limit: 0.9 },
  { at: '10:05:00', id: 'dip-buyer-3', order: { symbol: 'NVDA', qty: '30', side: 'buy' }, limit: 0.96 },
  {
    at: '10:06:00',
    id: 'take-1',
    order: { symbol: 'KO', qty: '120', side: 'sell', time_in_force: 'gtc' },
    limit: 1.03,
  },
  { at: '10:47:30', id: 'dip-buyer-2', order: 'cancel' },
  { at: '10:48:00', id: 'cover-1', order: { symbol: 'TSLA', qty: '8', side: 'buy' } },
  { at: '11:10:00', id: 'trim-2', order: { symbol: 'AAPL', qty: '25', side: 'sell' } },
  {
    at: '11:20:00',
    id: 'guard-1',
    order: { symbol: 'AAPL', qty: '50', side: 'sell', time_in_force: 'gtc' },
    stop: 0.985,
  },
  {
    at: '11:25:00',
    id: 'guard-2',
    order: { symbol: 'MSFT', qty: '10', side: 'sell', time_in_force: 'gtc' },
    limit: 1.03,
  },
  {
    at: '11:40:00',
    id: 'dip-buyer-4',
    order: { symbol: 'NVDA', qty: '12', side: 'buy', time_in_force: 'gtc' },
    limit: 0.99,
  },
]

const CRASH_DAY = '2026-01-05'
const at = (time: string): string => `${CRASH_DAY}T${time}-05:00`

const marketEvents = [
  { kind: 'crash', at: at('10:26:00'), depth: '0.06', minutes: 14, recovers: true },
  { kind: 'halt', symbol: 'TSLA', from: at('10:50:00'), to: at('11:05:00') },
  { kind: 'thin', symbol: 'NVDA', from: at('11:30:00'), to: at('12:00:00'), times: '4' },
  { kind: 'pause', symbol: 'AMD', at: at('13:10:00'), minutes: 5, limit: 'down' },
] as const

type Operator = { readonly url: string; readonly keyId: string; readonly secretKey: string }

/** Creates the world and plays it up to noon of the crash day. */
export async function makeDemo(operator: Operator, world = 'flash-crash'): Promise<Demo> {
  const client = createClient(operator)
  const body = {
    world,
    seed: SEED,
    start: START,
    hours: 'nyse',
    fill_size: 'displayed',
    latency: '40ms',
    accounts: 2,
    market_events: marketEvents as never,
  } as const
  const created = await client.createWorld({ body })
  const [first] = created.accounts
  const account = createQuipu({ url: operator.url, keyId: first!.key_id, secretKey: first!.secret_key })
  const advance = (to: string) => client.advanceClock({ params: { world }, body: { to } })
  await advance('2025-12-15T10:00:00-05:00')
  for (const order of positions)
    await account.orders.place({ type: 'market', time_in_force: 'day', ...order } as Body)
  await advance(at('09:31:00'))
  for (const act of day) {
    await advance(at(act.at))
    await place(account, act)
  }
  await advance(at('12:12:40'))
  return { world, account: first!.account_number }
}

let common: Promise<string> | undefined

/** A demo world that the specs of a process share. A spec may cancel an order of it, and changes nothing else. */
export function commonDemo(): Promise<string> {
  common ??= openStage()
    .then(({ broker: { url, brokerKey: keyId, brokerSecret: secretKey } }) =>
      makeDemo({ url, keyId, secretKey }),
    )
    .then(({ world }) => world)
  return common
}

/** What the same account does in a fork: it sells on the way down instead of buying. */
const stops = [
  { symbol: 'AAPL', qty: '70' },
  { symbol: 'SPY', qty: '15' },
  { symbol: 'NVDA', qty: '45' },
]

/** Forks the world before the crash and plays it to the same instant, to compare both. */
export async function makeFork(operator: Operator, parent: string, world = 'with-stops'): Promise<Demo> {
  const client = createClient(operator)
  const created = await client.forkWorld({ params: { world: parent }, body: { world, at: at('10:20:00') } })
  const [first] = created.accounts
  const account = createQuipu({ url: operator.url, keyId: first!.key_id, secretKey: first!.secret_key })
  for (const { id } of await account.orders.list({ status: 'open' })) await account.orders.cancel(id)
  for (const { symbol, qty } of stops)
    await place(account, { at: '', id: `stop-${symbol}`, order: { symbol, qty, side: 'sell' }, stop: 0.985 })
  await client.advanceClock({ params: { world }, body: { to: at('12:12:40') } })
  return { world, account: first!.account_number }
}

/** A world with mints in different states, and a redemption. */
export async function makeMints(operator: Operator, world = 'tokens'): Promise<Demo> {
  const client = createClient(operator)
  const params = { world }
  const created = await client.createWorld({
    body: { world, seed: SEED, start: at('10:00:00'), hours: 'nyse' },
  })
  const { key_id: keyId, secret_key: secretKey, ...account } = created.accounts[0]!
  const { orders } = createQuipu({ url: operator.url, keyId, secretKey })
  const advance = (by: string) => client.advanceClock({ params, body: { by } })
  for (const order of positions.slice(0, 4))
    await orders.place({ type: 'market', time_in_force: 'day', ...order } as Body)
  await advance('1m')
  const token = { issuer: 'xstocks', network: 'base', account_id: account.account_id } as const
  const mint = (symbol: string, qty: string) =>
    client.createWorldMint({
      params,
      body: { ...token, underlying_symbol: symbol, qty, wallet_address: `0x${'5a'.repeat(20)}` },
    })
  await client.changeIssuer({ params: { world, issuer: 'xstocks' }, body: { delay_seconds: 40 } })
  for (const [symbol, qty] of [
    ['AAPL', '25'],
    ['SPY', '6'],
    ['NVDA', '12.5'],
  ] as const) {
    await mint(symbol, qty)
    await advance('7m')
  }
  await client.simulateRedemption({ params, body: { ...token, underlying_symbol: 'AAPL', qty: '4' } })
  const rejected = await mint('SPY', '2')
  const held = await mint('AAPL', '10')
  await advance('11s')
  const requestOf = ({ tokenization_request_id: id }: typeof held) => ({
    ...params,
    tokenization_request_id: id,
  })
  await client.rejectRequest({ params: requestOf(rejected), body: {} })
  await client.holdRequest({ params: requestOf(held) })
  await advance('4m')
  await mint('NVDA', '3')
  await advance('18s')
  return { world, account: account.account_number }
}

async function place(account: Quipu, { id, order, limit, stop }: Act): Promise<void> {
  if (order === 'cancel') {
    const { id: orderId } = await account.orders.byClientOrderId(id)
    return account.orders.cancel(orderId)
  }
  const price = await account.latestPrice(order.symbol!)
  const near = (factor: number) => (price * factor).toFixed(2)
  const body = {
    time_in_force: 'day',
    ...order,
    client_order_id: id,
    type: limit === undefined ? (stop === undefined ? 'market' : 'stop') : 'limit',
    ...(limit !== undefined && { limit_price: near(limit) }),
    ...(stop !== undefined && { stop_price: near(stop) }),
  } as Body
  await account.orders.place(body).catch((error) => {
    // A story goes on without an order that the market made impossible.
    if (!(error instanceof ApiError)) throw error
    console.error(`${id}: ${error.message}`)
  })
}

if (import.meta.main) {
  const [url = '', keyId = '', secretKey = ''] = process.argv.slice(2)
  const demo = await makeDemo({ url, keyId, secretKey })
  console.log(
    demo,
    await makeFork({ url, keyId, secretKey }, demo.world),
    await makeMints({ url, keyId, secretKey }),
  )
}
