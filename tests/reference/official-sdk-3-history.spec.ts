import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, newWorld } from '../support/broker.ts'
import { type Alpaca3, OfficialSdk3 } from './official-sdk-3.ts'

const sdk = new OfficialSdk3()
let alpaca: Alpaca3

before(async () => {
  const broker = await OfficialSdk3.commonBroker()
  const world = await newWorld(broker, { start: '2026-11-02T15:00:00Z', hours: 'nyse' })
  alpaca = sdk.client(world)
  const order = { symbol: 'AAPL', qty: 2, side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(world, 'POST', '/v2/orders', order)).status, 200)
  await world.advance('1h')
})
after(() => sdk.close())

test('getAccountActivities by types, time and page', async () => {
  const all = await alpaca.getAccountActivities({})
  assert.deepEqual(
    all.map(({ activity_type: type }: Alpaca3) => type),
    ['FILL', 'JNLC'],
  )
  const [fill, cash] = all
  assert.deepEqual([fill.symbol, fill.qty, fill.order_status], ['AAPL', '2', 'filled'])
  assert.deepEqual(await alpaca.getAccountActivities({ activityTypes: ['JNLC', 'CSD'] }), [cash])
  assert.deepEqual(await alpaca.getAccountActivities({ pageSize: 1, pageToken: fill.id }), [cash])
  assert.deepEqual(await alpaca.getAccountActivities({ after: fill.transaction_time }), [])
  assert.deepEqual(await alpaca.getAccountActivities({ date: '2026-11-02', direction: 'asc' }), [cash, fill])
})

test('getPortfolioHistory by period and by dates', async () => {
  const day = await alpaca.getPortfolioHistory({ period: '1D', timeframe: '15Min', extended_hours: false })
  assert.deepEqual([day.timeframe, day.timestamp.length], ['15Min', 5], 'from the opening of the account')
  const dates = { date_start: '2026-11-02', date_end: '2026-11-02' }
  const between = await alpaca.getPortfolioHistory({ ...dates, timeframe: '1D' })
  assert.equal(between.equity.length, 1)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
