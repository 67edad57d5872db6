import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../support/broker.ts'
import { broker, get, newWorld, postOrder, type World } from './stage.ts'

/**
 * An account with 10,000 dollars is short 1,000 shares at about 20 dollars. The stock opens higher on two mornings. Orders
 * that reduce risk are accepted, orders that add risk are refused. Below an equity of 2,000 no short sale is allowed.
 */
const steps = [
  // day, order, response, position, buying power
  ['Monday', 'sell 1000 GME', 'accepted', '-1000', 'yes'],
  ['Monday', 'sell 1500 GME', '403 insufficient buying power', '-1000', 'yes'],
  ['Monday', 'buy 1001 GME', '403 insufficient qty available for order', '-1000', 'yes'],
  ['Tuesday', 'sell 1 GME', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'buy 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'sell 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Wednesday', 'sell 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 900 GME', 'accepted', '-100', 'yes'],
  ['Wednesday', 'buy 1 KO', 'accepted', '-100', 'yes'],
  ['Wednesday', 'close GME', 'accepted', '0', 'yes'],
  ['Wednesday', 'sell 1 GME', '403 account is not allowed to short', '0', 'yes'],
] as const

async function send(world: World, action: string): Promise<string> {
  const [verb, ...words] = action.split(' ')
  const [qty, symbol = qty] = words
  const { status, body } =
    verb === 'close'
      ? await call(world, 'DELETE', `/v2/positions/${symbol}`)
      : await postOrder(world, { symbol, qty, side: verb, type: 'market', time_in_force: 'day' })
  return status === 200 ? 'accepted' : `${status} ${body.message.replace(/ \(.*/, '')}`
}

test('a short squeeze: margin refusals, then closing orders only, then recovery', async () => {
  const world = await newWorld({
    hours: 'nyse',
    start: '2026-11-02T15:30:00Z',
    cash: '10000',
    symbols: ['GME:20', 'KO'],
    market_events: [
      { kind: 'gap', symbol: 'GME', on: '2026-11-03', percent: '22' },
      { kind: 'gap', symbol: 'GME', on: '2026-11-04', percent: '7' },
    ],
  })
  const account = async () => (await get(world, '/v2/account')).body
  let day = 'Monday'
  for (const [weekday, action, response, position, power] of steps) {
    if (weekday !== day) await world.advance('24h')
    day = weekday
    assert.equal(await send(world, action), response, `${weekday}: ${action}`)
    const { body: held } = await get(world, '/v2/positions/GME')
    const { equity, maintenance_margin, buying_power } = await account()
    assert.equal(held.qty ?? '0', position, `${weekday}: ${action}`)
    assert.equal(Number(equity) > Number(maintenance_margin) ? 'yes' : 'no', power, `${weekday}: ${action}`)
    assert.equal(Number(buying_power) > 0 ? 'yes' : 'no', power, `${weekday}: ${action}`)
  }
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/audit`)
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})
