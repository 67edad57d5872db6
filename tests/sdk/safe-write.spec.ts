import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createClient,
  createQuipu,
  NotFoundError,
  UnknownOutcomeError,
  ValidationError,
  write,
} from '@quipu/sdk'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

/** One mechanism for all calls that move money or shares: own key, look-up, repetition, report. */

const resting = { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: '10' } as const
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** An account whose next writes are executed without a response, or are not sent at all. */
async function account(settings: Readonly<Record<string, unknown>> = {}) {
  const world = await newWorld(broker, settings)
  const { url, keyId, secretKey, partner } = world
  const spoiled: ('answer' | 'request')[] = []
  const lossy: typeof fetch = async (to, init) => {
    const fault = init?.method === 'GET' ? undefined : spoiled.shift()
    if (fault === 'request') throw new TypeError('the request is lost')
    const response = await fetch(to, init)
    if (fault === 'answer') throw new TypeError('the answer is lost')
    return response
  }
  const options = { url, fetch: lossy, retryDelayMs: 1 }
  return {
    ...world,
    direct: createQuipu({ url, keyId, secretKey }),
    quipu: createQuipu({ ...options, keyId, secretKey }),
    partnerClient: createClient({ ...options, keyId: partner.keyId, secretKey: partner.secretKey }),
    operator: createClient({ ...options, keyId: broker.brokerKey, secretKey: broker.brokerSecret }),
    lose: (...faults: ('answer' | 'request')[]) => spoiled.push(...faults),
  }
}

const OFFICIAL = 'https://paper-api.alpaca.markets'
const fast = { lookUpMs: 20 }

