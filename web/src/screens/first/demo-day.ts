import { ApiError, type Call, type Client, type Quipu } from '@quipu/sdk'

type Body = Call<'placeOrder'>['body']
/** The rest of the order follows from the act. */
export type DemoOrder = Pick<Body, 'symbol' | 'qty' | 'side' | 'time_in_force'>

const SEED = '7'
const START = '2025-12-15T09:30:00-05:00'

/** What the account bought in December. */
export const demoPositions: readonly DemoOrder[] = [
  { symbol: 'AAPL', qty: '70', side: 'buy' },
  { symbol: 'MSFT', qty: '24', side: 'buy' },
  { symbol: 'SPY', qty: '15', side: 'buy' },
  { symbol: 'NVDA', qty: '60', side: 'buy' },
  { symbol: 'KO', qty: '120', side: 'buy' },
  { symbol: 'TSLA', qty: '18', side: 'sell' },
]

/** The day of the crash: times in New York, and what a program did then. Prices are relative to the last price. */
export type DemoAct = {
  readonly at: string
  readonly id: string
  readonly order: DemoOrder | 'cancel'
  readonly limit?: number
  readonly stop?: number
}

const day: readonly DemoAct[] = [
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
export const demoTime = (time: string): string => `${CRASH_DAY}T${time}-05:00`

const marketEvents = [
  { kind: 'crash', at: demoTime('10:26:00'), depth: '0.06', minutes: 14, recovers: true },
  { kind: 'halt', symbol: 'TSLA', from: demoTime('10:50:00'), to: demoTime('11:05:00') },
  { kind: 'thin', symbol: 'NVDA', from: demoTime('11:30:00'), to: demoTime('12:00:00'), times: '4' },
  { kind: 'pause', symbol: 'AMD', at: demoTime('13:10:00'), minutes: 5, limit: 'down' },
] as const

type Demo = {
  readonly world: string
  /** The operations of the operator. */
  readonly client: Pick<Client, 'createWorld' | 'advanceClock'>
  /** The API for the first account of the new world. */
  readonly account: (created: Created) => Quipu
  /** The time of the day that is played next. */
  readonly onProgress?: (time: string) => void
}
type Created = Awaited<ReturnType<Client['createWorld']>>

export const DEMO_END = demoTime('12:12:40')

/** Creates a world and plays it up to noon of the crash day. The same calls give the same world. */
export async function playDemoDay({ world, client, account: accountOf, onProgress }: Demo): Promise<Created> {
  const created = await client.createWorld({
    body: {
      world,
      seed: SEED,
      start: START,
      hours: 'nyse',
      fill_size: 'displayed',
      latency: '40ms',
      accounts: 2,
      market_events: marketEvents as never,
    },
  })
  const account = accountOf(created)
  const advance = (to: string) => client.advanceClock({ params: { world }, body: { to } })
  onProgress?.('December')
  await advance('2025-12-15T10:00:00-05:00')
  for (const order of demoPositions)
    await account.write('placeOrder', { body: { type: 'market', time_in_force: 'day', ...order } as Body })
  await advance(demoTime('09:31:00'))
  for (const act of day) {
    onProgress?.(act.at)
    await advance(demoTime(act.at))
    await doDemoAct(account, act)
  }
  await advance(DEMO_END)
  return created
}

/** Places or cancels an order as the program of the story did. */
export async function doDemoAct(account: Quipu, { id, order, limit, stop }: DemoAct): Promise<void> {
  if (order === 'cancel') {
    const { id: orderId } = await account.orders.byClientOrderId(id)
    await account.orders.cancel(orderId)
    return
  }
  const price = await account.latestPrice(order.symbol!)
  if (price === undefined) return
  const near = (factor: number) => (price * factor).toFixed(2)
  const body = {
    time_in_force: 'day',
    ...order,
    client_order_id: id,
    type: limit === undefined ? (stop === undefined ? 'market' : 'stop') : 'limit',
    ...(limit !== undefined && { limit_price: near(limit) }),
    ...(stop !== undefined && { stop_price: near(stop) }),
  } as Body
  await account.write('placeOrder', { body }).catch((error) => {
    // A story goes on without an order that the market made impossible.
    if (!(error instanceof ApiError)) throw error
  })
}
