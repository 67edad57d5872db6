import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ApiError,
  createClient,
  createQuipu,
  type Quipu,
  RateLimitError,
  UnknownOutcomeError,
  write,
} from '@quipu/sdk'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

/**
 * After one attempt with an unknown outcome, only the server's decision on the key is thrown as it is. Every other error
 * is an UnknownOutcomeError with the key, because a new key would execute the call again.
 */

const order = { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: '10' } as const
const label = { client_request_id: 'label' }
const request = {
  ...label,
  underlying_symbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const

/** An account with two shares behind a proxy, whose server answers as the rules say. */
async function account(t: TestContext) {
  const world = await newWorld(broker)
  const { keyId, secretKey, url, advance, created } = world
  const direct = createQuipu({ url, keyId, secretKey })
  await direct.orders.market({ symbol: 'AAPL', qty: 2, side: 'buy' })
  await advance('1m')
  const proxy = await openProxy(url)
  t.after(proxy.close)
  const quipu = createQuipu({
    url: proxy.url,
    keyId,
    secretKey,
    retryDelayMs: 5,
    timeoutMs: 2000,
    retries: 0,
  })
  const fault = async (match: object, effect: object): Promise<void> => {
    const rule = { match, effect: { kind: 'status', ...effect } }
    const { status } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${created.world}/faults`, rule)
    assert.equal(status, 201)
  }
  return {
    ...world,
    direct,
    proxy,
    quipu,
    fault,
    /** The server answers the second and later calls of the operation with an error. */
    refuseRepetitions: (operation: string, status: number, effect: object = {}, next = 100) =>
      fault({ operation, nth: 2, next }, { status, ...effect }),
    mints: async () => (await direct.tokenization.list()).length,
    /** The first response is lost; the server has executed the call. */
    loseResponse: () => proxy.truncate(0),
  }
}

async function unknownOf(call: Promise<unknown>): Promise<UnknownOutcomeError> {
  const error = await call.then(
    () => assert.fail('the outcome was known'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof UnknownOutcomeError, String(error))
  return error
}

const mintOf = ({ tokenization }: Quipu, options = {}) => tokenization.mint(request, options)

for (const status of [401, 403, 429, 503])
  test(`a mint whose response is lost and whose repetition gets ${status} is unknown, with its key`, async (t) => {
    const { quipu, direct, loseResponse, refuseRepetitions, mints } = await account(t)
    const [effect, repetitions] = status < 429 ? [{}, 1] : [{ retry_after_seconds: 0 }, 2]
    await refuseRepetitions('postTokenizationMint', status, effect, repetitions)
    loseResponse()
    const { idempotencyKey, cause } = await unknownOf(mintOf(quipu))
    assert.equal((cause as { status?: number }).status, status)
    assert.equal(await mints(), 1)
    await direct.tokenization.mint(request, { idempotencyKey: idempotencyKey! })
    assert.equal(await mints(), 1)
  })

test('a mint without a label is unknown too if it cannot be looked up', async (t) => {
  const { quipu, loseResponse, refuseRepetitions, fault } = await account(t)
  await refuseRepetitions('postTokenizationMint', 401)
  await fault({ operation: 'getTokenizationRequestByClientRequestID', next: 9 }, { status: 401 })
  loseResponse()
  const { idempotencyKey } = await unknownOf(
    quipu.tokenization.mint({ ...request, client_request_id: undefined }),
  )
  assert.ok(idempotencyKey)
})

test('a repetition that is over the rate limit waits as the server asks', async (t) => {
  const { quipu, loseResponse, refuseRepetitions, mints } = await account(t)
  await refuseRepetitions('postTokenizationMint', 429, { retry_after_seconds: 1 }, 1)
  loseResponse()
  const started = performance.now()
  const { report } = await mintOf(quipu)
  assert.deepEqual([report.outcome, report.attempts, await mints()], ['repeated', 3, 1])
  assert.ok(performance.now() - started >= 950, 'Retry-After was not followed')
})

test('a longer Retry-After than a minute is not followed, and the key is in the error', async (t) => {
  const { quipu, loseResponse, refuseRepetitions } = await account(t)
  await refuseRepetitions('postTokenizationMint', 429, { retry_after_seconds: 3600 })
  loseResponse()
  const { idempotencyKey, cause } = await unknownOf(mintOf(quipu))
  assert.ok(idempotencyKey && cause instanceof RateLimitError)
})

test('a mint that the server refuses is refused, also after a lost response', async (t) => {
  const { quipu, proxy, mints } = await account(t)
  proxy.cut()
  setTimeout(proxy.open, 100)
  const tooMany = { ...request, qty: '5' }
  await assert.rejects(quipu.tokenization.mint(tooMany, { repetitions: 50 }), ApiError)
  assert.equal(await mints(), 0)
})

test('a first attempt over the rate limit is that error: nothing was executed', async (t) => {
  const { quipu, refuseRepetitions } = await account(t)
  await mintOf(quipu)
  await refuseRepetitions('postTokenizationMint', 429)
  await mintOf(quipu)
  await assert.rejects(mintOf(quipu), RateLimitError)
})

test('a call that the program aborts after it was sent is unknown, with its key; before, it is the reason', async (t) => {
  const { quipu, proxy, mints } = await account(t)
  const { signal } = stopped()
  await assert.rejects(mintOf(quipu, { signal }), /stop/)
  await assert.rejects(quipu.orders.limit(order, { signal }), /stop/)
  proxy.delay(3000)
  for (const call of [
    (signal: AbortSignal) => mintOf(quipu, { signal, idempotencyKey: 'mine' }),
    (signal: AbortSignal) => quipu.orders.limit({ ...order, clientOrderId: 'mine' }, { signal }),
  ]) {
    const program = new AbortController()
    setTimeout(() => program.abort(new Error('stop')), 300)
    const { idempotencyKey, clientOrderId, cause } = await unknownOf(call(program.signal))
    assert.deepEqual([idempotencyKey ?? clientOrderId, (cause as Error).message], ['mine', 'stop'])
  }
  assert.equal(await mints(), 1)
})

function stopped(): AbortController {
  const program = new AbortController()
  program.abort(new Error('stop'))
  return program
}

test('an abort between two attempts has the key', async (t) => {
  const { quipu, loseResponse, refuseRepetitions } = await account(t)
  await refuseRepetitions('postTokenizationMint', 429, { retry_after_seconds: 30 })
  const program = new AbortController()
  loseResponse()
  setTimeout(() => program.abort(new Error('stop')), 500)
  const { idempotencyKey, cause } = await unknownOf(mintOf(quipu, { signal: program.signal }))
  assert.deepEqual([idempotencyKey !== undefined, (cause as Error).message], [true, 'stop'])
})

test('a transfer has its key in the error', async (t) => {
  const { accountId, partner, proxy, loseResponse, refuseRepetitions } = await account(t)
  const client = createClient({
    url: proxy.url,
    basic: { id: partner.keyId, secret: partner.secretKey },
    timeoutMs: 2000,
  })
  await refuseRepetitions('createTransfer', 401)
  const transfer = {
    params: { account_id: accountId },
    body: { direction: 'INCOMING', amount: '5' } as const,
  }
  loseResponse()
  const { idempotencyKey } = await unknownOf(write(client, 'createTransfer', transfer))
  assert.ok(idempotencyKey)
})

test('a response that is no JSON says nothing about the outcome', async (t) => {
  const { url, keyId, secretKey } = await account(t)
  const page: typeof fetch = async (to, init) => {
    const response = await fetch(to, init)
    return init?.method === 'POST' ? new Response('<html>') : response
  }
  const quipu = createQuipu({ url, keyId, secretKey, fetch: page, retryDelayMs: 1 })
  const { idempotencyKey } = await unknownOf(mintOf(quipu))
  assert.ok(idempotencyKey)
  const found = await quipu.orders.limit(order)
  assert.equal(found.report.outcome, 'found')
})

for (const status of [401, 403, 429, 503])
  test(`an order whose response is lost and whose repetition gets ${status} is unknown, with its id`, async (t) => {
    const { quipu, loseResponse, refuseRepetitions, fault, direct } = await account(t)
    await fault({ operation: 'getOrderByClientOrderId', next: 100 }, { status: 503 })
    await refuseRepetitions('placeOrder', status, status < 429 ? {} : { retry_after_seconds: 0 })
    loseResponse()
    const placed = quipu.orders.limit({ ...order, clientOrderId: 'mine' }, { lookUpMs: 20, repetitions: 1 })
    const { clientOrderId, cause } = await unknownOf(placed)
    assert.deepEqual([clientOrderId, (cause as { status?: number }).status], ['mine', status])
    assert.equal((await direct.orders.list()).length, 1)
  })

test('an order that may not be looked up is unknown, with its id', async (t) => {
  const { quipu, loseResponse, fault } = await account(t)
  await fault({ operation: 'getOrderByClientOrderId' }, { status: 401 })
  loseResponse()
  const { clientOrderId } = await unknownOf(quipu.orders.limit({ ...order, clientOrderId: 'mine' }))
  assert.equal(clientOrderId, 'mine')
})
