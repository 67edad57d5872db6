import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker, get, marketBuy, newWorld, placeOrder, postOrder, restingBuy, type World } from './stage.ts'

const explain = async (world: World, id: string): Promise<Body> => {
  const { status, body } = await callAsOperator(
    broker,
    'GET',
    `/sim/v1/worlds/${world.world}/orders/${id}/explain`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const stepOf = (steps: Body, code: string): Body => {
  const found = steps.find((step: Body) => step.code === code)
  assert.ok(found, `no step ${code} in ${steps.map((step: Body) => step.code)}`)
  return found.numbers
}
const codesOf = (steps: Body): string[] => steps.map((step: Body) => step.code)

/** The latest ask of a symbol. */
async function askOf(world: World, symbol = 'AAPL'): Promise<number> {
  const { body } = await get(world, `/v2/stocks/${symbol}/quotes/latest`)
  return body.quote.ap
}

const seed = 'explained'
const sameWorld = () => newWorld({ seed, start: '2026-01-05T15:00:00Z' })
const limitBuy = (limit: string) => ({ ...restingBuy, limit_price: limit })

test('the limits in an explanation are exact: in the same world they fill at the stated time, and a cent less does not', async () => {
  const first = await sameWorld()
  const limit = ((await askOf(first)) * 0.99).toFixed(2)
  const order = await placeOrder(first, limitBuy(limit))
  await first.advance('10m')
  await call(first, 'DELETE', `/v2/orders/${order.id}`)
  const explanation = await explain(first, order.id)
  const atOnce = stepOf(explanation.counterfactual, 'limitAtOnce').limit_price
  const inLifetime = stepOf(explanation.counterfactual, 'limitInLife')

  const again = await sameWorld()
  assert.equal((await filledAfter(again, atOnce, '1s')).status, 'filled')
  const nearer = await filledAfter(await sameWorld(), inLifetime.limit_price, '10m')
  assert.equal(nearer.filled_at?.slice(0, 19), inLifetime.at.slice(0, 19))
  const less = (Number(inLifetime.limit_price) - 0.01).toFixed(2)
  assert.equal((await filledAfter(await sameWorld(), less, '10m')).status, 'new')
})

async function filledAfter(world: World, limit: string, by: string): Promise<Body> {
  const { id } = await placeOrder(world, limitBuy(limit))
  await world.advance(by)
  return (await get(world, `/v2/orders/${id}`)).body
}

test('the explained fill time of a canceled order is exact in the same world', async () => {
  const first = await sameWorld()
  const limit = ((await askOf(first)) - 0.05).toFixed(2)
  const order = await placeOrder(first, limitBuy(limit))
  await call(first, 'DELETE', `/v2/orders/${order.id}`)
  const explanation = await explain(first, order.id)
  const { at } = stepOf(explanation.counterfactual, 'limitReachedAt')
  const again = await sameWorld()
  const { id } = await placeOrder(again, { ...limitBuy(limit), time_in_force: 'gtc' })
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${again.world}/clock/advance`, { to: at })
  await again.advance('1s')
  const { body } = await get(again, `/v2/orders/${id}`)
  assert.equal(body.filled_at?.slice(0, 23), at.slice(0, 23))
})

test('the owner of an order sees explanations of the past only', async () => {
  const world = await sameWorld()
  const limit = ((await askOf(world)) - 0.05).toFixed(2)
  const order = await placeOrder(world, limitBuy(limit))
  await call(world, 'DELETE', `/v2/orders/${order.id}`)
  const { body } = await get(world, `/sim/v1/worlds/${world.world}/orders/${order.id}/explain`)
  assert.equal(codesOf(body.counterfactual).includes('limitReachedAt'), false)
  const now = (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/clock`)).body.now
  for (const { at } of [...body.steps, ...body.counterfactual]) assert.ok(at <= now, `${at} is after ${now}`)
})

test('an explanation has the volume cap of a quote and the quantity ahead in the queue', async () => {
  const world = await newWorld({ seed: 'shared', fill_size: 'displayed', accounts: 2 })
  const [, second] = world.created.accounts
  const other = { url: world.url, keyId: second.key_id, secretKey: second.secret_key }
  const market = { symbol: 'AAPL', qty: '100', side: 'buy', type: 'market', time_in_force: 'day' }
  const ahead = await placeOrder(world, { ...market, qty: '1' })
  const behind = await placeOrder(other, { ...market, qty: '400' })
  await world.advance('10s')
  const explanation = await explain(world, behind.id)
  const fills = explanation.steps.filter((step: Body) => step.code === 'filled')
  assert.ok(fills.length > 0, codesOf(explanation.steps).join())
  const [first] = fills
  const cap = Number(first.numbers.volume_cap)
  assert.equal(Number(first.numbers.qty), Math.min(400, cap - Number(first.numbers.queue_ahead)))
  const before = (await explain(world, ahead.id)).steps.find((step: Body) => step.code === 'filled')
  assert.equal(first.numbers.queue_ahead, before.numbers.quote_at === first.numbers.quote_at ? '1' : '0')
})

