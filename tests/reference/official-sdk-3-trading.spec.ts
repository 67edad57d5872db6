import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, newWorld } from '../support/broker.ts'
import { type Alpaca3, OfficialSdk3 } from './official-sdk-3.ts'

const sdk = new OfficialSdk3()
let world: Awaited<ReturnType<typeof newWorld>>
let alpaca: Alpaca3

before(async () => {
  const broker = await OfficialSdk3.commonBroker()
  world = await newWorld(broker)
  alpaca = sdk.client(world)
})
after(() => sdk.close())

const market = { symbol: 'AAPL', qty: 5, side: 'buy', type: 'market', time_in_force: 'day' }
const resting = { ...market, qty: 1, type: 'limit', limit_price: 1, time_in_force: 'gtc' }

test('the account and its configuration', async () => {
  const account = await alpaca.getAccount()
  assert.deepEqual(
    [account.id, account.status, account.cash, account.multiplier],
    [world.accountId, 'ACTIVE', '100000', '4'],
  )
  const config = await alpaca.getAccountConfigurations()
  assert.deepEqual([config.no_shorting, config.suspend_trade, config.dtbp_check], [false, false, 'entry'])
  const changed = await alpaca.updateAccountConfigurations({ no_shorting: true })
  assert.deepEqual(changed, { ...config, no_shorting: true })
  assert.deepEqual(await alpaca.updateAccountConfigurations({ no_shorting: false }), config)
})

test('an order fills, and is found by id, by client id and in the list', async () => {
  const placed = await alpaca.createOrder({ ...market, client_order_id: 'first' })
  assert.equal(placed.status, 'pending_new')
  const order = await alpaca.getOrder(placed.id)
  assert.deepEqual([order.status, order.filled_qty], ['filled', '5'])
  assert.deepEqual(await alpaca.getOrderByClientId('first'), order)
  assert.deepEqual(
    await alpaca.getOrders({ status: 'closed', symbols: 'AAPL', limit: 5, direction: 'asc' }),
    [order],
  )
  await assert.rejects(alpaca.createOrder({ ...market, client_order_id: 'first' }), /422/)
})

test('a bracket is one order with two legs', async () => {
  const { filled_avg_price: price } = await alpaca.getOrderByClientId('first')
  const bracket = await alpaca.createOrder({
    ...market,
    order_class: 'bracket',
    take_profit: { limit_price: (price * 1.2).toFixed(2) },
    stop_loss: { stop_price: (price * 0.8).toFixed(2) },
  })
  assert.deepEqual(
    bracket.legs.map(({ type, status }: Alpaca3) => [type, status]),
    [
      ['limit', 'held'],
      ['stop', 'held'],
    ],
  )
  await alpaca.cancelAllOrders()
})

test('orders are replaced, canceled one by one, and all canceled', async () => {
  const placed = await alpaca.createOrder(resting)
  const replaced = await alpaca.replaceOrder(placed.id, { qty: 2, limit_price: 1.5 })
  assert.deepEqual([replaced.replaces, replaced.qty, replaced.limit_price], [placed.id, '2', '1.5'])
  await alpaca.cancelOrder(replaced.id)
  assert.equal((await alpaca.getOrder(replaced.id)).status, 'canceled')
  await alpaca.createOrder(resting)
  await alpaca.createOrder(resting)
  const canceled = await alpaca.cancelAllOrders()
  assert.deepEqual(
    canceled.map(({ status }: Alpaca3) => status),
    [200, 200],
  )
  assert.deepEqual(await alpaca.getOrders(), [])
})

test('positions are listed, closed one by one, and all closed', async () => {
  const position = await alpaca.getPosition('AAPL')
  assert.deepEqual([position.qty, position.side], ['10', 'long'])
  assert.deepEqual(await alpaca.getPositions(), [position])
  await alpaca.createOrder({ ...market, symbol: 'LTC/USD', qty: 1, time_in_force: 'gtc' })
  assert.equal((await alpaca.getPosition('LTCUSD')).asset_class, 'crypto')
  const closing = await alpaca.closePosition('AAPL')
  assert.deepEqual([closing.side, closing.qty], ['sell', '10'])
  const closed = await alpaca.closeAllPositions()
  assert.deepEqual(
    closed.map(({ symbol, status }: Alpaca3) => [symbol, status]),
    [['LTCUSD', 200]],
  )
  assert.deepEqual(await alpaca.getPositions(), [])
})

test('fills are activities, and the portfolio has a history', async () => {
  const fills = await alpaca.getAccountActivities({ activityTypes: ['FILL'], direction: 'asc', pageSize: 2 })
  assert.deepEqual(
    fills.map(({ symbol, side }: Alpaca3) => [symbol, side]),
    [
      ['AAPL', 'buy'],
      ['AAPL', 'buy'],
    ],
  )
  const rest = await alpaca.getAccountActivities({
    activityTypes: 'FILL',
    direction: 'asc',
    pageToken: fills[1].id,
  })
  assert.equal(rest.length, 3)
  await world.advance('48h')
  const history = await alpaca.getPortfolioHistory({ period: '1M', timeframe: '1D' })
  assert.equal(history.timestamp.length, history.equity.length)
})

test('assets, the clock and the calendar', async () => {
  const assets = await alpaca.getAssets({ status: 'active', asset_class: 'us_equity' })
  const apple = await alpaca.getAsset('AAPL')
  assert.deepEqual(
    assets.find(({ symbol }: Alpaca3) => symbol === 'AAPL'),
    apple,
  )
  assert.equal((await alpaca.getAsset('BTC/USD')).class, 'crypto')
  assert.equal(typeof (await alpaca.getClock()).is_open, 'boolean')
  const [short] = await alpaca.getCalendar({ start: new Date('2026-11-27'), end: new Date('2026-11-27') })
  assert.deepEqual([short.date, short.close], ['2026-11-27', '13:00'])
})

