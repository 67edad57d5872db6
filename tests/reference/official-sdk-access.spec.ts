import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  AuthError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
  withResponse,
} from '@alpacahq/alpaca-trade-api'
import { createClient } from '@quipu/sdk'
import Alpaca from 'alpaca-trade-api-3'
import { codeFor, demoApp, requests, send } from '../oauth/app.ts'
import { startBroker } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'
import type { Alpaca3 } from './official-sdk-3.ts'

const sdk = new OfficialSdk()

/** The error of a refused call, with a request id and an integer code. */
async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('expected a refusal'),
    (reason: unknown) => reason,
  )
  assert(error instanceof ApiError)
  assert.match(error.requestId ?? '', /^[0-9a-f]{32}$/)
  assert(Number.isInteger(error.code))
  return error
}

async function tokenFor(scope: string): Promise<string> {
  const partner = createClient({
    url: broker.url,
    basic: { id: broker.brokerKey, secret: broker.brokerSecret },
  })
  const app = {
    client_id: broker.oauthClientId,
    client_secret: broker.oauthClientSecret,
    redirect_uri: broker.oauthRedirectUri,
  }
  const { access_token } = await partner.issueOAuthToken({
    body: { ...app, scope, account_id: broker.accountId },
  })
  return access_token
}

test('an OAuth token reads the account and places an order', async () => {
  const alpaca = sdk.client({ url: broker.url, accessToken: await tokenFor('account:write trading') })
  assert.equal((await alpaca.trading.account.getAccount()).id, broker.accountId)
  const order = await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  const mine = await sdk.client(broker).trading.orders.getOrderByOrderID({ orderId: order.id! })
  assert.equal(mine.clientOrderId, order.clientOrderId)
})

