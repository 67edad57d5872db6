// npm install --save-dev @quipu/testing @alpacahq/alpaca-trade-api && node --test first-order.test.ts
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import {
  alpacaOptions,
  assertCash,
  assertNetPosition,
  assertNoUnacknowledgedFill,
  assertOneOrder,
  startQuipu,
} from '@quipu/testing'

const broker = await startQuipu({ seed: 'first-order', clock: '2026-01-05T15:00:00Z', cash: 10_000 })
after(() => broker.close())

test('a market order is filled once, and the program sees the fill', async () => {
  await using world = await broker.world({ fees: 'none' })
  const { trading } = new Alpaca(alpacaOptions(world))
  await trading.orders.market({ symbol: 'AAPL', qty: 3, side: 'buy', clientOrderId: 'first' })
  await world.advance('1m')
  const order = await trading.orders.getOrderByClientOrderId({ clientOrderId: 'first' })
  await assertOneOrder(world, 'first')
  await assertNetPosition(world, 'AAPL', 3)
  await assertCash(world, (10_000 - 3 * Number(order.filledAvgPrice)).toFixed(2))
  await assertNoUnacknowledgedFill(world)
})

test('two worlds with the same seed have the same journal', async () => {
  const hashes = []
  for (let run = 0; run < 2; run += 1) {
    await using world = await broker.world()
    const { trading } = new Alpaca(alpacaOptions(world))
    await world.each('1d', () => trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' }), { steps: 5 })
    hashes.push(await world.journalHash())
  }
  assert.equal(hashes[0], hashes[1])
})
