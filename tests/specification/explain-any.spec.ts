import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { broker, get, newWorld, postOrder, type World } from './stage.ts'

const ORDERS = 120

const STOCKS = ['AAPL', 'MSFT', 'TSLA', 'NVDA', 'AMZN', 'GOOGL', 'META', 'AMD', 'NFLX', 'SPY', 'QQQ', 'KO']
const COIN = 'BTC/USD'

/** A random order near the market; some orders are invalid. */
function randomOrder(random: Random, price: Readonly<Record<string, number>>): Body {
  const symbol = random.pick([...STOCKS, COIN])
  const side = random.pick(['buy', 'buy', 'buy', 'sell'])
  const near = (by: number): string => (price[symbol]! * (1 + by)).toFixed(2)
  const anywhere = (by: number): string => near((random.next() - 0.5) * by)
  const type = random.pick(['market', 'limit', 'limit', 'limit', 'stop', 'stop_limit', 'trailing_stop'])
  const isStop = type === 'stop' || type === 'stop_limit'
  const ahead = side === 'buy' ? 1 : -1
  const isGroup = random.chance(0.15) && type !== 'trailing_stop' && !isStop
  return {
    symbol,
    side,
    type,
    time_in_force: isGroup
      ? 'gtc'
      : random.pick(['day', 'day', 'gtc', 'gtc', 'gtc', 'ioc', 'fok', 'opg', 'cls']),
    ...(random.chance(0.1)
      ? { notional: '250' }
      : { qty: random.pick(['1', '3', '40', '40', '0.5', '9000000']) }),
    ...(type.includes('limit') && { limit_price: anywhere(0.01) }),
    ...(isStop && { stop_price: near(ahead * 0.001 * (1 + random.next())) }),
    ...(type === 'trailing_stop' && { trail_percent: '0.2' }),
    ...(isGroup && {
      order_class: 'bracket',
      take_profit: { limit_price: near(ahead * 0.02) },
      stop_loss: { stop_price: near(ahead * -0.02) },
    }),
  }
}

async function prices(world: World): Promise<Record<string, number>> {
  const { body: stocks } = await get(world, `/v2/stocks/quotes/latest?symbols=${STOCKS}`)
  const { body: coins } = await get(world, `/v1beta3/crypto/us/latest/quotes?symbols=${COIN}`)
  return Object.fromEntries(
    Object.entries({ ...stocks.quotes, ...coins.quotes }).map(([symbol, quote]) => [
      symbol,
      (quote as Body).ap,
    ]),
  )
}

const explain = (world: World, path: string) =>
  callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/${path}/explain`)

const outcomes: Readonly<Record<string, string>> = {
  filled: 'filled',
  canceled: 'canceled',
  expired: 'expired',
  replaced: 'replaced',
}

test(`every order and refusal has an explanation that agrees with the order (SEED=${seed})`, async () => {
  const random = new Random(seed, 'explain any')
  const world = await newWorld({
    seed: 'any',
    hours: 'nyse',
    start: '2026-01-05T13:30:00Z',
    fill_size: 'displayed',
  })
  const refused: string[] = []
  for (let count = 0; count < ORDERS; count++) {
    const order = randomOrder(random, await prices(world))
    const { status, body, headers } = await postOrder(world, order)
    assert.ok(status === 200 || body.code, JSON.stringify(body))
    if (status !== 200) refused.push(headers.get('x-request-id')!)
    else if (random.chance(0.1)) await call(world, 'DELETE', `/v2/orders/${body.id}`)
    if (random.chance(0.3)) await world.advance(random.pick(['1s', '40s', '20m']))
  }
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { until: 'next_close' })
  await world.advance('2m')

  const { body: orders } = await get(world, '/v2/orders?status=all&limit=500')
  assert.ok(orders.length > 20 && refused.length > 5, `${orders.length} orders, ${refused.length} refusals`)
  for (const order of orders) assertAgrees(order, await explain(world, `orders/${order.id}`))
  for (const id of refused) {
    const { status, body } = await explain(world, `requests/${id}`)
    assert.deepEqual([status, body.outcome], [200, 'refused'], JSON.stringify(body))
    assert.ok(body.steps.length > 0 && body.summary.length > 0)
  }
})

function assertAgrees(order: Body, { status, body }: { status: number; body: Body }): void {
  const details = `${JSON.stringify(order)}\n${JSON.stringify(body)}`
  assert.equal(status, 200, details)
  assert.equal(body.outcome, outcomes[order.status] ?? 'open', details)
  const fills = body.steps.filter((step: Body) => step.code === 'filled')
  assert.equal(fills.at(-1)?.numbers.filled_qty ?? '0', order.filled_qty, details)
  for (const { numbers } of fills)
    if (numbers.volume_cap !== 'unlimited')
      assert.ok(Number(numbers.qty) + Number(numbers.queue_ahead) <= Number(numbers.volume_cap), details)
  const numbers = body.steps
    .map(({ number }: Body) => number)
    .filter((number: unknown) => number !== undefined)
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
    details,
  )
  assert.doesNotMatch(JSON.stringify(body), /Something else|undefined|null|NaN/, details)
  const limitOf = (code: string): number =>
    Number(body.counterfactual.find((step: Body) => step.code === code)?.numbers.limit_price)
  const [limit, inLifetime, atOnce] = [
    Number(order.limit_price),
    limitOf('limitInLife'),
    limitOf('limitAtOnce'),
  ]
  if (Number.isNaN(inLifetime) || Number.isNaN(atOnce)) return
  assert.ok(
    order.side === 'buy'
      ? limit < inLifetime && inLifetime <= atOnce
      : limit > inLifetime && inLifetime >= atOnce,
    details,
  )
}
