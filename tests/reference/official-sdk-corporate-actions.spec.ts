import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'
import { callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let world: Awaited<ReturnType<typeof newWorld>>
let alpaca: Alpaca

const TUESDAY = '2026-01-06'

before(async () => {
  world = await newWorld(broker)
  alpaca = sdk.client(world)
  const exDate = { ex_date: TUESDAY }
  for (const body of [
    { type: 'forward_split', symbol: 'AAPL', new_rate: 4, old_rate: 1, ...exDate },
    { type: 'reverse_split', symbol: 'F', new_rate: 1, old_rate: 2, ...exDate },
    { type: 'cash_dividend', symbol: 'MSFT', rate: '0.75', payable_date: '2026-01-08', ...exDate },
    { type: 'name_change', symbol: 'NVDA', new_symbol: 'CHIP', ...exDate },
    { type: 'delisting', symbol: 'GE', ...exDate },
    { type: 'delisting', symbol: 'KO', price: '12.5', ...exDate },
  ]) {
    const path = `/sim/v1/worlds/${world.world}/corporate-actions`
    const { status, body: created } = await callAsOperator(broker, 'POST', path, body)
    assert.equal(status, 201, JSON.stringify(created))
  }
  await world.advance('96h')
})

const span = { start: new Date(`${TUESDAY}T00:00:00Z`), end: new Date('2026-01-09T00:00:00Z') }

test('collectCorporateActions returns every kind over all pages, with numbers and dates', async () => {
  const all = await alpaca.marketData.collectCorporateActions({ ...span, limit: 1 })
  const [split, dividend, change] = [all.forwardSplits![0]!, all.cashDividends![0]!, all.nameChanges![0]!]
  assert.deepEqual([split.symbol, split.newRate, split.oldRate], ['AAPL', 4, 1])
  assert.deepEqual(split.exDate, new Date(`${TUESDAY}T00:00:00Z`))
  assert.deepEqual(
    [dividend.symbol, dividend.rate, dividend.special, dividend.foreign],
    ['MSFT', 0.75, false, false],
  )
  assert.deepEqual([change.oldSymbol, change.newSymbol], ['NVDA', 'CHIP'])
  assert.equal(all.reverseSplits?.[0]?.symbol, 'F')
  assert.equal(all.worthlessRemovals?.[0]?.symbol, 'GE')
  assert.equal(all.redemptions?.[0]?.rate, 12.5)
})

test('bars are adjusted on request', async () => {
  const request = {
    timeframe: TimeFrame.Day,
    start: new Date('2026-01-05T00:00:00Z'),
    end: new Date('2026-01-05T23:59:59Z'),
  }
  const [raw] = await alpaca.marketData.getStockBarsFor('AAPL', request)
  const [adjusted] = await alpaca.marketData.getStockBarsFor('AAPL', { ...request, adjustment: 'split' })
  assert(Math.abs(adjusted!.close - raw!.close / 4) < 0.0001)
  assert.equal(adjusted!.volume, raw!.volume * 4)
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
