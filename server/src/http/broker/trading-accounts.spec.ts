import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Operation, operations } from '@quipu/contract'
import type { Instant } from '@quipu/core'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { ask, server, key, otherPartner } = stage
const id = await stage.opened({ cash: '10000' })
const at = `/v1/trading/accounts/${id}`
const pass = () => server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
const buy = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }

test('every /v2 operation of trading is there for partners, with the same input and output', () => {
  const all: Readonly<Record<string, Operation>> = operations
  const own = Object.entries(all).filter(
    ([, { family, path, raw }]) => family === 'trading' && path.startsWith('/v2/') && raw === undefined,
  )
  assert.ok(own.length > 40)
  for (const [name, one] of own) {
    const mirror = all[`${name}ForAccount`]
    assert.equal(mirror?.path, one.path.replace('/v2', '/v1/trading/accounts/{account_id}'), name)
    assert.deepEqual(
      [mirror?.method, mirror?.query, mirror?.body, mirror?.output, mirror?.status],
      [one.method, one.query, one.body, one.output, one.status],
      name,
    )
  }
})

test('a partner trades for one of its accounts, which sees the same', async () => {
  const placed = await ask(`POST ${at}/orders`, { ...buy, client_order_id: 'mine' })
  assert.deepEqual([placed.status, placed.body.status], [200, 'pending_new'])
  await pass()
  const own = (await stage.seen(id)).key
  for (const [path, then] of [
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
    const [mirrored, direct] = [await ask(`GET ${at}${path}`), await ask(`GET /v2${path}`, undefined, own)]
    assert.equal(mirrored.status, 200, path)
    assert.deepEqual(then(mirrored.body as never), then(direct.body as never), path)
  }
  assert.equal((await ask(`GET ${at}/positions/AAPL`)).body.qty, '2')
})

test('a partner changes and cancels orders, closes positions and keeps watchlists for its account', async () => {
  const limit = { ...buy, qty: '1', type: 'limit', limit_price: '1' }
  const { body: order } = await ask(`POST ${at}/orders`, limit)
  await pass()
  const replaced = await ask(`PATCH ${at}/orders/${order.id}`, { limit_price: '2' })
  assert.deepEqual([replaced.status, replaced.body.limit_price], [200, '2'])
  await pass()
  assert.equal((await ask(`DELETE ${at}/orders/${replaced.body.id}`)).status, 204)
  const list = await ask(`POST ${at}/watchlists`, { name: 'of the partner', symbols: ['AAPL'] })
  assert.equal((await ask(`GET ${at}/watchlists/${list.body.id}`)).body.name, 'of the partner')
  assert.equal((await ask(`DELETE ${at}/positions/AAPL`)).status, 200)
  await pass()
  assert.deepEqual((await ask(`GET ${at}/positions`)).body, [])
  const changed = await ask(`PATCH ${at}/account/configurations`, { suspend_trade: true })
  assert.equal(changed.body.suspend_trade, true)
  assert.equal((await ask(`POST ${at}/orders`, buy)).status, 403)
  await ask(`PATCH ${at}/account/configurations`, { suspend_trade: false })
})

test('what belongs to no account is there below /v1', async () => {
  assert.equal((await ask('GET /v1/assets/AAPL')).body.symbol, 'AAPL')
  const { body } = await ask('GET /v1/assets?asset_class=us_equity')
  assert.ok(body.some(({ symbol }: { symbol: string }) => symbol === 'AAPL'))
  assert.equal(typeof (await ask('GET /v1/clock')).body.is_open, 'boolean')
  assert.equal((await ask('GET /v1/calendar?start=2026-11-02&end=2026-11-02')).body.length, 1)
  assert.equal((await ask('GET /v1/assets/ZZZZZ')).status, 404)
})

test('an account of nobody, of another partner, or closed, is refused; a bad order is refused like anywhere', async () => {
  const { seq } = server.world.view
  const nobody = '/v1/trading/accounts/00000000-0000-4000-8000-000000000000'
  const own = (await stage.seen(id)).key
  const before = server.world.view.seq
  assert.ok(before > seq)
  for (const [route, body, as, status] of [
    [`GET ${nobody}/account`, undefined, key, 404],
    [`POST ${nobody}/orders`, buy, key, 404],
    ['GET /v1/trading/accounts/x/account', undefined, key, 422],
    [`GET ${at}/account`, undefined, otherPartner, 404],
    [`POST ${at}/orders`, buy, otherPartner, 404],
    [`POST ${at}/orders`, buy, own, 401],
    [`POST ${at}/orders`, { ...buy, qty: '0' }, key, 422],
    [`POST ${at}/orders`, { ...buy, qty: '100000' }, key, 403],
    [`GET ${at}/orders/${id}`, undefined, key, 404],
    [`GET ${at}/no-such-path`, undefined, key, 404],
  ] as const)
    assert.equal((await ask(route, body, as)).status, status, `${route} ${JSON.stringify(body)}`)
  assert.equal(server.world.view.seq, before)
  const closing = await stage.opened({ cash: '0' })
  assert.equal((await ask(`POST /v1/accounts/${closing}/actions/close`)).status, 204)
  const closed = `/v1/trading/accounts/${closing}`
  assert.equal((await ask(`POST ${closed}/orders`, buy)).body.reason, 'accountIsClosed')
  assert.equal((await ask(`GET ${closed}/orders`)).status, 200)
})
