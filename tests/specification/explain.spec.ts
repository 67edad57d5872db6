import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { command } from '../quipu-command.ts'
import { broker, get, marketBuy, place, placed, restingBuy, type World, world } from './stage.ts'

const explain = async (of: World, id: string): Promise<Body> => {
  const { status, body } = await callAsOperator(
    broker,
    'GET',
    `/sim/v1/worlds/${of.world}/orders/${id}/explain`,
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

/** The ask that everyone in the world sees. */
async function askOf(of: World, symbol = 'AAPL'): Promise<number> {
  const { body } = await get(of, `/v2/stocks/${symbol}/quotes/latest`)
  return body.quote.ap
}

const seed = 'explained'
const twin = () => world({ seed, start: '2026-01-05T15:00:00Z' })
const limitBuy = (limit: string) => ({ ...restingBuy, limit_price: limit })

test('the limits it names are true: in the same world again, they fill when it says, and a cent less does not', async () => {
  const first = await twin()
  const limit = ((await askOf(first)) * 0.99).toFixed(2)
  const order = await placed(first, limitBuy(limit))
  await first.advance('10m')
  await call(first, 'DELETE', `/v2/orders/${order.id}`)
  const told = await explain(first, order.id)
  const atOnce = stepOf(told.counterfactual, 'limitAtOnce').limit_price
  const inLife = stepOf(told.counterfactual, 'limitInLife')

  const again = await twin()
  assert.equal((await filledAfter(again, atOnce, '1s')).status, 'filled')
  const nearer = await filledAfter(await twin(), inLife.limit_price, '10m')
  assert.equal(nearer.filled_at?.slice(0, 19), inLife.at.slice(0, 19))
  const less = (Number(inLife.limit_price) - 0.01).toFixed(2)
  assert.equal((await filledAfter(await twin(), less, '10m')).status, 'new')
})

async function filledAfter(of: World, limit: string, by: string): Promise<Body> {
  const { id } = await placed(of, limitBuy(limit))
  await of.advance(by)
  return (await get(of, `/v2/orders/${id}`)).body
}

test('when an order that was taken back would have been filled is true in the same world again', async () => {
  const first = await twin()
  const limit = ((await askOf(first)) - 0.05).toFixed(2)
  const order = await placed(first, limitBuy(limit))
  await call(first, 'DELETE', `/v2/orders/${order.id}`)
  const told = await explain(first, order.id)
  const { at } = stepOf(told.counterfactual, 'limitReachedAt')
  const again = await twin()
  const { id } = await placed(again, { ...limitBuy(limit), time_in_force: 'gtc' })
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${again.world}/clock/advance`, { to: at })
  await again.advance('1s')
  const { body } = await get(again, `/v2/orders/${id}`)
  assert.equal(body.filled_at?.slice(0, 23), at.slice(0, 23))
})

test('its owner is told of the past alone', async () => {
  const of = await twin()
  const limit = ((await askOf(of)) - 0.05).toFixed(2)
  const order = await placed(of, limitBuy(limit))
  await call(of, 'DELETE', `/v2/orders/${order.id}`)
  const { body } = await get(of, `/sim/v1/worlds/${of.world}/orders/${order.id}/explain`)
  assert.equal(codesOf(body.counterfactual).includes('limitReachedAt'), false)
  const now = (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${of.world}/clock`)).body.now
  for (const { at } of [...body.steps, ...body.counterfactual]) assert.ok(at <= now, `${at} is after ${now}`)
})

test('who was served first of a small quote, and what it had to give, is told', async () => {
  const of = await world({ seed: 'shared', fill_size: 'displayed', accounts: 2 })
  const [, second] = of.created.accounts
  const other = { url: of.url, keyId: second.key_id, secretKey: second.secret_key }
  const market = { symbol: 'AAPL', qty: '100', side: 'buy', type: 'market', time_in_force: 'day' }
  const ahead = await placed(of, { ...market, qty: '1' })
  const behind = await placed(other, { ...market, qty: '400' })
  await of.advance('10s')
  const told = await explain(of, behind.id)
  const fills = told.steps.filter((step: Body) => step.code === 'filled')
  assert.ok(fills.length > 0, codesOf(told.steps).join())
  const [first] = fills
  const cap = Number(first.numbers.volume_cap)
  assert.equal(Number(first.numbers.qty), Math.min(400, cap - Number(first.numbers.queue_ahead)))
  const before = (await explain(of, ahead.id)).steps.find((step: Body) => step.code === 'filled')
  assert.equal(first.numbers.queue_ahead, before.numbers.quote_at === first.numbers.quote_at ? '1' : '0')
})