test('a token without the scope trading cannot place an order', async () => {
  const alpaca = sdk.client({ url: broker.url, accessToken: await tokenFor('account:write') })
  const error = await refusal(alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' }))
  assert(error instanceof AuthError)
  assert.equal(error.message, 'token is not authorized for this scope')
})

test('wrong credentials are an AuthError', async () => {
  for (const wrong of [
    { ...broker, keyId: 'PKUNKNOWN' },
    { ...broker, secretKey: 'unknown' },
    { url: broker.url, accessToken: 'unknown' },
  ]) {
    const alpaca = sdk.client(wrong)
    const error = await refusal(alpaca.trading.account.getAccount())
    assert(error instanceof AuthError)
    assert.equal(error.status, 401)
    const check = await alpaca.trading.validateConnection()
    assert(!check.ok && check.status === 401)
  }
})

test('wrong credentials on a stream are refused with a message, without a retry', async () => {
  const alpaca = sdk.client({ ...broker, secretKey: 'unknown' })
  const address = broker.url.replace('http', 'ws')
  for (const [stream, code] of [
    [alpaca.trading.stream({ url: `${address}/stream` }), undefined],
    [alpaca.marketData.stockStream({ url: `${address}/v2/iex` }), 402],
  ] as const) {
    stream.connect()
    const result = await stream.whenAuthenticated()
    assert.deepEqual([result.status, result.code, result.message], ['server_rejected', code, 'auth failed'])
    assert.equal(stream.getState(), 'disconnected')
  }
})

const rows: readonly (readonly [
  field: string,
  order: Parameters<ReturnType<OfficialSdk['client']>['trading']['orders']['submit']>[0],
])[] = [
  ['qty', { type: 'market', symbol: 'AAPL', qty: -1, side: 'buy' }],
  ['limit price', { type: 'limit', symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: 0 }],
  ['side', { type: 'market', symbol: 'AAPL', qty: 1, side: 'hold' as never }],
  ['time_in_force', { type: 'market', symbol: 'AAPL', qty: 1, side: 'buy', timeInForce: 'never' as never }],
  ['NOTHING', { type: 'market', symbol: 'NOTHING', qty: 1, side: 'buy' }],
]
for (const [field, order] of rows)
  test(`a wrong field is a ValidationError with its name: ${field}`, async () => {
    const error = await refusal(sdk.client(broker).trading.orders.submit(order))
    assert(error instanceof ValidationError)
    assert(error.message.includes(field), error.message)
  })

test('an order above the buying power is a PermissionError', async () => {
  const order = { symbol: 'AAPL', qty: 1_000_000, side: 'buy' } as const
  const error = await refusal(sdk.client(broker).trading.orders.market(order))
  assert(error instanceof PermissionError)
  assert.deepEqual([error.code, error.message], [40310000, 'insufficient buying power'])
})

test('an unknown order is a NotFoundError', async () => {
  const alpaca = sdk.client(broker)
  const unknown = { orderId: '00000000-0000-4000-8000-000000000000' }
  assert((await refusal(alpaca.trading.orders.getOrderByOrderID(unknown))) instanceof NotFoundError)
  assert((await refusal(alpaca.trading.orders.deleteOrderByOrderID(unknown))) instanceof NotFoundError)
})

test('an unknown path is a typed error', async () => {
  const wrongUrl = sdk.client({ ...broker, url: `${broker.url}/nowhere` })
  const error = await refusal(wrongUrl.trading.account.getAccount())
  assert(error instanceof NotFoundError)
})

test('above the rate limit there is a RateLimitError with the delay', async (t) => {
  const limited = await startBroker(['--data', 'memory', '--rate-limit', '2'])
  t.after(limited.stop)
  const alpaca = sdk.client(limited, { retry: false })
  const { rateLimit, headers } = await withResponse(alpaca.trading.account.getAccountRaw())
  assert.equal(rateLimit?.limit, 2)
  assert.equal(rateLimit.remaining, 1)
  assert.match(headers.get('X-Request-ID') ?? '', /^[0-9a-f]{32}$/)
  await alpaca.trading.account.getAccount()
  const error = await refusal(alpaca.trading.account.getAccount())
  assert(error instanceof RateLimitError)
  assert(error.retryAfterMs! > 0 && error.retryAfterMs! <= 60_000, String(error.retryAfterMs))
  assert.equal(error.rateLimit?.remaining, 0)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))

/** Gets a token with the code flow. */
async function tokenOf(scope: string): Promise<string> {
  const app = demoApp(broker)
  const { status, body } = await send(broker, requests.exchange(app, await codeFor(broker, app, { scope })))
  assert.equal(status, 200)
  return body.access_token
}

const revoke = (token: string) => send(broker, requests.revoke(demoApp(broker), token))

test('the official SDK 4 with an accessToken places, reads and cancels an order until the token is revoked', async () => {
  const token = await tokenOf('trading')
  const { trading, marketData } = new OfficialSdk().client({ url: broker.url, accessToken: token })
  assert.equal((await trading.account.getAccount()).id, broker.accountId)
  const placed = await trading.orders.limit({
    symbol: 'AAPL',
    qty: 1,
    side: 'buy',
    limitPrice: 1,
    timeInForce: 'gtc',
  })
  const orderId = placed.id!
  assert.equal((await trading.orders.getOrderByOrderID({ orderId })).id, orderId)
  await trading.orders.deleteOrderByOrderID({ orderId })
  assert.equal((await trading.orders.getOrderByOrderID({ orderId })).status, 'canceled')
  const bars = marketData.stocks.stockLatestBars({ symbols: 'AAPL' })
  await assert.rejects(bars, (error: unknown) => error instanceof AuthError)
  await revoke(token)
  await assert.rejects(trading.account.getAccount(), (error: unknown) => error instanceof AuthError)
})

test('the official SDK 3 with oauth places, reads and cancels an order until the token is revoked', async () => {
  const token = await tokenOf('trading data')
  const urls = { baseUrl: broker.url, dataBaseUrl: broker.url }
  const alpaca: Alpaca3 = new (Alpaca as Alpaca3)({ ...urls, oauth: token })
  assert.equal((await alpaca.getAccount()).id, broker.accountId)
  const resting = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'limit', limit_price: 1, time_in_force: 'gtc' }
  const { id } = await alpaca.createOrder(resting)
  assert.equal((await alpaca.getOrder(id)).id, id)
  await alpaca.cancelOrder(id)
  assert.equal((await alpaca.getOrder(id)).status, 'canceled')
  await revoke(token)
  await assert.rejects(alpaca.getAccount(), (error: Alpaca3) => error.response.status === 401)
})
