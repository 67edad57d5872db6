import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alpaca, NotFoundError, type trading as types } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let world: Awaited<ReturnType<typeof newWorld>>
let trading: Alpaca['trading']

/** Each test has a new world with a frozen clock, so orders fill before the next request. */
const newTrading = async () => {
  world = await newWorld(broker)
  trading = sdk.client(world).trading
}

const order = (id: string | undefined) => trading.orders.getOrderByOrderID({ orderId: id!, nested: true })

/** Buys shares of AAPL and returns the price. */
async function buyShares(qty: number): Promise<number> {
  const { id } = await trading.orders.market({ symbol: 'AAPL', qty, side: 'buy' })
  return Number((await order(id)).filledAvgPrice)
}

const cents = (price: number): string => price.toFixed(2)
const shown = ({ type, side, status }: types.Order | types.OrderLeg) => [type, side, status]

test('stop, stop-limit and trailing stop orders wait at their prices', async () => {
  await newTrading()
  const price = await buyShares(30)
  const exit = { symbol: 'AAPL', side: 'sell', qty: 10, timeInForce: 'gtc' } as const
  const stop = await trading.orders.stop({ ...exit, stopPrice: cents(price * 0.9) })
  const stopLimit = await trading.orders.stopLimit({
    ...exit,
    stopPrice: cents(price * 0.9),
    limitPrice: cents(price * 0.89),
  })
  const trailing = await trading.orders.trailingStop({ ...exit, trailPercent: '5' })
  const now = await Promise.all([stop, stopLimit, trailing].map(({ id }) => order(id)))
  assert.deepEqual(now.map(shown), [
    ['stop', 'sell', 'new'],
    ['stop_limit', 'sell', 'new'],
    ['trailing_stop', 'sell', 'new'],
  ])
  assert.deepEqual(
    [now[0]!.stopPrice, now[1]!.limitPrice],
    [cents(price * 0.9), cents(price * 0.89)].map(plain),
  )
  assert.equal(now[2]!.trailPercent, '5')
  assert(Number(now[2]!.hwm) > Number(now[2]!.stopPrice))
})

/** A price in the format of the protocol. */
const plain = (text: string): string => String(Number(text))

test('the exits of a bracket wait for its entry', async () => {
  await newTrading()
  const price = await buyShares(1)
  const placed = await trading.orders.bracket({
    symbol: 'AAPL',
    side: 'buy',
    qty: 2,
    takeProfit: { limitPrice: cents(price * 1.2) },
    stopLoss: { stopPrice: cents(price * 0.8) },
  })
  assert.deepEqual(
    [placed.orderClass, placed.legs?.map(shown)],
    [
      'bracket',
      [
        ['limit', 'sell', 'held'],
        ['stop', 'sell', 'held'],
      ],
    ],
  )
  const filled = await order(placed.id)
  assert.equal(filled.status, 'filled')
  assert.deepEqual(filled.legs?.map(shown), [
    ['limit', 'sell', 'new'],
    ['stop', 'sell', 'held'],
  ])
})

test('oco and oto orders have linked exits', async () => {
  await newTrading()
  const price = await buyShares(4)
  const exits = {
    takeProfit: { limitPrice: cents(price * 1.2) },
    stopLoss: { stopPrice: cents(price * 0.8), limitPrice: cents(price * 0.79) },
  }
  const oco = await trading.orders.oco({ symbol: 'AAPL', side: 'sell', qty: 4, ...exits })
  assert.deepEqual([oco.orderClass, oco.legs?.length], ['oco', 1])
  await trading.orders.deleteOrderByOrderID({ orderId: oco.id! })
  const ended = await order(oco.id)
  assert.deepEqual([ended.status, ended.legs?.map(({ status }) => status)], ['canceled', ['canceled']])
  const oto = await trading.orders.oto({
    symbol: 'MSFT',
    side: 'buy',
    qty: 1,
    limitPrice: 1,
    stopLoss: { stopPrice: '0.5' },
  })
  assert.deepEqual([oto.orderClass, oto.legs?.map(shown)], ['oto', [['stop', 'sell', 'held']]])
})

