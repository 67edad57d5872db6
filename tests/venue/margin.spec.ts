import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { alpacaOptions } from '../../testing/src/kit.ts'
import { call, callAsOperator, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { broker, open } from './stage.ts'

/** A crash of 40 % within ten minutes, from which the market does not recover. */
const crash = { kind: 'crash', at: '2026-01-05T16:00:00Z', depth: 0.4, minutes: 10, recovers: false }

test('the official SDK sees a margin call, the refusal of new risk, and the forced sale', async () => {
  const opened = await open({
    start: '2026-01-05T15:00:00Z',
    symbols: ['AAPL', 'KO'],
    market_events: [crash],
    margin: { call_sessions: 2 },
  })
  const { world, alpaca, orders, update } = opened
  const account = () => alpaca.trading.account.getAccount()
  const inWorld = (path: string) => callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}${path}`)
  await orders.market({ symbol: 'AAPL', side: 'buy', notional: '180000' })
  await orders.market({ symbol: 'KO', side: 'buy', notional: '6000' })
  const resting = await orders.limit({
    symbol: 'KO',
    side: 'buy',
    qty: '1',
    limitPrice: '1',
    timeInForce: 'gtc',
  })
  await world.advance('6h1s')
  const { equity, maintenanceMargin, buyingPower } = await account()
  assert.ok(Number(equity) < Number(maintenanceMargin), `${equity} and ${maintenanceMargin}`)
  assert.equal(buyingPower, '0')
  const { body } = await inWorld('/events?kind=marginCallIssued&last=10')
  const [issued] = body.events.filter(({ kind }: { kind: string }) => kind === 'marginCallIssued')
  assert.equal(issued.event.dueAt, '2026-01-07T15:00:00Z')
  await assert.rejects(orders.market({ symbol: 'KO', side: 'buy', qty: '1' }), /restricted to liquidation/)
  await world.advance('42h')
  assert.equal((await update(resting.id, 'canceled')).order.status, 'canceled')
  const { body: closed } = await call(world, 'GET', '/v2/orders?status=all&direction=desc&limit=1')
  const [sale] = closed
  assert.deepEqual(
    [sale.symbol, sale.side, sale.status, sale.source],
    ['AAPL', 'sell', 'filled', 'liquidation'],
  )
  const explained = (await inWorld(`/orders/${sale.id}/explain`)).body
  const reason = explained.steps.find(({ code }: { code: string }) => code === 'liquidation')
  assert.match(reason.sentence, /^The broker placed it, because a margin call was not met/)
  const after = await account()
  assert.ok(Number(after.equity) >= Number(after.maintenanceMargin))
  assert.deepEqual(
    (await alpaca.trading.positions.getAllOpenPositions()).map(({ symbol }) => symbol),
    ['KO'],
  )
  assert.deepEqual((await inWorld('/audit')).body.problems, [])
})

test('margin interest is an INT activity at the end of the month', async () => {
  const { world, orders } = await open({ start: '2026-01-26T15:00:00Z', margin: { interest_rate: '0.065' } })
  await orders.market({ symbol: 'KO', side: 'buy', notional: '200000' })
  await world.advance('6d')
  const { body } = await call(world, 'GET', '/v2/account/activities/INT')
  assert.equal(body.length, 1)
  const [{ activity_type, activity_sub_type, net_amount, date, description }] = body
  assert.deepEqual(
    [activity_type, activity_sub_type, date, description],
    ['INT', 'MGN', '2026-01-30', 'Margin interest of 2026-01'],
  )
  // Six days, the last three for the weekend, on a debt of about 100,000.
  assert.ok(Number(net_amount) < -100 && Number(net_amount) > -120, net_amount)
  assert.deepEqual(world.created.margin, { interest_rate: '0.065' })
})

test('invalid margin settings are refused with the name of the field', async () => {
  for (const [margin, field] of [
    [{ interest_rate: '1.5' }, /margin\.interest_rate/],
    [{ call_sessions: 0 }, /margin\.call_sessions/],
  ] as const) {
    const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds', { margin })
    assert.equal(status, 422)
    assert.match(body.message, field)
  }
})

test('settings give main a venue that rejects orders, and margin interest', async (t) => {
  const env = { QUIPU_VENUE: 'reject_share=1,latency=0ms..1ms' }
  const broker = await startBroker(['--data', 'memory', '--margin', 'interest_rate=0.065'], env)
  t.after(broker.kill)
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main')
  assert.deepEqual(body.margin, { interest_rate: '0.065' })
  assert.deepEqual(body.venue, {
    latency: { min: '0ms', max: '1ms', shape: 'uniform' },
    reject_share: '1',
  })
  const alpaca = new Alpaca({ ...alpacaOptions(broker), retry: false })
  const { id } = await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  const status = async () => (await alpaca.trading.orders.getOrderByOrderID({ orderId: id! })).status
  await waitUntil('the order is rejected', async () => (await status()) === 'rejected')
})
