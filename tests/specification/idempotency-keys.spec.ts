import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, operations } from '@quipu/contract'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { callerOf, loaded, save } from '../worlds/files.ts'

const order = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  limit_price: '10',
  time_in_force: 'gtc',
}
const withKey = (key: string) => ({ 'Idempotency-Key': key })
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true'
type World = Awaited<ReturnType<typeof newWorld>>
type Key = Pick<World, 'url' | 'keyId' | 'secretKey'>

const place = (by: Key, key: string, patch: object = {}) =>
  call(by, 'POST', '/v2/orders', { ...order, ...patch }, withKey(key))
const orderCount = async (by: Key) => (await call(by, 'GET', '/v2/orders?status=all')).body.length

test('an order with a key is placed once; a repetition gets the first response', async () => {
  const world = await newWorld(broker)
  const first = await place(world, 'k')
  assert.deepEqual([first.status, isReplay(first)], [200, false])
  await world.advance('1m')
  for (const body of [order, Object.fromEntries(Object.entries(order).reverse())]) {
    const again = await call(world, 'POST', '/v2/orders', body, withKey(' k '))
    assert.deepEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
  }
  const bracket = {
    order_class: 'bracket',
    take_profit: { limit_price: '12' },
    stop_loss: { stop_price: '8' },
  }
  const parent = await place(world, 'b', bracket)
  assert.equal(parent.body.legs.length, 2)
  assert.deepEqual((await place(world, 'b', bracket)).body, parent.body)
  assert.equal(await orderCount(world), 4)
})

test('another body is refused with 422, and a refused order does not use up its key', async () => {
  const world = await newWorld(broker)
  assert.equal((await place(world, 'k', { qty: '1000000000' })).status, 403)
  assert.equal((await place(world, 'k')).status, 200)
  const { status, body } = await place(world, 'k', { qty: '2' })
  assert.deepEqual([status, body.reason], [422, 'idempotencyKeyReused'])
  assert.equal(await orderCount(world), 1)
})

test('an account id in capitals in the path is the same account', async () => {
  const { partner, accountId, url } = await newWorld(broker)
  const transfer = { direction: 'INCOMING', amount: '5' }
  const deposit = (id: string) =>
    call({ ...partner, url }, 'POST', `/v1/accounts/${id}/transfers`, transfer, withKey('k'))
  const first = await deposit(accountId)
  const again = await deposit(accountId.toUpperCase())
  assert.deepEqual([again.status, again.body, isReplay(again)], [first.status, first.body, true])
})

test('a new account counts for its partner, whatever accounts its details name', async () => {
  const { partner, accountId, url, world } = await newWorld(broker)
  const details = { account_id: accountId, from_account: accountId }
  const made = await call({ ...partner, url }, 'POST', '/v1/accounts', details, withKey('k'))
  assert.equal(made.status, 200)
  const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/events?limit=1000`)
  const { event } = body.events.find(({ event }: Body) => event.kind === 'callAnswered')
  assert.equal(event.ownerId, made.body.partner_id)
})

test('a key has 1 to 128 printable characters', async () => {
  const world = await newWorld(broker)
  for (const key of ['x'.repeat(129), 'a b', '\u00e9'])
    assert.deepEqual([(await place(world, key)).status, await orderCount(world)], [400, 0], key)
  assert.equal((await place(world, 'x'.repeat(128))).status, 200)
})

test('ten orders at once with one key are one order', async () => {
  const world = await newWorld(broker)
  const all = await Promise.all(Array.from({ length: 10 }, () => place(world, 'k')))
  assert.equal(new Set(all.map(({ body }) => body.id)).size, 1)
  assert.equal(all.filter(isReplay).length, 9)
  assert.equal(await orderCount(world), 1)
})

test('a part of a position is closed once per key; another part with this key is refused', async () => {
  const world = await newWorld(broker)
  await call(world, 'POST', '/v2/orders', { symbol: 'AAPL', qty: '5', side: 'buy', type: 'market' })
  await world.advance('1m')
  const close = (part: string) =>
    call(world, 'DELETE', `/v2/positions/AAPL?${part}`, undefined, withKey('close'))
  const first = await close('qty=2')
  await world.advance('1m')
  const again = await close('qty=2')
  assert.deepEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
  assert.deepEqual([(await close('qty=3')).status, (await close('percentage=50')).status], [422, 422])
  assert.equal((await call(world, 'GET', '/v2/positions/AAPL')).body.qty, '3')
})

test('keys of other credentials and operations are separate', async () => {
  const world = await newWorld(broker)
  const { accountId, partner } = world
  await place(world, 'k')
  const made = (await call(partner, 'POST', `/v1/accounts/${accountId}/keys`, {}, withKey('k'))).body
  const second = { url: world.url, keyId: made.key_id, secretKey: made.secret_key }
  const next = (await call(partner, 'POST', `/v1/accounts/${accountId}/keys`, {}, withKey('k'))).body
  assert.notEqual(next.key_id, made.key_id, 'a response with a secret is not stored')
  assert.equal(isReplay(await place(second, 'k')), false)
  const path = `/v1/trading/accounts/${accountId}/orders`
  const byPartner = await call(partner, 'POST', path, order, withKey('k'))
  assert.equal(isReplay(byPartner), false)
  assert.equal(isReplay(await call(partner, 'POST', path, order, withKey('k'))), true)
  assert.equal(await orderCount(world), 3)
  const list = { name: 'mine', symbols: [] }
  assert.equal((await call(world, 'POST', '/v2/watchlists', list, withKey('a b'))).status, 200)
  assert.equal(
    (await call(world, 'POST', '/v2/watchlists', { name: 'other', symbols: [] }, withKey('a b'))).status,
    200,
  )
})

test('a key is kept for 24 hours of the world', async () => {
  const world = await newWorld(broker)
  const first = await place(world, 'k')
  await world.advance('23h')
  assert.equal((await place(world, 'k')).body.id, first.body.id)
  await world.advance('2h')
  const later = await place(world, 'k', { qty: '2' })
  assert.deepEqual([later.status, isReplay(later)], [200, false])
  assert.equal((await place(world, 'k', { qty: '2' })).body.id, later.body.id)
  assert.equal(await orderCount(world), 2)
})

test('a fork keeps the keys, with its new credentials too', async () => {
  const world = await newWorld(broker)
  const first = await place(world, 'k')
  await world.advance('1m')
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  const [account] = fork.body.accounts
  const there = { url: world.url, keyId: account.key_id, secretKey: account.secret_key }
  const again = await place(there, 'k')
  assert.deepEqual([again.body.id, isReplay(again), await orderCount(there)], [first.body.id, true, 1])
  await place(world, 'later')
  assert.equal(isReplay(await place(there, 'later')), false, 'a key that the parent used after the fork')
})

test('a saved and loaded world keeps the keys, with its new credentials', async () => {
  const world = await newWorld(broker)
  const first = await place(world, 'k')
  const there = callerOf(broker, await loaded(broker, await save(broker, world.world)))
  const again = await place(there, 'k')
  assert.deepEqual([again.body.id, isReplay(again), await orderCount(there)], [first.body.id, true, 1])
  assert.equal((await place(there, 'k', { qty: '2' })).status, 422)
})

test('a reset forgets the keys with the orders that they placed; a fork of it keeps those that came after', async () => {
  const world = await newWorld(broker)
  const first = await place(world, 'k')
  const reset = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/reset`, {})
  assert.equal(reset.status, 200, JSON.stringify(reset.body))
  const second = await place(world, 'k', { qty: '2' })
  assert.deepEqual([second.status, isReplay(second), await orderCount(world)], [200, false, 1])
  assert.notEqual(second.body.qty, first.body.qty)
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  const there = callerOf(broker, fork.body)
  const again = await place(there, 'k', { qty: '2' })
  assert.deepEqual([again.body.id, isReplay(again), await orderCount(there)], [second.body.id, true, 1])
})