const nyse = { hours: 'nyse', start: '2026-01-05T15:00:00Z' }

test('a queued order: the session, the release time, and the release', async () => {
  const world = await newWorld({ ...nyse, start: '2026-01-06T02:00:00Z' })
  const order = await placeOrder(world, restingBuy)
  await world.advance('8h')
  const { steps } = await explain(world, order.id)
  assert.equal(stepOf(steps, 'session').session, 'closed')
  assert.equal(stepOf(steps, 'session').due_at, '2026-01-06T09:00:00Z')
  assert.ok(codesOf(steps).includes('released') && codesOf(steps).includes('worked'))
})

test('an expired day order: the rule, the expiry, and whether the market reached its limit later', async () => {
  const world = await newWorld(nyse)
  const limit = ((await askOf(world)) * 0.9).toFixed(2)
  const order = await placeOrder(world, limitBuy(limit))
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { until: 'next_close' })
  await world.advance('1s')
  const explanation = await explain(world, order.id)
  assert.equal(explanation.outcome, 'expired')
  assert.equal(stepOf(explanation.steps, 'timeInForce').expires_at, '2026-01-05T21:00:00Z')
  assert.equal(codesOf(explanation.steps).at(-1), 'expired')
  assert.match(
    codesOf(explanation.counterfactual).join(),
    /^limitAtOnce,limitInLife,(limitReachedAt|limitNotReached)$/,
  )
})

test('an explanation names an IOC order as unfilled', async () => {
  const world = await newWorld(nyse)
  const { status, body } = await postOrder(world, { ...restingBuy, time_in_force: 'ioc' })
  assert.equal(status, 200, JSON.stringify(body))
  await world.advance('1s')
  const explanation = await explain(world, body.id)
  assert.equal(explanation.outcome, 'canceled')
  assert.equal(explanation.steps.at(-1).numbers.why, 'unfilled')
})

test('a stop order: the trigger, and the exact trade that elects the order', async () => {
  const world = await newWorld({ ...nyse, seed })
  const stop = ((await askOf(world)) * 1.001).toFixed(2)
  const order = await placeOrder(world, {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'stop',
    stop_price: stop,
    time_in_force: 'gtc',
  })
  await world.advance('1s')
  const waiting = await explain(world, order.id)
  assert.equal(stepOf(waiting.steps, 'trigger').stop_price, Number(stop).toString())
  const elected = { numbers: stepOf(waiting.counterfactual, 'electedAt') }
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, {
    to: elected.numbers.at,
  })
  await world.advance('1s')
  const after = await explain(world, order.id)
  const trade = stepOf(after.steps, 'elected')
  assert.deepEqual([trade.price, trade.traded_at], [elected.numbers.price, elected.numbers.at])
})

test('the explanation of a bracket leg names its parent and the reason of its end', async () => {
  const world = await newWorld(nyse)
  const ask = await askOf(world)
  const parent = await placeOrder(world, {
    ...restingBuy,
    order_class: 'bracket',
    take_profit: { limit_price: (ask * 2).toFixed(2) },
    stop_loss: { stop_price: '5' },
  })
  await world.advance('1s')
  await call(world, 'DELETE', `/v2/orders/${parent.id}`)
  const explanation = await explain(world, parent.id)
  const [leg] = stepOf(explanation.steps, 'group').leg_ids.split(',')
  const ofLeg = await explain(world, leg)
  assert.equal(stepOf(ofLeg.steps, 'group').parent_id, parent.id)
  assert.equal(ofLeg.steps.at(-1).numbers.why, 'group')
})

test('an auction order: the auction price, and the exact limit that would have filled', async () => {
  const early = { ...nyse, start: '2026-01-05T13:00:00Z', seed }
  const forOpen = async (limit: string): Promise<Body> => {
    const world = await newWorld(early)
    const { id } = await placeOrder(world, { ...limitBuy(limit), time_in_force: 'opg' })
    await world.advance('2h')
    return explain(world, id)
  }
  const explanation = await forOpen('10')
  assert.equal(explanation.outcome, 'expired')
  const { limit_price: limit } = stepOf(explanation.counterfactual, 'limitInAuction')
  const filled = await forOpen(limit)
  assert.deepEqual([filled.outcome, stepOf(filled.steps, 'filled').price], ['filled', limit])
  assert.equal(stepOf(filled.steps, 'filled').auction, 'open')
})