test('watchlists', async () => {
  const made = await alpaca.addWatchlist('Coins', ['BTC/USD', 'ETH/USD'])
  const symbols = ({ assets }: Alpaca3): string => assets.map(({ symbol }: Alpaca3) => symbol).join(' ')
  assert.deepEqual(await alpaca.getWatchlist(made.id), made)
  assert.equal(symbols(await alpaca.addToWatchlist(made.id, 'SOL/USD')), 'BTC/USD ETH/USD SOL/USD')
  assert.equal(symbols(await alpaca.deleteFromWatchlist(made.id, 'ETH/USD')), 'BTC/USD SOL/USD')
  const renamed = await alpaca.updateWatchlist(made.id, { name: 'Shares', symbols: ['KO'] })
  assert.deepEqual([renamed.name, symbols(renamed)], ['Shares', 'KO'])
  assert.equal((await alpaca.getWatchlists()).length, 1)
  await alpaca.deleteWatchlist(made.id)
  assert.deepEqual(await alpaca.getWatchlists(), [])
})

test('the stream sends all updates of an order', async (t) => {
  const stream = alpaca.trade_ws
  t.after(() => stream.disconnect())
  const events: string[] = []
  let placed: Promise<Alpaca3> | undefined
  await new Promise<void>((resolve, reject) => {
    stream.onError((text: string) => reject(new Error(`stream error: ${text}`)))
    stream.onOrderUpdate(({ event }: Alpaca3) => {
      events.push(event)
      if (event === 'fill') resolve()
    })
    stream.onConnect(() => {
      stream.subscribe(['trade_updates'])
      // The SDK does not report the acknowledgement; a pong shows that the server has read the listen message.
      stream.conn.once('pong', () => {
        placed = alpaca.createOrder({ ...market, qty: 1 })
      })
      stream.conn.ping()
    })
    stream.connect()
  })
  await placed
  assert.deepEqual(events, ['pending_new', 'new', 'fill'])
  sdk.coverage.received('/stream', 'trade_updates')
})

test('short and crypto positions are listed and closed', async () => {
  const alpaca = sdk.client(await newWorld(await OfficialSdk3.commonBroker()))
  const order = { symbol: 'KO', qty: 7, side: 'sell', type: 'market', time_in_force: 'day' }
  await alpaca.createOrder(order)
  await alpaca.createOrder({ ...order, symbol: 'ETH/USD', qty: 2, side: 'buy', time_in_force: 'gtc' })
  const [short, coins] = await alpaca.getPositions()
  assert.deepEqual([short.symbol, short.side, short.qty], ['KO', 'short', '-7'])
  assert.deepEqual([coins.symbol, coins.side, coins.qty], ['ETHUSD', 'long', '1.995'])
  assert.deepEqual(await alpaca.getPosition('KO'), short)
  const account = await alpaca.getAccount()
  assert.deepEqual(
    [account.short_market_value, account.long_market_value],
    [short.market_value, coins.market_value],
  )
  assert.deepEqual([account.shorting_enabled, account.multiplier], [true, '4'])
  const covered = await alpaca.closePosition('KO')
  assert.deepEqual([covered.side, covered.position_intent], ['buy', 'buy_to_close'])
  const closed = await alpaca.closeAllPositions()
  assert.deepEqual(
    closed.map(({ symbol, status }: Alpaca3) => [symbol, status]),
    [['ETHUSD', 200]],
  )
  assert.deepEqual(await alpaca.getPositions(), [])
})

/** A client of an account that has traded an hour ago. */
let past: Alpaca3
before(async () => {
  const broker = await OfficialSdk3.commonBroker()
  const world = await newWorld(broker, { start: '2026-11-02T15:00:00Z', hours: 'nyse' })
  past = sdk.client(world)
  const order = { symbol: 'AAPL', qty: 2, side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(world, 'POST', '/v2/orders', order)).status, 200)
  await world.advance('1h')
})

test('getAccountActivities by types, time and page', async () => {
  const all = await past.getAccountActivities({})
  assert.deepEqual(
    all.map(({ activity_type: type }: Alpaca3) => type),
    ['FILL', 'JNLC'],
  )
  const [fill, cash] = all
  assert.deepEqual([fill.symbol, fill.qty, fill.order_status], ['AAPL', '2', 'filled'])
  assert.deepEqual(await past.getAccountActivities({ activityTypes: ['JNLC', 'CSD'] }), [cash])
  assert.deepEqual(await past.getAccountActivities({ pageSize: 1, pageToken: fill.id }), [cash])
  assert.deepEqual(await past.getAccountActivities({ after: fill.transaction_time }), [])
  assert.deepEqual(await past.getAccountActivities({ date: '2026-11-02', direction: 'asc' }), [cash, fill])
})

test('getPortfolioHistory by period and by dates', async () => {
  const day = await past.getPortfolioHistory({ period: '1D', timeframe: '15Min', extended_hours: false })
  assert.deepEqual([day.timeframe, day.timestamp.length], ['15Min', 5], 'from the opening of the account')
  const dates = { date_start: '2026-11-02', date_end: '2026-11-02' }
  const between = await past.getPortfolioHistory({ ...dates, timeframe: '1D' })
  assert.equal(between.equity.length, 1)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