test('own ids are UUIDs of version 7, which sort by time', async () => {
  const { quipu } = await account()
  const keys: string[] = []
  for (let n = 0; n < 3; n++) {
    keys.push((await quipu.orders.limit(resting)).report.key)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (const key of keys) assert.match(key, uuid7)
  assert.deepEqual(keys, keys.toSorted())
})

for (const [fault, outcome] of [
  ['answer', 'found'],
  ['request', 'repeated'],
] as const) {
  test(`a replacement whose ${fault} is lost is made once: ${outcome}`, async () => {
    const { quipu, direct, lose } = await account()
    const { id } = await direct.orders.limit(resting)
    lose(fault)
    const replaced = await quipu.orders.replace(id, { limitPrice: '11' }, fast)
    assert.equal(replaced.report.outcome, outcome)
    assert.match(replaced.report.key, uuid7)
    assert.deepEqual([replaced.replaces, replaced.clientOrderId], [id, replaced.report.key])
    const existing = await direct.orders.list({ status: 'all' })
    assert.deepEqual(existing.map((order) => order.id).sort(), [id, replaced.id].sort())
  })

  test(`a cancel whose ${fault} is lost is executed: ${outcome}`, async () => {
    const { quipu, direct, lose } = await account()
    const { id } = await direct.orders.limit(resting)
    lose(fault)
    const report = await quipu.orders.cancel(id)
    assert.deepEqual([report.outcome, report.key], [outcome, id])
    assert.equal((await direct.orders.get(id)).status, 'canceled')
  })

  test(`a transfer whose ${fault} is lost moves the money once`, async () => {
    const { partnerClient, partner, accountId, lose } = await account()
    const params = { account_id: accountId }
    lose(fault)
    const transfer = await write(partnerClient, 'createTransfer', {
      params,
      body: { direction: 'INCOMING', amount: '5' },
    })
    assert.deepEqual([transfer.report.outcome, transfer.report.attempts], ['repeated', 2])
    assert.match(transfer.report.key, uuid7)
    const direct = createClient(partner)
    assert.deepEqual(
      (await direct.listTransfers({ params })).map(({ id }) => id),
      [transfer.output.id],
    )
  })
}

for (const fault of ['answer', 'request'] as const)
  test(`a journal and a redemption whose ${fault} is lost are executed once`, async () => {
    const { partnerClient, created, world, accountId, quipu, operator, advance, lose } = await account({
      accounts: 2,
    })
    const other = created.accounts[1].account_id as string
    lose(fault)
    const journal = await write(partnerClient, 'createJournal', {
      body: { entry_type: 'JNLC', from_account: accountId, to_account: other, amount: '5' },
    })
    assert.equal(journal.report.outcome, 'repeated')
    assert.deepEqual(
      (await partnerClient.listJournals()).map(({ id }) => id),
      [journal.output.id],
    )
    await quipu.orders.market({ symbol: 'AAPL', qty: 2, side: 'buy' })
    await advance('1m')
    const shares = { issuer: 'xstocks', underlying_symbol: 'AAPL', qty: '1', network: 'base' } as const
    await quipu.tokenization.mint({ ...shares, wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7' })
    await advance('1h')
    lose(fault)
    const { report } = await write(operator, 'simulateRedemption', {
      params: { world },
      body: { ...shares, account_id: accountId },
    })
    assert.equal(report.outcome, 'repeated')
    await advance('1h')
    assert.equal((await quipu.tokenization.list({ type: 'redeem' })).length, 1)
  })

for (const fault of ['answer', 'request'] as const) {
  test(`a part of a position whose ${fault} is lost is closed once`, async () => {
    const { quipu, direct, advance, lose } = await account()
    await direct.orders.market({ symbol: 'AAPL', qty: 5, side: 'buy' })
    await advance('1m')
    lose(fault)
    const closing = await quipu.positions.close('AAPL', { qty: 2 })
    assert.deepEqual([closing.report.outcome, closing.report.attempts], ['repeated', 2])
    assert.match(closing.report.key, uuid7)
    await advance('1m')
    assert.equal((await direct.positions.get('AAPL')).qty, '3')
    const sales = (await direct.orders.list({ status: 'all' })).filter(({ side }) => side === 'sell')
    assert.deepEqual(
      sales.map(({ id }) => id),
      [closing.id],
    )
  })

  test(`a position that a partner closes for an account is closed once when the ${fault} is lost`, async () => {
    const { partnerClient, accountId: account_id, direct, advance, lose } = await account()
    await direct.orders.market({ symbol: 'AAPL', qty: 5, side: 'buy' })
    await advance('1m')
    const params = { account_id, symbol_or_asset_id: 'AAPL' }
    lose(fault)
    const { report } = await write(partnerClient, 'closePositionForAccount', { params, query: { qty: 2 } })
    assert.equal(report.outcome, 'repeated')
    await advance('1m')
    assert.equal((await direct.positions.get('AAPL')).qty, '3')
  })
}

test('the key of a close whose outcome is unknown closes the position once', async () => {
  const { quipu, direct, advance, lose } = await account()
  await direct.orders.market({ symbol: 'AAPL', qty: 5, side: 'buy' })
  await advance('1m')
  lose('answer', 'request')
  const unknown: unknown = await quipu.positions
    .close('AAPL', { percentage: 40 }, { repetitions: 1 })
    .catch((e) => e)
  assert.ok(unknown instanceof UnknownOutcomeError)
  await advance('1m')
  const { idempotencyKey } = unknown
  const closing = await quipu.positions.close('AAPL', { percentage: 40 }, { idempotencyKey })
  assert.deepEqual([closing.qty, closing.report.key], ['2', idempotencyKey])
  assert.equal((await direct.positions.get('AAPL')).qty, '3')
})

test('a close that the server refuses is refused', async () => {
  const { quipu } = await account()
  await assert.rejects(quipu.positions.close('AAPL'), NotFoundError)
})

test('a server that is not Quipu may ignore the key, so the close is sent to the official hosts once', async () => {
  const sent: string[] = []
  const lost: typeof fetch = async (to, init) => {
    sent.push(`${init?.method} ${to}`)
    throw new TypeError('the answer is lost')
  }
  const quipu = createQuipu({ url: OFFICIAL, keyId: 'K', secretKey: 'S', fetch: lost, retryDelayMs: 1 })
  await assert.rejects(quipu.positions.close('AAPL', { qty: 1 }), UnknownOutcomeError)
  assert.deepEqual(sent, [`DELETE ${OFFICIAL}/v2/positions/AAPL?qty=1`])
})

test('orders that a partner places for an account are written in the same way', async () => {
  const { partnerClient, accountId: account_id, direct, lose } = await account()
  const body = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'limit', limit_price: '10' } as const
  lose('answer')
  const placed = await write(partnerClient, 'placeOrderForAccount', { params: { account_id }, body })
  assert.deepEqual([placed.report.outcome, placed.output.client_order_id], ['found', placed.report.key])
  const params = { account_id, order_id: placed.output.id }
  lose('answer')
  const replaced = await write(partnerClient, 'replaceOrderForAccount', {
    params,
    body: { limit_price: '11' },
  })
  assert.equal(replaced.report.outcome, 'found')
  lose('answer')
  const call = { params: { account_id, order_id: replaced.output.id } }
  const { report } = await write(partnerClient, 'cancelOrderForAccount', call)
  assert.equal(report.outcome, 'found')
  assert.deepEqual((await direct.orders.list({ status: 'all' })).map(({ status }) => status).sort(), [
    'canceled',
    'replaced',
  ])
})

test('a cancel that the server refuses is refused, also after a lost response', async () => {
  const { quipu, direct, advance, lose } = await account()
  const { id } = await direct.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  await advance('1m')
  lose('request')
  await assert.rejects(quipu.orders.cancel(id), ValidationError)
})

test('a cancel whose outcome cannot be known has the id of the order', async () => {
  const { quipu, direct, lose } = await account()
  const { id } = await direct.orders.limit(resting)
  lose('request', 'request')
  await assert.rejects(
    quipu.orders.cancel(id, { repetitions: 1 }),
    (error: unknown) => error instanceof UnknownOutcomeError && error.orderId === id,
  )
})

test('every order is written safely by its operation too', async () => {
  const { quipu, direct, lose } = await account()
  lose('answer')
  const { output, report } = await quipu.write('placeOrder', {
    body: { symbol: 'AAPL', qty: 1, side: 'buy', type: 'limit', limit_price: '10', client_order_id: 'mine' },
  })
  assert.deepEqual([report.outcome, report.key, output.client_order_id], ['found', 'mine', 'mine'])
  assert.equal((await direct.orders.list()).length, 1)
})
