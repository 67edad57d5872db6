import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Operation, operations } from '@quipu/contract'
import type { Instant } from '@quipu/core'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { send, server, key, otherPartner } = stage
const id = await stage.openAccount({ cash: '10000' })
const base = `/v1/trading/accounts/${id}`
const advanceSecond = () => server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
const buy = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }

test('every trading operation under /v2 has a partner operation with the same input and output', () => {
  const all: Readonly<Record<string, Operation>> = operations
  const tradingOperations = Object.entries(all).filter(
    ([, { family, path, raw }]) => family === 'trading' && path.startsWith('/v2/') && raw === undefined,
  )
  assert.ok(tradingOperations.length > 40)
  for (const [name, one] of tradingOperations) {
    const mirror = all[`${name}ForAccount`]
    assert.equal(mirror?.path, one.path.replace('/v2', '/v1/trading/accounts/{account_id}'), name)
    assert.deepEqual(
      [mirror?.method, mirror?.query, mirror?.body, mirror?.output, mirror?.status],
      [one.method, one.query, one.body, one.output, one.status],
      name,
    )
  }
})

test('a partner trades for one of its accounts, and both read the same', async () => {
  const placed = await send(`POST ${base}/orders`, { ...buy, client_order_id: 'mine' })
  assert.deepEqual([placed.status, placed.body.status], [200, 'pending_new'])
  await advanceSecond()
  const accountKey = (await stage.accountState(id)).key
  for (const [path, select] of [
    ['/orders?status=all', (body: { id: string }[]) => body.map((order) => order.id)],
    ['/orders:by_client_order_id?client_order_id=mine', (body: { status: string }) => body.status],
    [`/orders/${placed.body.id}`, (body: { filled_qty: string }) => body.filled_qty],
    ['/positions', (body: { qty: string }[]) => body.map(({ qty }) => qty)],
    ['/positions/AAPL', (body: { qty: string }) => body.qty],
    ['/account', (body: { id: string; cash: string }) => [body.id, body.cash]],
    ['/account/configurations', (body: unknown) => body],
    ['/account/activities', (body: { id: string }[]) => body.map((one) => one.id)],
    ['/account/portfolio/history', (body: { base_value: unknown }) => body.base_value],
    ['/watchlists', (body: unknown) => body],
    ['/clock', (body: { is_open: boolean }) => body.is_open],
    ['/assets/AAPL', (body: { symbol: string }) => body.symbol],
  ] as readonly (readonly [string, (body: never) => unknown])[]) {
    const [mirrored, direct] = [
      await send(`GET ${base}${path}`),
      await send(`GET /v2${path}`, undefined, accountKey),
    ]
    assert.equal(mirrored.status, 200, path)
    assert.deepEqual(select(mirrored.body as never), select(direct.body as never), path)
  }
  assert.equal((await send(`GET ${base}/positions/AAPL`)).body.qty, '2')
})

test('a partner changes and cancels orders, closes positions and edits watchlists of its account', async () => {
  const limit = { ...buy, qty: '1', type: 'limit', limit_price: '1' }
  const { body: order } = await send(`POST ${base}/orders`, limit)
  await advanceSecond()
  const replaced = await send(`PATCH ${base}/orders/${order.id}`, { limit_price: '2' })
  assert.deepEqual([replaced.status, replaced.body.limit_price], [200, '2'])
  await advanceSecond()
  assert.equal((await send(`DELETE ${base}/orders/${replaced.body.id}`)).status, 204)
  const list = await send(`POST ${base}/watchlists`, { name: 'Partner list', symbols: ['AAPL'] })
  assert.equal((await send(`GET ${base}/watchlists/${list.body.id}`)).body.name, 'Partner list')
  assert.equal((await send(`DELETE ${base}/positions/AAPL`)).status, 200)
  await advanceSecond()
  assert.deepEqual((await send(`GET ${base}/positions`)).body, [])
  const changed = await send(`PATCH ${base}/account/configurations`, { suspend_trade: true })
  assert.equal(changed.body.suspend_trade, true)
  assert.equal((await send(`POST ${base}/orders`, buy)).status, 403)
  await send(`PATCH ${base}/account/configurations`, { suspend_trade: false })
})

test('assets, clock and calendar are under /v1 too', async () => {
  assert.equal((await send('GET /v1/assets/AAPL')).body.symbol, 'AAPL')
  const { body } = await send('GET /v1/assets?asset_class=us_equity')
  assert.ok(body.some(({ symbol }: { symbol: string }) => symbol === 'AAPL'))
  assert.equal(typeof (await send('GET /v1/clock')).body.is_open, 'boolean')
  assert.equal((await send('GET /v1/calendar?start=2026-11-02&end=2026-11-02')).body.length, 1)
  assert.equal((await send('GET /v1/assets/ZZZZZ')).status, 404)
})

test('an unknown, foreign or closed account is refused, and a bad order is refused as under /v2', async () => {
  const { seq } = server.world.view
  const nobody = '/v1/trading/accounts/00000000-0000-4000-8000-000000000000'
  const accountKey = (await stage.accountState(id)).key
  const before = server.world.view.seq
  assert.ok(before > seq)
  for (const [route, body, as, status] of [
    [`GET ${nobody}/account`, undefined, key, 404],
    [`POST ${nobody}/orders`, buy, key, 404],
    ['GET /v1/trading/accounts/x/account', undefined, key, 422],
    [`GET ${base}/account`, undefined, otherPartner, 404],
    [`POST ${base}/orders`, buy, otherPartner, 404],
    [`POST ${base}/orders`, buy, accountKey, 401],
    [`POST ${base}/orders`, { ...buy, qty: '0' }, key, 422],
    [`POST ${base}/orders`, { ...buy, qty: '100000' }, key, 403],
    [`GET ${base}/orders/${id}`, undefined, key, 404],
    [`GET ${base}/no-such-path`, undefined, key, 404],
  ] as const)
    assert.equal((await send(route, body, as)).status, status, `${route} ${JSON.stringify(body)}`)
  assert.equal(server.world.view.seq, before)
  const closing = await stage.openAccount({ cash: '0' })
  assert.equal((await send(`POST /v1/accounts/${closing}/actions/close`)).status, 204)
  const closed = `/v1/trading/accounts/${closing}`
  assert.equal((await send(`POST ${closed}/orders`, buy)).body.reason, 'accountIsClosed')
  assert.equal((await send(`GET ${closed}/orders`)).status, 200)
})