const nyse = { hours: 'nyse', start: '2026-01-05T15:00:00Z' }

test('a queued order: the session, when it leaves, and when it left', async () => {
  const of = await world({ ...nyse, start: '2026-01-06T02:00:00Z' })
  const order = await placed(of, restingBuy)
  await of.advance('8h')
  const { steps } = await explain(of, order.id)
  assert.equal(stepOf(steps, 'session').session, 'closed')
  assert.equal(stepOf(steps, 'session').due_at, '2026-01-06T09:00:00Z')
  assert.ok(codesOf(steps).includes('released') && codesOf(steps).includes('worked'))
})

test('a day order that expired: its rule, its end, and whether its limit came later', async () => {
  const of = await world(nyse)
  const limit = ((await askOf(of)) * 0.9).toFixed(2)
  const order = await placed(of, limitBuy(limit))
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${of.world}/clock/advance`, { until: 'next_close' })
  await of.advance('1s')
  const told = await explain(of, order.id)
  assert.equal(told.outcome, 'expired')
  assert.equal(stepOf(told.steps, 'timeInForce').expires_at, '2026-01-05T21:00:00Z')
  assert.equal(codesOf(told.steps).at(-1), 'expired')
  assert.match(
    codesOf(told.counterfactual).join(),
    /^limitAtOnce,limitInLife,(limitReachedAt|limitNotReached)$/,
  )
})

test('an order that does not wait says so when it ends', async () => {
  const of = await world(nyse)
  const { status, body } = await place(of, { ...restingBuy, time_in_force: 'ioc' })
  assert.equal(status, 200, JSON.stringify(body))
  await of.advance('1s')
  const told = await explain(of, body.id)
  assert.equal(told.outcome, 'canceled')
  assert.equal(told.steps.at(-1).numbers.why, 'unfilled')
})

test('a stop: what it waits for, and the trade that elects it, which is true', async () => {
  const of = await world({ ...nyse, seed })
  const stop = ((await askOf(of)) * 1.001).toFixed(2)
  const order = await placed(of, {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'stop',
    stop_price: stop,
    time_in_force: 'gtc',
  })
  await of.advance('1s')
  const waiting = await explain(of, order.id)
  assert.equal(stepOf(waiting.steps, 'trigger').stop_price, Number(stop).toString())
  const elected = { numbers: stepOf(waiting.counterfactual, 'electedAt') }
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${of.world}/clock/advance`, { to: elected.numbers.at })
  await of.advance('1s')
  const after = await explain(of, order.id)
  const trade = stepOf(after.steps, 'elected')
  assert.deepEqual([trade.price, trade.traded_at], [elected.numbers.price, elected.numbers.at])
})

test('the legs of a bracket say whom they belong to, and why they end', async () => {
  const of = await world(nyse)
  const ask = await askOf(of)
  const parent = await placed(of, {
    ...restingBuy,
    order_class: 'bracket',
    take_profit: { limit_price: (ask * 2).toFixed(2) },
    stop_loss: { stop_price: '5' },
  })
  await of.advance('1s')
  await call(of, 'DELETE', `/v2/orders/${parent.id}`)
  const told = await explain(of, parent.id)
  const [leg] = stepOf(told.steps, 'group').leg_ids.split(',')
  const ofLeg = await explain(of, leg)
  assert.equal(stepOf(ofLeg.steps, 'group').parent_id, parent.id)
  assert.equal(ofLeg.steps.at(-1).numbers.why, 'group')
})

test('an order for an auction is told its price, and with that limit it would have been in it', async () => {
  const early = { ...nyse, start: '2026-01-05T13:00:00Z', seed }
  const forOpen = async (limit: string): Promise<Body> => {
    const of = await world(early)
    const { id } = await placed(of, { ...limitBuy(limit), time_in_force: 'opg' })
    await of.advance('2h')
    return explain(of, id)
  }
  const told = await forOpen('10')
  assert.equal(told.outcome, 'expired')
  const { limit_price: limit } = stepOf(told.counterfactual, 'limitInAuction')
  const filled = await forOpen(limit)
  assert.deepEqual([filled.outcome, stepOf(filled.steps, 'filled').price], ['filled', limit])
  assert.equal(stepOf(filled.steps, 'filled').auction, 'open')
})

