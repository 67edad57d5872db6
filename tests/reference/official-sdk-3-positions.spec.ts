import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newWorld } from '../support/broker.ts'
import { type Alpaca3, OfficialSdk3 } from './official-sdk-3.ts'

const sdk = new OfficialSdk3()
let alpaca: Alpaca3

before(async () => {
  const broker = await OfficialSdk3.commonBroker()
  alpaca = sdk.client(await newWorld(broker))
})
after(() => sdk.close())

test('short and crypto positions are listed and closed', async () => {
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

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
