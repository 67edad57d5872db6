import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'

const server = await openTestServer()
after(() => server.close())
const { key, partnerKey } = server
const KIB = 1024
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const padded = (bytes: number) => ({ ...order, note: 'x'.repeat(bytes) })

for (const [what, route, by, body, status, message] of [
  ['an order of 16 KiB', 'POST /v2/orders', key, padded(15 * KIB), 200, undefined],
  ['a larger order', 'POST /v2/orders', key, padded(17 * KIB), 413, /larger than 16384 bytes/],
  ['a preview', 'POST /v2/orders/preview', key, padded(17 * KIB), 413, /larger than 16384 bytes/],
  ['a watchlist', 'POST /v2/watchlists', key, { name: 'x'.repeat(65 * KIB) }, 413, /larger than 65536 bytes/],
  ['an account with long details', 'POST /v1/accounts', partnerKey, padded(60 * KIB), 422, undefined],
  ['a larger account', 'POST /v1/accounts', partnerKey, padded(65 * KIB), 413, /larger than 65536 bytes/],
] as const)
  test(`${what}: ${status}`, async () => {
    const response = await call(server, route, { key: by, body })
    assert.equal(response.status, status, JSON.stringify(response.body).slice(0, 200))
    if (message) assert.match(response.body.message, message)
  })
