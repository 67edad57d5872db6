import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, NotFoundError, type streaming } from '@alpacahq/alpaca-trade-api'
import { newFolder, newWorld, startBroker } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let alpaca: Alpaca

before(async () => {
  alpaca = sdk.client(await newWorld(broker))
})

test('the key selects the account of main or of a virtual world', async () => {
  const inMain = await sdk.client(broker).trading.account.getAccount()
  const inWorld = await alpaca.trading.account.getAccount()
  assert.equal(inMain.id, broker.accountId)
  assert.notEqual(inWorld.id, inMain.id)
  assert.deepEqual(
    [inWorld.status, inWorld.currency, inWorld.buyingPower, inWorld.createdAt],
    ['ACTIVE', 'USD', '400000', new Date('2026-01-05T15:00:00Z')],
  )
})

test('validateConnection finds the broker', async () => {
  const check = await alpaca.trading.validateConnection()
  assert(check.ok)
})

test('a market order fills; it is found by its id, by its client id and in the list', async () => {
  const placed = await alpaca.trading.orders.market({
    symbol: 'AAPL',
    qty: 3,
    side: 'buy',
    clientOrderId: 'my-first',
    positionIntent: 'buy_to_open',
  })
  assert.equal(placed.status, 'pending_new')
  const byId = await alpaca.trading.orders.getOrderByOrderID({ orderId: placed.id! })
  const byClientId = await alpaca.trading.orders.getOrderByClientOrderId({ clientOrderId: 'my-first' })
  assert.deepEqual(byId, byClientId)
  assert.deepEqual([byId.status, byId.filledQty, byId.clientOrderId], ['filled', '3', 'my-first'])
  assert(Number(byId.filledAvgPrice) > 0)
  assert(byId.filledAt instanceof Date)
  const listed = await alpaca.trading.orders.getAllOrders({ status: 'closed', symbols: 'AAPL' })
  assert.deepEqual(listed, [byId])
})

test('bought shares are a position', async () => {
  const position = await alpaca.trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })
  assert.deepEqual([position.symbol, position.qty, position.side], ['AAPL', '3', 'long'])
  const positions = await alpaca.trading.positions.getAllOpenPositions()
  assert.deepEqual(positions, [position])
})

test('fractional shares are bought and sold', async () => {
  for (const side of ['buy', 'sell'] as const) {
    const { id } = await alpaca.trading.orders.market({ symbol: 'MSFT', qty: '0.125', side })
    const { status, filledQty } = await alpaca.trading.orders.getOrderByOrderID({ orderId: id! })
    assert.deepEqual([status, filledQty], ['filled', '0.125'], side)
  }
})

test('a limit order away from the market rests until it is canceled', async () => {
  const { id } = await alpaca.trading.orders.limit({
    symbol: 'AAPL',
    qty: 10,
    side: 'buy',
    limitPrice: 1.5,
    timeInForce: 'gtc',
  })
  const statusNow = async () => (await alpaca.trading.orders.getOrderByOrderID({ orderId: id! })).status
  assert.equal(await statusNow(), 'new')
  const open = await alpaca.trading.orders.getAllOrders({ status: 'open' })
  assert.deepEqual(
    open.map((order) => order.id),
    [id],
  )
  await alpaca.trading.orders.deleteOrderByOrderID({ orderId: id! })
  assert.equal(await statusNow(), 'canceled')
})

test('a marketable limit order fills at its price or better', async () => {
  const { id } = await alpaca.trading.orders.limit({
    symbol: 'AAPL',
    qty: 1,
    side: 'sell',
    limitPrice: 2,
    extendedHours: true,
  })
  const order = await alpaca.trading.orders.getOrderByOrderID({ orderId: id! })
  assert.deepEqual([order.status, order.extendedHours], ['filled', true])
  assert(Number(order.filledAvgPrice) >= 2)
})

