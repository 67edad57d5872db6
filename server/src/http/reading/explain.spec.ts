import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'
import { refusalSentence, sentences } from './explain/sentences.table.ts'
import { readingHandlers } from './index.ts'

const server = await openTestServer({ handlers: readingHandlers })
after(() => server.close())
const { key, otherKey, operatorKey, partnerKey } = server

const order = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'limit', time_in_force: 'day', limit_price: '1' }
const market = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
const placeOrder = (body: object, by = key) => call(server, 'POST /v2/orders', { key: by, body })
const explain = (id: string, by = operatorKey, world = 'lab') =>
  checked(`GET /sim/v1/worlds/${world}/orders/${id}/explain`, by)
const explainRequest = (id: string, by = operatorKey) =>
  checked(`GET /sim/v1/worlds/lab/requests/${id}/explain`, by)

/** Every explanation: its sentences follow from codes and numbers, and its amounts are exact. */
async function checked(route: string, by: typeof key) {
  const response = await call(server, route, { key: by })
  for (const { code, numbers, sentence } of [
    ...(response.body.steps ?? []),
    ...(response.body.counterfactual ?? []),
  ] as Step[]) {
    const made = (sentences as Record<string, typeof refusalSentence>)[code] ?? refusalSentence
    assert.equal(made(numbers), sentence)
    assert.doesNotMatch(sentence, /undefined|NaN|\{/)
    for (const [name, value] of Object.entries(numbers))
      if (/^[-+]?[\d.]+(e|$)/.test(value))
        assert.match(value, /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/, `${code} ${name}`)
  }
  return response
}

const step = (ns = 1_000_000_000n) => server.clock.advance((server.world.engine.now + ns) as Instant)
const idOf = ({ headers }: { headers: Headers }): string => headers.get('x-request-id')!

type Step = { code: string; numbers: Record<string, string>; sentence: string; number?: number }
const codes = (steps: readonly Step[]): string[] => steps.map(({ code }) => code)
const find = (steps: readonly Step[], code: string): Step => {
  const found = steps.find((one) => one.code === code)
  assert.ok(found, `no step ${code} among ${codes(steps)}`)
  return found
}

test('an open order: every decision with its numbers, the reason it waits, and the limits that would have filled it', async () => {
  const placed = await placeOrder(order)
  await step()
  const { body } = await explain(placed.body.id)
  assert.deepEqual(codes(body.steps), [
    'placed',
    'session',
    'buyingPower',
    'timeInForce',
    'worked',
    'waiting',
  ])
  assert.deepEqual([body.outcome, body.request_id, body.order_id], ['open', idOf(placed), placed.body.id])
  assert.equal(body.summary, 'buy 2 AAPL at 1 or better, good for the day: open, nothing filled yet')
  const power = find(body.steps, 'buyingPower').numbers
  assert.equal(power['cost'], '2')
  assert.equal(Number(power['buying_power']) - Number(power['cost']), Number(power['left']))
  assert.equal(find(body.steps, 'session').numbers['hours'], 'nyse')
  assert.match(find(body.steps, 'worked').sentence, /above its limit of 1, so it waits/)
  const waiting = find(body.steps, 'waiting').numbers
  assert.deepEqual([waiting['orders_ahead'], waiting['queue_ahead']], ['0', '0'])
  const quote = server.world.market.pricesAt(server.world.engine.latest).quote('AAPL' as never)!
  assert.equal(Number(waiting['ask']), Number(quote.ask) / 1e9)
  find(body.counterfactual, 'limitAtOnce')
  find(body.counterfactual, 'limitInLife')
})

test('the quotes of an order: when it arrived, and the closest that missed it', async () => {
  const placed = await placeOrder({ ...order, symbol: 'MSFT', limit_price: '2' })
  await step(60_000_000_000n)
  const { body } = await explain(placed.body.id)
  assert.deepEqual(body.quotes.map(({ relation }: { relation: string }) => relation).sort(), [
    'arrival',
    'closest',
  ])
  for (const { at, price, size, ask, ask_size, missed_by } of body.quotes) {
    assert.deepEqual([price, size], [ask, ask_size])
    assert.equal((Number(price) - 2).toFixed(6), Number(missed_by).toFixed(6))
    assert.ok(Date.parse(at) > 0)
  }
  const [arrival, closest] = ['arrival', 'closest'].map((relation) =>
    body.quotes.find((quote: { relation: string }) => quote.relation === relation),
  )
  assert.ok(Number(closest.price) <= Number(arrival.price))
  const { numbers } = find(body.counterfactual, 'limitInLife')
  assert.equal(numbers['missed_by'], closest.missed_by)
})

test('an order behind another reports the orders ahead of it', async () => {
  await placeOrder({ ...order, qty: '7', limit_price: '2' }, otherKey)
  const second = await placeOrder({ ...order, symbol: 'AAPL', limit_price: '2' })
  await step()
  const { body } = await explain(second.body.id)
  const { numbers } = find(body.steps, 'waiting')
  assert.deepEqual([numbers['orders_ahead'], numbers['queue_ahead']], ['1', '7'])
})

test('a fill has the quote of its event', async () => {
  const placed = await placeOrder(market)
  await step()
  const { body } = await explain(placed.body.id)
  assert.equal(body.outcome, 'filled')
  const filled = find(body.steps, 'filled')
  const events = await call(
    server,
    `GET /sim/v1/worlds/lab/events?order_id=${placed.body.id}&kind=orderFilled`,
    {
      key: operatorKey,
    },
  )
  const [event] = events.body.events
  assert.equal(filled.number, event.number)
  assert.deepEqual(
    [filled.numbers['price'], filled.numbers['ask'], filled.numbers['cash'], filled.numbers['volume_cap']],
    [event.event.price, event.event.quote.ask, event.event.cash, 'unlimited'],
  )
  assert.deepEqual([filled.numbers['filled_qty'], filled.numbers['remaining_qty']], ['2', '0'])
  assert.deepEqual(body.counterfactual, [])
  const quote = body.quotes.find(({ relation }: { relation: string }) => relation === 'fill')
  assert.deepEqual([quote.price, quote.filled_qty], [event.event.price, '2'])
})

test('a cancel has the id of its request', async () => {
  const placed = await placeOrder(order)
  await step()
  const canceled = await call(server, `DELETE /v2/orders/${placed.body.id}`, { key })
  const { body } = await explain(placed.body.id)
  assert.equal(body.outcome, 'canceled')
  assert.equal(body.steps.at(-1).code, 'canceled')
  assert.equal(body.steps.at(-1).request_id, idOf(canceled))
  assert.equal((await explainRequest(idOf(canceled))).body.order_id, placed.body.id)
})

test('a refused placement is explained by its request: the calculation, and the quantity that was possible', async () => {
  const refused = await placeOrder({ ...order, qty: '1000000', limit_price: '100' })
  assert.equal(refused.status, 403)
  const { body } = await explainRequest(idOf(refused))
  assert.equal(body.outcome, 'refused')
  assert.match(
    body.summary,
    /^buy 1000000 AAPL at 100 or better, good for the day: refused, insufficient buying power$/,
  )
  const { numbers } = find(body.steps, 'buyingPower')
  assert.deepEqual(
    [numbers['cost'], numbers['buying_power']],
    [refused.body.cost_basis, refused.body.buying_power],
  )
  assert.equal(
    Number(numbers['missing']),
    Number(refused.body.cost_basis) - Number(refused.body.buying_power),
  )
  find(body.steps, 'market')
  const possible = Number(find(body.counterfactual, 'quantityPossible').numbers['qty'])
  assert.equal((await placeOrder({ ...order, qty: `${possible + 1}`, limit_price: '100' })).status, 403)
  const accepted = await placeOrder({ ...order, qty: `${possible}`, limit_price: '100' })
  assert.equal(accepted.status, 200)
  await call(server, `DELETE /v2/orders/${accepted.body.id}`, { key })
})

const refusals = [
  ['an unknown symbol', { ...order, symbol: 'NOSUCH' }, 'assetNotFound'],
  ['a price finer than a cent', { ...order, limit_price: '100.001' }, 'subPenny'],
] as const
for (const [name, body, code] of refusals)
  test(`${name}: refused, and explained as ${code}`, async () => {
    const refused = await placeOrder(body)
    const { body: explained } = await explainRequest(idOf(refused))
    assert.equal(explained.outcome, 'refused')
    find(explained.steps, code)
    assert.match(explained.steps.at(-1).sentence, /^Refused: /)
  })

test('a request with invalid parameters is explained by its response', async () => {
  const refused = await placeOrder({ ...order, qty: 'many' })
  const { body } = await explainRequest(idOf(refused))
  assert.deepEqual([body.outcome, body.steps[0].code], ['refused', 'invalidParameter'])
})

test('a request without an order is explained by its response', async () => {
  const read = await call(server, 'GET /v2/account', { key })
  const { body } = await explainRequest(idOf(read))
  assert.deepEqual([body.outcome, body.steps[0].code], ['done', 'answered'])
})

test('a trading key may explain only its own orders and requests; a partner none', async () => {
  const mine = await placeOrder(order)
  const refused = await placeOrder({ ...order, qty: '1000000' })
  assert.equal((await explain(mine.body.id, key)).status, 200)
  assert.equal((await explainRequest(idOf(refused), key)).status, 200)
  const rows = [
    [await explain(mine.body.id, otherKey), 404],
    [await explainRequest(idOf(refused), otherKey), 404],
    [await explainRequest(idOf(mine), otherKey), 404],
    [await explain(mine.body.id, key, 'main'), 404],
    [await explain(mine.body.id, partnerKey), 403],
    [await explain('00000000-0000-4000-8000-000000000000'), 404],
    [await explain('xyz'), 422],
    [await explainRequest('0'.repeat(32)), 404],
  ] as const
  assert.deepEqual(
    rows.map(([{ status }]) => status),
    rows.map(([, status]) => status),
  )
})

test('an operator lists and shows orders of any account', async () => {
  const placed = await placeOrder(order, otherKey)
  const accountId = (await call(server, 'GET /v2/account', { key: otherKey })).body.id
  const list = await call(server, `GET /sim/v1/worlds/lab/orders?account_id=${accountId}`, {
    key: operatorKey,
  })
  assert.equal(list.body[0].id, placed.body.id)
  const shown = await call(server, `GET /sim/v1/worlds/lab/orders/${placed.body.id}`, { key: operatorKey })
  assert.equal(shown.body.id, placed.body.id)
  assert.equal((await call(server, 'GET /sim/v1/worlds/lab/orders', { key })).status, 403)
})
