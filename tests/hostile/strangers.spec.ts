import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Body, type Broker, call, newWorld, startBroker } from '../support/broker.ts'

type Key = { readonly url: string; readonly keyId: string; readonly secretKey: string }

let broker: Broker
let owner: Key & { readonly accountId: string }
let orders: Body[]
let mint: Body
let client: Body
/** Keys that must not read anything of the owner. */
const strangers: Record<string, Key> = {}

const wallet = '0x52908400098527886E0F7030069857D2E4169EE7'

before(async () => {
  broker = await startBroker(['--data', 'memory', '--log', 'warn'])
  const [own, other] = [
    await newWorld(broker, { accounts: 2, seed: 'the-same' }),
    await newWorld(broker, { accounts: 2, seed: 'the-same' }),
  ]
  owner = own
  client = own.created.oauth_client
  const keyOf = (world: typeof own, index: number): Key => {
    const { key_id: keyId, secret_key: secretKey } = world.created.accounts[index]
    return { url: broker.url, keyId, secretKey }
  }
  strangers['another account of the same world'] = keyOf(own, 1)
  strangers['the other account of another world'] = keyOf(other, 1)
  strangers['an account of main'] = broker
  const order = { symbol: 'AAPL', qty: '5', side: 'buy', type: 'market', time_in_force: 'day' }
  const resting = { ...order, type: 'limit', limit_price: '1', client_order_id: 'mine' }
  orders = [(await call(owner, 'POST', '/v2/orders', order)).body]
  orders.push((await call(owner, 'POST', '/v2/orders', resting)).body)
  const shares = { underlying_symbol: 'AAPL', qty: '1', issuer: 'xstocks', network: 'ethereum' }
  const body = { ...shares, wallet_address: wallet, client_request_id: 'mine' }
  mint = (await call(owner, 'POST', '/v2/tokenization/mint', body, { 'Idempotency-Key': 'k' })).body
})
after(() => broker.stop())

/** Reads that only the owner may make. */
const paths = (): readonly (readonly [string, string])[] => [
  ['GET', `/v2/orders/${orders[0].id}`],
  ['GET', `/v2/orders/${orders[1].id}`],
  ['GET', `/v2/orders:by_client_order_id?client_order_id=${orders[0].client_order_id}`],
  ['GET', '/v2/orders:by_client_order_id?client_order_id=mine'],
  ['GET', '/v2/positions/AAPL'],
  ['GET', `/v2/positions/${orders[0].asset_id}`],
  ['GET', `/v2/tokenization/requests/${mint.tokenization_request_id}`],
  ['GET', '/v2/tokenization/requests:by_client_request_id?client_request_id=mine'],
]
const lists = ['/v2/orders?status=all', '/v2/positions', '/v2/tokenization/requests']

for (const name of [
  'another account of the same world',
  'the other account of another world',
  'an account of main',
])
  test(`${name} cannot find, cancel or list anything of the owner`, async () => {
    const stranger = strangers[name]!
    for (const [method, path] of paths()) {
      assert.equal((await call(owner, method, path)).status, 200, path)
      const { status, body } = await call(stranger, method, path)
      assert.deepEqual([status, Number.isInteger(body.code)], [404, true], path)
    }
    for (const { id } of orders) {
      const { status, body } = await call(stranger, 'DELETE', `/v2/orders/${id}`)
      assert.equal(status, 404)
      const missing = await call(stranger, 'DELETE', '/v2/orders/00000000-0000-4000-8000-000000000000')
      assert.equal(body.code, missing.body.code, 'the same code as for an order that does not exist')
    }
    for (const path of lists) assert.deepEqual((await call(stranger, 'GET', path)).body, [], path)
    assert.equal((await call(owner, 'GET', `/v2/orders/${orders[1].id}`)).body.status, 'new')
  })

test('a client order id of one account can be used by every other account', async () => {
  for (const stranger of Object.values(strangers)) {
    const order = {
      symbol: 'KO',
      qty: '1',
      side: 'buy',
      type: 'limit',
      limit_price: '1',
      time_in_force: 'day',
    }
    const { status, body } = await call(stranger, 'POST', '/v2/orders', { ...order, client_order_id: 'mine' })
    assert.equal(status, 200)
    assert(!orders.some(({ id }) => id === body.id))
    await call(stranger, 'DELETE', `/v2/orders/${body.id}`)
  }
})

test('no credential works in another world or for another kind of operation', async () => {
  const other = await newWorld(broker)
  const oauth = {
    client_id: client.client_id,
    client_secret: client.client_secret,
    redirect_uri: client.redirect_uri,
    scope: 'trading',
  }
  const rows: readonly (readonly [Key, string, string, unknown, readonly number[]])[] = [
    [owner, 'GET', '/sim/v1/worlds', undefined, [401, 403]],
    [owner, 'GET', '/sim/v1/worlds/main/audit', undefined, [401, 403]],
    [other.partner, 'GET', '/sim/v1/worlds/main/keys', undefined, [401, 403]],
    [other.partner, 'GET', '/v2/account', undefined, [401, 403]],
    [owner, 'GET', `/v1/oauth/clients/${client.client_id}?response_type=code`, undefined, [401, 403]],
    [other.partner, 'GET', `/v1/oauth/clients/${client.client_id}?response_type=code`, undefined, [401, 404]],
    [other.partner, 'POST', '/v1/oauth/authorize', { ...oauth, account_id: other.accountId }, [401, 404]],
    [other.partner, 'POST', '/v1/oauth/token', { ...oauth, account_id: other.accountId }, [401, 404]],
    [owner, 'GET', '/v1/accounts', undefined, [401]],
    [owner, 'POST', `/v1/accounts/${owner.accountId}/actions/reset`, {}, [401]],
    [other.partner, 'GET', `/v1/accounts/${owner.accountId}`, undefined, [404]],
    [other.partner, 'GET', `/v1/accounts/${owner.accountId}/transfers`, undefined, [404]],
    [other.partner, 'POST', `/v1/accounts/${owner.accountId}/keys`, undefined, [404]],
    [other.partner, 'POST', `/v1/accounts/${owner.accountId}/actions/reset`, {}, [404]],
    [other.partner, 'DELETE', `/v1/accounts/${owner.accountId}?empty=true`, undefined, [404]],
    [{ ...owner, secretKey: other.secretKey }, 'GET', '/v2/account', undefined, [401]],
    [{ ...owner, keyId: other.keyId }, 'GET', '/v2/account', undefined, [401]],
  ]
  for (const [key, method, path, body, statuses] of rows) {
    const response = await call(key, method, path, body)
    assert(statuses.includes(response.status), `${method} ${path}: ${response.status}`)
  }
})
