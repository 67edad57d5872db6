import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, PermissionError } from '@alpacahq/alpaca-trade-api'
import { callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let world: Awaited<ReturnType<typeof newWorld>>
let trading: Alpaca['trading']

before(async () => {
  world = await newWorld(broker)
  trading = sdk.client(world).trading
  for (const symbol of ['AAPL', 'MSFT', 'KO']) await trading.orders.market({ symbol, qty: 2, side: 'buy' })
})

test('the configuration of the account is read and changed', async () => {
  const { accountConfigurations, orders } = trading
  const config = await accountConfigurations.getAccountConfig()
  assert.deepEqual(
    [config.suspendTrade, config.noShorting, config.fractionalTrading, config.maxMarginMultiplier],
    [false, false, true, '4'],
  )
  const suspend = (suspendTrade: boolean) =>
    accountConfigurations.patchAccountConfig({ accountConfigurations: { suspendTrade } })
  assert.deepEqual(await suspend(true), { ...config, suspendTrade: true, suspend_trade: true })
  await assert.rejects(orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' }), PermissionError)
  assert.deepEqual(await suspend(false), config)
})

test('fills are activities, by page and by type', async () => {
  const { accountActivities } = trading
  const all = await accountActivities.getAccountActivities({ activityTypes: ['FILL'], direction: 'asc' })
  assert.deepEqual(
    all.map((activity) => ('symbol' in activity ? activity.symbol : undefined)),
    ['AAPL', 'MSFT', 'KO'],
  )
  const ids = all.map(({ id }) => id)
  assert.deepEqual(ids, [...ids].sort())
  const newestFirst = await trading.collectActivities({ activityTypes: ['FILL'], pageSize: 2 })
  assert.deepEqual(
    newestFirst.map(({ id }) => id),
    [...ids].reverse(),
  )
  const collected: (string | undefined)[] = []
  for await (const { id } of trading.iterateActivities({
    activityTypes: ['FILL'],
    direction: 'asc',
    pageSize: 1,
  }))
    collected.push(id)
  assert.deepEqual(collected, ids)
})

test('activities of one type, and the opening cash', async () => {
  const { accountActivities } = trading
  const [opening] = await accountActivities.getAccountActivitiesByActivityType({ activityType: 'JNLC' })
  assert.deepEqual([opening?.activityType, 'netAmount' in opening! && opening.netAmount], ['JNLC', '100000'])
  const fills = await trading.collectActivitiesByType({ activityType: 'FILL', pageSize: 2 })
  const collected: (string | undefined)[] = []
  for await (const { id } of trading.iterateActivitiesByType({ activityType: 'FILL', pageSize: 1 }))
    collected.push(id)
  assert.deepEqual(
    collected,
    fills.map(({ id }) => id),
  )
  assert.equal(collected.length, 3)
})

test('the portfolio history has daily points', async () => {
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { by: '72h' })
  const history = await trading.portfolioHistory.getAccountPortfolioHistory({ period: '1W', timeframe: '1D' })
  assert.equal(history.timeframe, '1D')
  assert.equal(history.equity?.length, history.timestamp?.length)
  assert.equal(history.profitLoss?.length, history.timestamp?.length)
  assert(history.timestamp!.length >= 3)
  assert(history.equity!.at(-1)! > 99_000)
})

test('activities are sent as server-sent events, and the stream ends at until', async () => {
  const [since, until] = [new Date('2026-01-05T00:00:00Z'), new Date('2026-01-05T16:00:00Z')]
  // The method expects JSON; its raw form returns the event stream.
  const { raw } = await trading.events.subscribeToActivitiesSSERaw({ since, until })
  assert.match(raw.headers.get('content-type') ?? '', /^text\/event-stream/)
  const lines = (await raw.text()).split('\n').filter((line) => line.startsWith('data:'))
  assert.deepEqual(
    lines.map((line) => JSON.parse(line.slice(5))).map((event) => event.details.symbol ?? event.net_amount),
    ['100000', 'AAPL', 'MSFT', 'KO'],
  )
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
