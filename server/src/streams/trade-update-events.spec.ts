import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Problem } from '@quipu/contract'
import { advance, type Client, type Json, openStage, type Stage, updatesClient } from './testing/sockets.ts'

let stage: Stage
let client: Client
before(async () => {
  stage = await openStage()
  client = await updatesClient(stage)
})
after(async () => {
  await client.leave()
  await stage.close()
})

async function call(method: string, path: string, body?: object): Promise<Json> {
  const response = await fetch(stage.url + path, {
    method,
    headers: {
      'APCA-API-KEY-ID': stage.key.keyId,
      'APCA-API-SECRET-KEY': stage.key.secretKey,
      'Content-Type': 'application/json',
    },
    body: body ? JSON.stringify(body) : null,
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

const order = (more: object) => ({
  symbol: 'AAPL',
  qty: '2',
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
  ...more,
})
const placeOrder = (more: object): Promise<Json> => call('POST', '/v2/orders', order(more))
const lastPrice = (): number =>
  Number(stage.world.market.pricesAt(stage.world.engine.now).trade('AAPL' as never)!.price) / 1e9
const cents = (price: number): string => price.toFixed(2)

/** The updates since the last call, with the name that the test gives each order: `parent fill filled`. */
async function updatesOf(names: Readonly<Record<string, string>> = {}): Promise<string[]> {
  return (await client.rest()).map(({ data }: Json) => {
    const problems: Problem[] = []
    operations.getOrder.output.parse(data.order, 'order', problems)
    assert.deepEqual(problems, [])
    return `${names[data.order.id] ?? '?'} ${data.event} ${data.order.status}`
  })
}

const legNames = ({ id, legs }: Json): Record<string, string> =>
  Object.fromEntries([
    [id, 'parent'],
    ...legs.map((leg: Json) => [leg.id, leg.type === 'limit' ? 'take' : 'loss']),
  ])

test('the legs of a bracket are held until the parent is filled; canceling one cancels the other', async () => {
  const price = lastPrice()
  const parent = await placeOrder({
    order_class: 'bracket',
    take_profit: { limit_price: cents(price * 1.5) },
    stop_loss: { stop_price: cents(price * 0.5) },
  })
  const names = legNames(parent)
  await advance(stage, 1)
  assert.deepEqual(await updatesOf(names), [
    'parent pending_new pending_new',
    'take held held',
    'loss held held',
    'parent new new',
    'parent fill filled',
    'take new new',
  ])
  const [take] = Object.entries(names).find(([, name]) => name === 'take')!
  await call('DELETE', `/v2/orders/${take}`)
  assert.deepEqual(await updatesOf(names), ['take canceled canceled', 'loss canceled canceled'])
})

test('a replacement sends the update of the old order, then of the new one', async () => {
  const first = await placeOrder({ type: 'limit', limit_price: '5' })
  await advance(stage, 1)
  const second = await call('PATCH', `/v2/orders/${first.id}`, { limit_price: '6' })
  await advance(stage, 1)
  const updates = (await client.rest()).map(({ data }: Json) => data)
  assert.deepEqual(
    updates.map(({ event, order: { id } }: Json) => `${event} ${id === first.id ? 'first' : 'second'}`),
    ['pending_new first', 'new first', 'replaced first', 'pending_new second', 'new second'],
  )
  const { order: old } = updates[2]
  assert.deepEqual([old.status, old.replaced_by, old.replaced_at !== null], ['replaced', second.id, true])
  assert.equal(updates[3].order.replaces, first.id)
  await call('DELETE', `/v2/orders/${second.id}`)
  assert.deepEqual(await updatesOf({ [second.id]: 'second' }), ['second canceled canceled'])
})

test('an IOC order without a match is accepted and canceled', async () => {
  const { id } = await placeOrder({ type: 'limit', limit_price: '5', time_in_force: 'ioc' })
  await advance(stage, 1)
  assert.deepEqual(await updatesOf({ [id]: 'order' }), [
    'order pending_new pending_new',
    'order new new',
    'order canceled canceled',
  ])
})

test('a stop order is new until its fill', async () => {
  const price = lastPrice()
  const { id } = await placeOrder({ type: 'stop', stop_price: cents(price + 0.05) })
  await advance(stage, 60)
  assert.deepEqual(await updatesOf({ [id]: 'order' }), [
    'order pending_new pending_new',
    'order new new',
    'order fill filled',
  ])
})

test('a trailing stop moves without updates; its record has the current stop price', async () => {
  const { id } = await placeOrder({
    side: 'sell',
    type: 'trailing_stop',
    trail_price: cents(lastPrice() * 0.3),
  })
  await advance(stage, 90)
  assert.deepEqual(await updatesOf({ [id]: 'order' }), ['order pending_new pending_new', 'order new new'])
  const trailed = await call('GET', `/v2/orders/${id}`)
  assert.ok(Number(trailed.hwm) >= Number(trailed.stop_price))
  const highs = stage.world.view.orders.get(id)!.trigger!
  assert.equal(Number(highs.highWater) / 1e9, Number(trailed.hwm))
  await call('DELETE', `/v2/orders/${id}`)
  assert.deepEqual(await updatesOf({ [id]: 'order' }), ['order canceled canceled'])
})

test('a market-on-close order is filled in the closing auction, with the resulting position', async () => {
  const { id } = await placeOrder({ time_in_force: 'cls' })
  await advance(stage, 7 * 60)
  const updates = (await client.rest()).map(({ data }: Json) => data)
  assert.deepEqual(
    updates.map(({ event, order: { id: of } }: Json) => [event, of === id]),
    [
      ['pending_new', true],
      ['new', true],
      ['fill', true],
    ],
  )
  const { timestamp, qty, price, position_qty } = updates[2]
  assert.match(timestamp, /T21:00:00/)
  const held = stage.world.view.positions.get(stage.accountId)!.get('AAPL' as never)!.quantity
  assert.deepEqual([qty, position_qty], ['2', String(Number(held) / 1e9)])
  const [day] = await stage.world.market.history.auctions({
    symbol: 'AAPL' as never,
    from: '2026-11-02' as never,
    to: '2026-11-02' as never,
    now: stage.world.engine.now,
    sort: 'asc',
    limit: 1,
  })
  assert.equal(price, String(Number(day!.close[0]!.price) / 1e9))
})

test('a market-on-open order waits overnight and is filled in the opening auction', async () => {
  await advance(stage, 5 * 60)
  const { id } = await placeOrder({ time_in_force: 'opg' })
  await advance(stage, 15 * 60)
  const updates = (await client.rest()).map(({ data }: Json) => data)
  assert.deepEqual(
    updates.map(({ event }: Json) => event),
    ['accepted', 'pending_new', 'new', 'fill'],
  )
  assert.equal(updates[0].order.id, id)
  const [, , worked, fill] = updates
  assert.match(worked.timestamp, /T09:00:00/)
  assert.match(fill.timestamp, /T14:30:/)
})
