import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthError } from '@alpacahq/alpaca-trade-api'
import Alpaca from 'alpaca-trade-api-3'
import { codeFor, demoApp, requests, send } from '../oauth/app.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'
import type { Alpaca3 } from './official-sdk-3.ts'

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
