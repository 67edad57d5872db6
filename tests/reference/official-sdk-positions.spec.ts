import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, PermissionError } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
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