test('orders of all kinds are submitted with submit and postOrder', async () => {
  await newTrading()
  const byMoney = await trading.orders.submit({ type: 'market', symbol: 'AAPL', side: 'buy', notional: 100 })
  assert.deepEqual([byMoney.notional, byMoney.qty ?? null], ['100', null])
  const coin = await trading.orders.postOrder({
    postOrderRequest: { symbol: 'BTC/USD', side: 'buy', type: 'market', timeInForce: 'gtc', qty: '0.01' },
  })
  assert.deepEqual(
    [coin.symbol, coin.assetClass, (await order(coin.id)).status],
    ['BTC/USD', 'crypto', 'filled'],
  )
  const immediate = await trading.orders.limit({
    symbol: 'AAPL',
    side: 'buy',
    qty: 1,
    limitPrice: 1,
    timeInForce: 'ioc',
  })
  assert.equal((await order(immediate.id)).status, 'canceled')
  const short = await trading.orders.market({
    symbol: 'KO',
    side: 'sell',
    qty: 5,
    positionIntent: 'sell_to_open',
  })
  assert.equal((await order(short.id)).status, 'filled')
  const position = await trading.positions.getOpenPosition({ symbolOrAssetId: 'KO' })
  assert.deepEqual([position.side, position.qty], ['short', '-5'])
})

test('auction orders wait for the auction; fill-or-kill orders end at once', async () => {
  await newTrading()
  const buy = { symbol: 'AAPL', side: 'buy', qty: 1 } as const
  const closing = await trading.orders.market({ ...buy, timeInForce: 'cls' })
  const opening = await trading.orders.limit({ ...buy, timeInForce: 'opg', limitPrice: 100_000 })
  const whole = await trading.orders.limit({ ...buy, timeInForce: 'fok', limitPrice: 100_000 })
  const none = await trading.orders.limit({ ...buy, timeInForce: 'fok', limitPrice: 1 })
  const states = async () => {
    const now = await Promise.all([closing, opening, whole, none].map(({ id }) => order(id)))
    return now.map(({ status }) => status)
  }
  assert.deepEqual((await states()).slice(2), ['filled', 'canceled'])
  await world.advance('24h')
  assert.deepEqual(await states(), ['filled', 'filled', 'filled', 'canceled'])
})

test('a replaced order has a new id', async () => {
  await newTrading()
  const old = await trading.orders.limit({ symbol: 'AAPL', side: 'buy', qty: 1, limitPrice: 1 })
  const patchOrderRequest = {
    qty: '2',
    limitPrice: '1.5',
    timeInForce: 'gtc',
    clientOrderId: 'second',
  } as const
  const next = await trading.orders.patchOrderByOrderId({ orderId: old.id!, patchOrderRequest })
  assert.deepEqual(
    [next.replaces, next.qty, next.limitPrice, next.clientOrderId],
    [old.id, '2', '1.5', 'second'],
  )
  const replaced = await order(old.id)
  assert.deepEqual([replaced.status, replaced.replacedBy], ['replaced', next.id])
})

test('deleteAllOrders cancels all open orders', async () => {
  await newTrading()
  for (const limitPrice of [1, 2, 3])
    await trading.orders.limit({ symbol: 'AAPL', side: 'buy', qty: 1, limitPrice, timeInForce: 'gtc' })
  const open = await trading.orders.getAllOrders({
    status: 'open',
    symbols: ['AAPL'],
    side: 'buy',
    nested: true,
  })
  const canceled = await trading.orders.deleteAllOrders()
  assert.deepEqual(canceled.map(({ id }) => id).sort(), open.map(({ id }) => id).sort())
  assert.deepEqual([...new Set(canceled.map(({ status }) => status))], [200])
  assert.deepEqual(await trading.orders.getAllOrders({ status: 'open' }), [])
})

test('a position is closed in parts, and closeAllPositions closes all', async () => {
  await newTrading()
  await buyShares(10)
  const part = await trading.positions.deleteOpenPosition({ symbolOrAssetId: 'AAPL', qty: 3 })
  assert.deepEqual([part.side, part.qty, part.positionIntent], ['sell', '3', 'sell_to_close'])
  await trading.positions.deleteOpenPosition({ symbolOrAssetId: 'AAPL', percentage: 50 })
  assert.equal((await trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })).qty, '4')
  await trading.orders.market({ symbol: 'MSFT', qty: 1, side: 'buy' })
  const closed = await trading.closeAllPositions({ cancelOrders: true })
  assert.deepEqual(closed.map(({ symbol, status }) => `${symbol} ${status}`).sort(), ['AAPL 200', 'MSFT 200'])
  assert.deepEqual(await trading.positions.getAllOpenPositions(), [])
  assert.deepEqual(await trading.positions.deleteAllOpenPositions(), [])
})

test('no option can be exercised', async () => {
  await newTrading()
  const one = { symbolOrContractId: 'AAPL261218C00250000' }
  await assert.rejects(trading.positions.optionExercise(one), NotFoundError)
  await assert.rejects(trading.positions.optionDoNotExercise(one), NotFoundError)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