test('submitAndWait waits for the fill on the stream', async (t) => {
  const { stream } = await sdk.tradeUpdates(alpaca, broker.url)
  t.after(() => stream.disconnect())
  const filled = await alpaca.trading.submitAndWait(
    { type: 'market', symbol: 'AAPL', qty: 2, side: 'buy' },
    { stream },
  )
  assert.deepEqual([filled.status, filled.filledQty, filled.symbol], ['filled', '2', 'AAPL'])
})

test('submitAndWait also works in main', async (t) => {
  const wall = sdk.client(broker)
  const { stream } = await sdk.tradeUpdates(wall, broker.url)
  t.after(() => stream.disconnect())
  const filled = await wall.trading.submitAndWait(
    { type: 'market', symbol: 'AAPL', qty: 1, side: 'buy' },
    { stream },
  )
  assert.equal(filled.status, 'filled')
})

test('the stream sends all updates of an order, in order', async (t) => {
  const { stream, updates } = await sdk.tradeUpdates(alpaca, broker.url)
  t.after(() => stream.disconnect())
  const { id } = await alpaca.trading.orders.limit({ symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: 1 })
  await alpaca.trading.orders.deleteOrderByOrderID({ orderId: id! })
  const last = await updates.first(({ event }) => event === 'canceled')
  assert.equal(last.order.canceledAt instanceof Date, true)
  const received = updates.all
    .filter(({ order }) => order.id === id)
    .map(({ event, order }) => [event, order.status])
  assert.deepEqual(received, [
    ['pending_new', 'pending_new'],
    ['new', 'new'],
    ['canceled', 'canceled'],
  ])
})

test('a fill on the stream has its price, its size and the new position', async (t) => {
  const { stream, updates } = await sdk.tradeUpdates(alpaca, broker.url)
  t.after(() => stream.disconnect())
  const { id } = await alpaca.trading.orders.market({ symbol: 'NVDA', qty: 4, side: 'buy' })
  const fill = await updates.first(({ event, order }) => event === 'fill' && order.id === id)
  assert.deepEqual([fill.qty, fill.positionQty, fill.price], ['4', '4', fill.order.filledAvgPrice])
  assert(fill.timestamp)
})

test('after kill -9 the stream reconnects, and orders are still open', async (t) => {
  const folder = newFolder()
  const first = await startBroker(['--data', folder])
  t.after(first.kill)
  const wall = sdk.client(first)
  const { stream } = await sdk.tradeUpdates(wall, first.url)
  t.after(() => stream.disconnect())
  const resting = { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: 1, timeInForce: 'gtc' } as const
  const { id } = await wall.trading.orders.limit(resting)
  const reconnected = new Promise((resolve) => stream.once('subscription', resolve))
  await first.kill()
  const second = await startBroker(['--data', folder, '--port', new URL(first.url).port])
  t.after(second.stop)
  await reconnected
  const update = new Promise<streaming.TradeUpdate>((resolve) => stream.onTradeUpdate(resolve))
  await wall.trading.orders.deleteOrderByOrderID({ orderId: id! })
  const { event, order } = await update
  assert.deepEqual([event, order.id], ['canceled', id])
})

test('assets and the clock', async () => {
  const assets = await alpaca.trading.assets.getV2Assets({ status: 'active', assetClass: 'us_equity' })
  const apple = await alpaca.trading.assets.getV2AssetsSymbolOrAssetId({ symbolOrAssetId: 'AAPL' })
  assert.deepEqual(
    assets.find(({ symbol }) => symbol === 'AAPL'),
    apple,
  )
  assert.deepEqual([apple._class, apple.tradable, apple.fractionable], ['us_equity', true, true])
  await assert.rejects(
    alpaca.trading.assets.getV2AssetsSymbolOrAssetId({ symbolOrAssetId: 'NOTHING' }),
    NotFoundError,
  )
  const clock = await alpaca.trading.clock.legacyClock()
  assert.deepEqual([clock.isOpen, clock.nextClose], [true, new Date('2026-01-05T21:00:00Z')])
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
