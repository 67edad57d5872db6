import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  createQuipu,
  NotFoundError,
  UnknownOutcomeError,
  ValidationError,
  WaitTimeoutError,
} from '@quipu/sdk'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

const resting = { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: '10' } as const

/** An account in a world with a frozen clock, and the same account through a proxy. */
async function account(t: TestContext) {
  const { keyId, secretKey, url } = await newWorld(broker)
  const proxy = await openProxy(url)
  t.after(proxy.close)
  const direct = createQuipu({ url, keyId, secretKey })
  const quipu = createQuipu({ url: proxy.url, keyId, secretKey, retryDelayMs: 5, timeoutMs: 2000 })
  return { proxy, direct, quipu }
}

test('an order with a response is placed once and looked up never', async (t) => {
  const { quipu, direct } = await account(t)
  const order = await quipu.orders.limit({ ...resting, clientOrderId: 'mine' })
  assert.deepEqual(order.report, { outcome: 'confirmed', key: 'mine', attempts: 1, lookUps: 0 })
  assert.equal((await direct.orders.byClientOrderId('mine')).id, order.id)
})

for (const bytes of [0, 1, 12, 200])
  test(`an order whose response is cut after ${bytes} bytes is found, not placed twice`, async (t) => {
    const { proxy, quipu, direct } = await account(t)
    await quipu.account.get()
    proxy.truncate(bytes)
    const order = await quipu.orders.limit(resting)
    assert.deepEqual([order.report.outcome, order.report.attempts], ['found', 1])
    assert.deepEqual(
      (await direct.orders.list()).map(({ id }) => id),
      [order.id],
    )
  })

test('an order that never arrived is placed again with the same id', async (t) => {
  const { proxy, quipu, direct } = await account(t)
  proxy.cut()
  setTimeout(proxy.open, 150)
  const order = await quipu.orders.limit(
    { ...resting, clientOrderId: 'late' },
    { lookUpMs: 100, repetitions: 20 },
  )
  assert.equal(order.report.outcome, 'repeated')
  assert.ok(order.report.attempts > 1)
  assert.deepEqual(
    (await direct.orders.list()).map((one) => one.clientOrderId),
    ['late'],
  )
})

test('an order whose outcome cannot be known says so with its id', async (t) => {
  const { proxy, quipu } = await account(t)
  proxy.cut()
  await assert.rejects(
    quipu.orders.limit({ ...resting, clientOrderId: 'lost' }, { lookUpMs: 20, repetitions: 1 }),
    (error: unknown) => error instanceof UnknownOutcomeError && error.clientOrderId === 'lost',
  )
})

test('a refused order is not looked up, and a used id is the error of the caller', async (t) => {
  const { quipu } = await account(t)
  await quipu.orders.limit({ ...resting, clientOrderId: 'used' })
  await assert.rejects(quipu.orders.limit({ ...resting, clientOrderId: 'used' }), ValidationError)
  await assert.rejects(quipu.orders.limit({ ...resting, symbol: 'NOSUCH' }), /NOSUCH/)
  await assert.rejects(quipu.orders.byClientOrderId('unknown'), NotFoundError)
})

test('many orders through a connection that is cut again and again: each exists once', async (t) => {
  const { proxy, quipu, direct } = await account(t)
  let turn = 0
  const cutting = setInterval(() => {
    turn += 1
    proxy.truncate((turn * 7) % 40)
    if (turn % 3 === 0) proxy.open()
    // On a slow machine no request would end between two faults, so there are not more than these.
    if (turn === 60) clearInterval(cutting)
  }, 7)
  t.after(() => clearInterval(cutting))
  proxy.delay(3)
  const ids = Array.from({ length: 30 }, (_, n) => `order-${n}`)
  const placed = await Promise.all(
    ids.map((clientOrderId) =>
      quipu.orders.limit({ ...resting, clientOrderId }, { lookUpMs: 100, repetitions: 50 }),
    ),
  )
  clearInterval(cutting)
  const existing = await direct.orders.list({ status: 'all', limit: 500 })
  assert.deepEqual(existing.map((one) => one.clientOrderId).sort(), ids.toSorted())
  assert.deepEqual(placed.map(({ id }) => id).sort(), existing.map(({ id }) => id).sort())
  assert.ok(
    placed.some(({ report }) => report.outcome !== 'confirmed'),
    'no response was lost',
  )
})

test('submitAndWait returns the filled order, or throws the order as it is', async () => {
  const { url, keyId, secretKey } = broker
  const quipu = createQuipu({ url, keyId, secretKey })
  const bought = {
    symbol: 'BTC/USD',
    notional: 50,
    side: 'buy',
    type: 'market',
  } as const
  const filled = await quipu.orders.submitAndWait(bought)
  assert.deepEqual([filled.status, filled.report.outcome], ['filled', 'confirmed'])
  const { notional: _, ...rest } = bought
  const open = { ...rest, qty: 1, type: 'limit', limitPrice: 100 } as const
  await assert.rejects(quipu.orders.submitAndWait(open, { timeoutMs: 50 }), (error: unknown) => {
    assert.ok(error instanceof WaitTimeoutError)
    assert.equal(error.order.symbol, 'BTC/USD')
    return true
  })
})