const refusals = [
  // what is asked, the step that says why, and its words
  [{ type: 'stop', stop_price: '1' }, 'stopBeyondMarket', /greater than current price/],
  [{ type: 'limit', limit_price: '10.001' }, 'subPenny', /invalid limit_price 10.001/],
  [{ side: 'sell', qty: '0.5' }, 'fractionalNotShort', /cannot be sold short/],
  [{ time_in_force: 'cls', qty: '0.5' }, 'fractionalMustBeDay', /must be DAY/],
  [{ symbol: 'NOSUCH' }, 'assetNotFound', /asset "NOSUCH" not found/],
] as const
for (const [order, code, words] of refusals)
  test(`a refusal says in the words of its answer why: ${code}`, async () => {
    const of = await world(nyse)
    const refused = await place(of, { ...marketBuy, ...order })
    const path = `/sim/v1/worlds/${of.world}/requests/${refused.headers.get('x-request-id')}/explain`
    const { body } = await callAsOperator(broker, 'GET', path)
    assert.equal(body.outcome, 'refused')
    assert.equal(body.steps.at(-1).code, code)
    assert.match(body.steps.at(-1).sentence, words)
    assert.ok(body.summary.endsWith(refused.body.message), body.summary)
  })

const means = [
  ['a purchase', { qty: '100000' }],
  ['a short sale', { qty: '100000', side: 'sell', symbol: 'TSLA' }],
  ['a purchase for dollars', { qty: undefined, notional: '99999999' }],
] as const
for (const [name, order] of means)
  test(`how much of ${name} there were means for is true`, async () => {
    const of = await world(nyse)
    const refused = await place(of, { ...marketBuy, ...order })
    const path = `/sim/v1/worlds/${of.world}/requests/${refused.headers.get('x-request-id')}/explain`
    const { body } = await callAsOperator(broker, 'GET', path)
    const { qty, notional } = body.counterfactual[0].numbers
    const more = notional ? { notional: `${Number(notional) + 0.01}` } : { qty: `${Number(qty) + 1}` }
    assert.equal((await place(of, { ...marketBuy, ...order, ...more })).status, 403)
    await placed(of, { ...marketBuy, ...order, ...(notional ? { notional } : { qty }) })
  })

test('a position that would not close is explained by its request', async () => {
  const of = await world(nyse)
  await placed(of, marketBuy)
  await of.advance('1s')
  const refused = await call(of, 'DELETE', '/v2/positions/AAPL?qty=500')
  const path = `/sim/v1/worlds/${of.world}/requests/${refused.headers.get('x-request-id')}/explain`
  const { body } = await get(of, path)
  assert.match(body.summary, /^close 500 of the position in AAPL: refused, insufficient qty/)
  assert.equal(stepOf(body.steps, 'shares').available, '1')
})

test('`quipu order` lists, shows and explains from a shell', async () => {
  const of = await world({ seed: 'shell' })
  const order = await placed(of, restingBuy)
  await of.advance('1s')
  const refused = await place(of, { ...restingBuy, qty: '99999999' })
  const env = {
    QUIPU_URL: broker.url,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  }
  const run = (...line: string[]) => command([...line, '--world', of.world], { env })

  const list = await run('order', 'list')
  assert.deepEqual([list.code, list.stdout.split('\n')[1]?.startsWith(order.id)], [0, true], list.stderr)
  const shown = await run('order', 'show', order.id, '--json')
  assert.equal(JSON.parse(shown.stdout).id, order.id)

  const told = await run('order', 'explain', order.id)
  assert.equal(told.code, 0, told.stderr)
  assert.match(told.stdout, /^buy 1 AAPL at 10 or better, good for the day: open, nothing filled yet\n/)
  assert.match(told.stdout, /buyingPower\s+1 at 10 take 10 of a buying power of/)
  assert.match(told.stdout, /What would have been:\n/)
  const json = await run('order', 'explain', order.id, '--json')
  assert.deepEqual(JSON.parse(json.stdout), await explain(of, order.id))

  const why = await run('order', 'explain', refused.headers.get('x-request-id')!)
  assert.match(why.stdout, /refused, insufficient buying power\n/)
  assert.equal((await run('order', 'explain', 'nonsense')).code, 2)
  assert.equal((await run('order', 'explain', '00000000-0000-4000-8000-000000000000')).code, 4)
})
