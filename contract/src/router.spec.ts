import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unservedPaths } from './compatibility.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { makeRouter, type Routing } from './router.ts'

const route = makeRouter(operations, unservedPaths())

function textOf(found: Routing): string {
  switch (found.kind) {
    case 'found':
      return [found.name, ...Object.entries(found.params).map(([key, value]) => `${key}=${value}`)].join(' ')
    case 'methodNotAllowed':
      return `only ${[...found.allowed].sort().join(' ')}`
    default:
      return found.kind
  }
}

const rows: readonly [method: string, path: string, then: string][] = [
  ['GET', '/v2/account', 'getAccount'],
  ['GET', '/v2/account/', 'getAccount'],
  ['HEAD', '/v2/account', 'getAccount'],
  ['GET', '/v2/orders:by_client_order_id', 'getOrderByClientOrderId'],
  ['GET', '/v2/orders:by_client_order_id/', 'getOrderByClientOrderId'],
  ['GET', '/v2/orders%3Aby_client_order_id', 'getOrderByClientOrderId'],
  ['GET', '/v2/tokenization/requests%3aby_client_request_id', 'getTokenizationRequestByClientRequestID'],
  ['GET', '/v2/orders/abc', 'getOrder order_id=abc'],
  ['DELETE', '/v2/orders/abc/', 'cancelOrder order_id=abc'],
  ['GET', '/v2/orders/a%2Fb', 'getOrder order_id=a/b'],
  ['GET', '/v2/orders/a%20b', 'getOrder order_id=a b'],
  ['GET', '/v2/orders/%zz', 'notDecodable'],
  ['GET', '/v2/orders/a/b', 'notFound'],
  ['GET', '/v2/orders//', 'notFound'],
  ['PUT', '/v2/orders', 'only DELETE GET POST'],
  ['POST', '/v2/orders/abc', 'only DELETE GET PATCH'],
  ['PUT', '/v2/orders:by_client_order_id', 'only GET'],
  ['GET', '/v2/assets/AAPL', 'getAsset symbol_or_asset_id=AAPL'],
  ['GET', '/v2/assets/BTC/USD', 'getAsset symbol_or_asset_id=BTC/USD'],
  ['GET', '/v2/assets/BTC%2FUSD', 'getAsset symbol_or_asset_id=BTC/USD'],
  ['GET', '/v2/stocks/bars', 'stockBars'],
  ['GET', '/v2/stocks/bars/latest', 'stockLatestBars'],
  ['GET', '/v2/stocks/AAPL/bars', 'stockBarSingle symbol=AAPL'],
  ['GET', '/v2/stocks/AAPL/bars/latest', 'stockLatestBarSingle symbol=AAPL'],
  ['GET', '/v2/stocks/BRK.B/bars', 'stockBarSingle symbol=BRK.B'],
  ['GET', '/v2/stocks/AAPL', 'notFound'],
  ['GET', '/v2/tokenization/requests', 'getTokenizationRequests'],
  ['GET', '/v2/tokenization/requests/x', 'getTokenizationRequest tokenization_request_id=x'],
  ['GET', '/v2/tokenization/requests:by_client_request_id', 'getTokenizationRequestByClientRequestID'],
  ['POST', '/oauth/token', 'exchangeOAuthCode'],
  ['POST', '/v1/oauth/token', 'issueOAuthToken'],
  ['DELETE', '/sim/v1/worlds/w/keys/k', 'deleteKey world=w key_id=k'],
  ['POST', '/sim/v1/worlds/w/clock/freeze', 'freezeClock world=w'],
  // Paths of the protocol that Quipu does not serve: their last word is no id.
  ['GET', '/v1/accounts/activities', 'notFound'],
  ['GET', '/v1/accounts/activities/FILL', 'notFound'],
  ['GET', '/v1/accounts/positions', 'notFound'],
  ['PATCH', '/v1/accounts/positions', 'notFound'],
  ['GET', '/v1/accounts/orders', 'notFound'],
  ['GET', '/v1/accounts/documents', 'notFound'],
  ['GET', '/v1/accounts/transfers', 'notFound'],
  ['PATCH', '/v1/accounts/ach_relationships', 'notFound'],
  ['GET', '/v1/accounts/a/transfers', 'listTransfers account_id=a'],
  ['GET', '/v1/accounts/ordersx', 'getAccountById account_id=ordersx'],
  ['POST', '/v1/journals/batch', 'notFound'],
  ['POST', '/v1/trading/accounts/a/orders/estimation', 'notFound'],
  ['DELETE', '/v1/journals/j', 'only GET'],
  ['GET', '/v1/accounts/a', 'getAccountById account_id=a'],
  ['GET', '/v2', 'notFound'],
  ['GET', '', 'notFound'],
  ['GET', '/V2/account', 'notFound'],
  ['GET', '/v2//account', 'notFound'],
  ['GET', '/__proto__', 'notFound'],
  ['constructor', '/v2/account', 'only GET'],
]

for (const [method, path, then] of rows) {
  test(`${method} ${path} is ${then}`, () => assert.equal(textOf(route(method, path)), then))
}

test('a path deeper than any route is not found', () => {
  assert.equal(textOf(route('GET', '/v2/stocks' + '/x'.repeat(5000))), 'notFound')
})

const declared = (path: string): Operation => ({ ...operations.getHealth, path })

test('parameters have the names of their own operation, and literals win', () => {
  const router = makeRouter({
    one: { ...declared('/p/{symbol}'), method: 'GET' },
    other: { ...declared('/p/{contract}/exercise'), method: 'POST' },
    literal: { ...declared('/p/{symbol}/open'), method: 'GET' },
    rest: { ...declared('/p/{all...}'), method: 'DELETE' },
  })
  assert.equal(textOf(router('GET', '/p/A')), 'one symbol=A')
  assert.equal(textOf(router('POST', '/p/A/exercise')), 'other contract=A')
  assert.equal(textOf(router('GET', '/p/A/open')), 'literal symbol=A')
  assert.equal(textOf(router('DELETE', '/p/A/B')), 'rest all=A/B')
})

test('a method is found at a wider route', () => {
  const router = makeRouter({
    one: { ...declared('/p/{symbol}'), method: 'GET' },
    rest: { ...declared('/p/{all...}'), method: 'DELETE' },
    literal: { ...declared('/p/all'), method: 'POST' },
  })
  assert.equal(textOf(router('DELETE', '/p/A')), 'rest all=A')
  assert.equal(textOf(router('GET', '/p/all')), 'one symbol=all')
  assert.equal(textOf(router('PUT', '/p/A')), 'only DELETE GET')
})

test('two operations with the same path are a bug', () => {
  assert.throws(() => makeRouter({ a: declared('/x/{a}'), b: declared('/x/{b}') }), /two operations at GET/)
})
