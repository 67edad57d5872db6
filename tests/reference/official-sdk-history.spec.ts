import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, PermissionError } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let trading: Alpaca['trading']

/** A world with five fills on Monday, advanced to Tuesday. */
before(async () => {
  const world = await newWorld(broker, { start: '2026-11-02T15:00:00Z', hours: 'nyse' })
  trading = sdk.client(world).trading
  for (const side of ['buy', 'buy', 'sell', 'buy', 'buy'] as const) {
    await trading.orders.market({ symbol: 'AAPL', qty: 2, side })
    await world.advance('10m')
  }
  await world.advance('24h')
})

type Activity = { readonly id?: string; readonly activityType?: string }
const idOf = (activity: Activity): string | undefined => activity.id

test('iterateActivities returns all pages, each activity once', async () => {
  const all = await trading.accountActivities.getAccountActivities({ direction: 'asc' })
  assert.equal(all.filter(({ activityType }: Activity) => activityType === 'FILL').length, 5)
  const found: (string | undefined)[] = []
  for await (const activity of trading.iterateActivities({ pageSize: 2, direction: 'asc' }))
    found.push(idOf(activity))
  assert.deepEqual(found, all.map(idOf))
  const collected = await trading.collectActivities({ pageSize: 3, direction: 'desc' })
  assert.deepEqual(collected.map(idOf).reverse(), found)
})

test('activities by type, category, day and time', async () => {
  const { accountActivities } = trading
  const fills = await accountActivities.getAccountActivities({ activityTypes: ['FILL'] })
  assert.equal(fills.length, 5)
  const [newest] = fills as unknown as readonly Record<string, unknown>[]
  assert.deepEqual(
    [
      newest!['symbol'],
      newest!['qty'],
      newest!['side'],
      newest!['type'],
      newest!['cumQty'] ?? newest!['cum_qty'],
    ],
    ['AAPL', '2', 'buy', 'fill', '2'],
  )
  const cash = await accountActivities.getAccountActivitiesByActivityType({ activityType: 'JNLC' })
  assert.deepEqual(
    cash.map((one) => (one as { netAmount?: string }).netAmount),
    ['100000'],
  )
  const trades = await accountActivities.getAccountActivities({ category: 'trade_activity' })
  assert.deepEqual(trades, fills)
  const day = await accountActivities.getAccountActivities({ date: new Date('2026-11-02T17:00:00Z') })
  assert(day.length >= 6)
  const none = await accountActivities.getAccountActivities({ after: new Date('2026-11-04T00:00:00Z') })
  assert.deepEqual(none, [])
})

test('portfolio history by day and by minute', async () => {
  const { portfolioHistory } = trading
  const days = await portfolioHistory.getAccountPortfolioHistory({ period: '1W', timeframe: '1D' })
  assert.equal(days.timeframe, '1D')
  assert.equal(days.timestamp?.length, days.equity?.length)
  const minutes = await portfolioHistory.getAccountPortfolioHistory({
    start: new Date('2026-11-02T14:30:00Z'),
    end: new Date('2026-11-02T20:59:00Z'),
    timeframe: '1Min',
    intradayReporting: 'market_hours',
    pnlReset: 'no_reset',
    cashflowTypes: 'ALL',
  })
  assert.equal(minutes.equity?.length, 360, 'from the opening of the account')
  assert(minutes.equity!.at(-1)! > 90_000)
})

let alpaca: Alpaca

before(async () => {
  alpaca = sdk.client(await newWorld(broker))
})

test('a short position: negative quantity and margin', async () => {
  const { trading } = alpaca
  assert.equal((await trading.account.getAccount()).shortingEnabled, true)
  const { positionIntent } = await trading.orders.market({ symbol: 'KO', qty: 7, side: 'sell' })
  assert.equal(positionIntent, 'sell_to_open')
  const short = await trading.positions.getOpenPosition({ symbolOrAssetId: 'KO' })
  assert.deepEqual([short.side, short.qty, short.qtyAvailable], ['short', '-7', '-7'])
  const account = await trading.account.getAccount()
  assert.equal(account.shortMarketValue, short.marketValue)
  assert.equal(Number(account.initialMargin), -Number(short.marketValue) / 2)
  const covered = await trading.positions.deleteOpenPosition({ symbolOrAssetId: 'KO' })
  assert.deepEqual([covered.side, covered.qty, covered.positionIntent], ['buy', '7', 'buy_to_close'])
})

test('a crypto position is found by both symbols, is net of fees, and is closed', async () => {
  const { positions, orders } = alpaca.trading
  await orders.market({ symbol: 'ETH/USD', qty: '2', side: 'buy', timeInForce: 'gtc' })
  const held = await positions.getOpenPosition({ symbolOrAssetId: 'ETHUSD' })
  assert.deepEqual(
    [held.symbol, held.qty, held.assetClass, held.exchange, held.assetMarginable],
    ['ETHUSD', '1.995', 'crypto', 'CRYPTO', false],
  )
  assert.deepEqual(await positions.getOpenPosition({ symbolOrAssetId: 'ETH/USD' }), held)
  const [closed] = await alpaca.trading.closeAllPositions({ cancelOrders: false })
  assert.deepEqual([closed?.symbol, closed?.status], ['ETHUSD', 200])
  assert.deepEqual(await positions.getAllOpenPositions(), [])
})

test('noShorting refuses short sales', async () => {
  const { accountConfigurations, orders } = alpaca.trading
  const choose = (noShorting: boolean) =>
    accountConfigurations.patchAccountConfig({ accountConfigurations: { noShorting } })
  assert.equal((await choose(true)).noShorting, true)
  await assert.rejects(orders.market({ symbol: 'KO', qty: 1, side: 'sell' }), (error) => {
    assert(error instanceof PermissionError)
    assert.deepEqual([error.code, error.message], [40310000, 'account is not allowed to short'])
    return true
  })
  assert.equal((await choose(false)).noShorting, false)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