/** A body for each operation of operators and partners that takes a key, and works in a new world with seven shares. */
const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'
const mint = {
  underlying_symbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'base',
  wallet_address: wallet,
}
const shares = {
  account_id: 'ACCOUNT',
  issuer: 'xstocks',
  underlying_symbol: 'AAPL',
  qty: '0.5',
  network: 'base',
}
const split = { type: 'forward_split', symbol: 'KO', ex_date: '2030-01-02', new_rate: '2', old_rate: '1' }
const bodies: Readonly<Record<string, object | undefined>> = {
  closePosition: undefined,
  closePositionForAccount: undefined,
  placeOrder: order,
  placeOrderForAccount: order,
  createAccount: { cash: '5' },
  createTransfer: { direction: 'INCOMING', amount: '5' },
  createJournal: { entry_type: 'JNLC', from_account: 'ACCOUNT', to_account: 'OTHER', amount: '5' },
  postTokenizationMint: mint,
  postTokenizationMintBroker: mint,
  createWorldMint: { ...mint, account_id: 'ACCOUNT' },
  simulateRedemption: shares,
  createCorporateAction: split,
  resetAccount: { cash: '7' },
  closeAccount: undefined,
}
/** Shown by the tests of requests of issuers, and of their control. */
const elsewhere = new Set([
  'postTokenizationCallbackMint',
  'postTokenizationRedeem',
  'postTokenizationRedeemAlias',
  'completeRequest',
  'rejectRequest',
  'releaseRequest',
])

test('every operation that takes a key repeats its first response', async () => {
  const world = await newWorld(broker)
  const other = (await call(world.partner, 'POST', '/v1/accounts', {})).body.id
  await call(world, 'POST', '/v2/orders', {
    ...order,
    qty: '7',
    type: 'market',
    limit_price: undefined,
    time_in_force: 'day',
  })
  await world.advance('1m')
  const named = (text: string) => text.replaceAll('ACCOUNT', world.accountId).replaceAll('OTHER', other)
  const by = {
    account: world,
    partner: world.partner,
    operator: { ...broker, keyId: broker.brokerKey, secretKey: broker.brokerSecret },
  }
  const shown = Object.entries<Operation>(operations).filter(
    ([, { headers, state }]) => 'idempotency-key' in (headers?.fields ?? {}) && state === 'works',
  )
  for (const [name, { method, path, who }] of shown.sort(([a], [b]) => orderOf(a) - orderOf(b))) {
    if (elsewhere.has(name)) continue
    assert.ok(name in bodies, `${name} has no body here`)
    const to = path
      .replace('{account_id}', name === 'closeAccount' ? other : world.accountId)
      .replace('{world}', world.world)
      .replace('{symbol_or_asset_id...}', 'AAPL?qty=1')
    const body = bodies[name] && JSON.parse(named(JSON.stringify(bodies[name])))
    const send = () => call(by[who[0] as keyof typeof by], method, to, body, withKey('all'))
    const first = await send()
    assert.ok(first.status < 300, `${name}: ${JSON.stringify(first.body)}`)
    await world.advance('1s')
    const again = await send()
    assert.deepEqual([again.status, again.body, isReplay(again)], [first.status, first.body, true], name)
  }
})

/** Those that need money and shares come before those that take them. */
const orderOf = (name: string): number => Object.keys(bodies).indexOf(name)
