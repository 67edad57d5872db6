import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { alpacaOptions } from '../../testing/src/kit.ts'
import { callAsOperator, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

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