const refusals = [
  // the order, the code of the last step, and its sentence
  [{ type: 'stop', stop_price: '1' }, 'stopBeyondMarket', /greater than current price/],
  [{ type: 'limit', limit_price: '10.001' }, 'subPenny', /invalid limit_price 10.001/],
  [{ side: 'sell', qty: '0.5' }, 'fractionalNotShort', /cannot be sold short/],
  [{ time_in_force: 'cls', qty: '0.5' }, 'fractionalMustBeDay', /must be DAY/],
  [{ symbol: 'NOSUCH' }, 'assetNotFound', /asset "NOSUCH" not found/],
] as const
for (const [order, code, sentence] of refusals)
  test(`the explanation of a refusal has the message of the response: ${code}`, async () => {
    const world = await newWorld(nyse)
    const refused = await postOrder(world, { ...marketBuy, ...order })
    const path = `/sim/v1/worlds/${world.world}/requests/${refused.headers.get('x-request-id')}/explain`
    const { body } = await callAsOperator(broker, 'GET', path)
    assert.equal(body.outcome, 'refused')
    assert.equal(body.steps.at(-1).code, code)
    assert.match(body.steps.at(-1).sentence, sentence)
    assert.ok(body.summary.endsWith(refused.body.message), body.summary)
  })

const buyingPowerRows = [
  ['a purchase', { qty: '100000' }],
  ['a short sale', { qty: '100000', side: 'sell', symbol: 'TSLA' }],
  ['a purchase for dollars', { qty: undefined, notional: '99999999' }],
] as const
for (const [name, order] of buyingPowerRows)
  test(`the explained maximum of ${name} is exact`, async () => {
    const world = await newWorld(nyse)
    const refused = await postOrder(world, { ...marketBuy, ...order })
    const path = `/sim/v1/worlds/${world.world}/requests/${refused.headers.get('x-request-id')}/explain`
    const { body } = await callAsOperator(broker, 'GET', path)
    const { qty, notional } = body.counterfactual[0].numbers
    const more = notional ? { notional: `${Number(notional) + 0.01}` } : { qty: `${Number(qty) + 1}` }
    assert.equal((await postOrder(world, { ...marketBuy, ...order, ...more })).status, 403)
    await placeOrder(world, { ...marketBuy, ...order, ...(notional ? { notional } : { qty }) })
  })

test('a refused close of a position is explained by its request', async () => {
  const world = await newWorld(nyse)
  await placeOrder(world, marketBuy)
  await world.advance('1s')
  const refused = await call(world, 'DELETE', '/v2/positions/AAPL?qty=500')
  const path = `/sim/v1/worlds/${world.world}/requests/${refused.headers.get('x-request-id')}/explain`
  const { body } = await get(world, path)
  assert.match(body.summary, /^close 500 of the position in AAPL: refused, insufficient qty/)
  assert.equal(stepOf(body.steps, 'shares').available, '1')
})

test('`quipu order` lists, shows and explains orders', async () => {
  const world = await newWorld({ seed: 'shell' })
  const order = await placeOrder(world, restingBuy)
  await world.advance('1s')
  const refused = await postOrder(world, { ...restingBuy, qty: '99999999' })
  const env = {
    QUIPU_URL: broker.url,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  }
  const run = (...line: string[]) => command([...line, '--world', world.world], { env })

  const list = await run('order', 'list')
  assert.deepEqual([list.code, list.stdout.split('\n')[1]?.startsWith(order.id)], [0, true], list.stderr)
  const shown = await run('order', 'show', order.id, '--json')
  assert.equal(JSON.parse(shown.stdout).id, order.id)

  const explanation = await run('order', 'explain', order.id)
  assert.equal(explanation.code, 0, explanation.stderr)
  assert.match(
    explanation.stdout,
    /^buy 1 AAPL at 10 or better, good for the day: open, nothing filled yet\n/,
  )
  assert.match(explanation.stdout, /buyingPower\s+1 at 10 take 10 of a buying power of/)
  assert.match(explanation.stdout, /What would have been:\n/)
  const json = await run('order', 'explain', order.id, '--json')
  assert.deepEqual(JSON.parse(json.stdout), await explain(world, order.id))

  const refusal = await run('order', 'explain', refused.headers.get('x-request-id')!)
  assert.match(refusal.stdout, /refused, insufficient buying power\n/)
  assert.equal((await run('order', 'explain', 'nonsense')).code, 2)
  assert.equal((await run('order', 'explain', '00000000-0000-4000-8000-000000000000')).code, 4)
})
