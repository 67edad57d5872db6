import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetOf, builtInListing, checkListing, customOf, profileOf, type Ticker } from '@quipu/core'
import { namedSymbol, tickerTable } from './tickers.ts'

const rows = tickerTable().trim().split('\n')
const tickers = rows.filter((row) => !row.startsWith('#')).map((row) => row.split(' ', 1)[0] as Ticker)
const groups = rows.filter((row) => row.startsWith('#'))

test('the table and the listed symbols have at least 3,000 names together', () => {
  assert.ok(tickers.length + builtInListing().assets.size >= 3000, String(tickers.length))
})

test('each line is well formed', () => {
  for (const row of rows)
    assert.match(
      row,
      /^(# (tech|comm|disc|stap|hlth|fin|indu|matl|enrg|util|real|-) (share|fund) [\d.]+ -?[\d.]+ [\d.]+|[A-Z]{1,5}(\.[A-Z])? [QNPAZ] [\d.]+ [!-~]+( [!-~]+)*)$/,
    )
  assert.ok(rows[0]!.startsWith('#'))
})

test('no ticker is in the table twice, or a listed symbol', () => {
  const { assets } = builtInListing()
  assert.deepEqual(
    tickers.filter((ticker, index) => tickers.indexOf(ticker) !== index || assets.has(ticker)),
    [],
  )
})

test('each ticker has a name, and estimates from which prices can be generated', () => {
  for (const ticker of tickers) {
    const named = namedSymbol(ticker)
    assert.ok(named.name && named.name !== ticker && named.estimates, ticker)
    assert.equal(checkListing(customOf(named)).ok, true, ticker)
    const { volatility, beta, volume } = profileOf(customOf(named))
    assert.ok(volatility > 0 && volatility <= 1.5, `${ticker}: volatility`)
    assert.ok(beta >= -3 && beta <= 3, `${ticker}: beta`)
    assert.ok(volume >= 1000, `${ticker}: volume`)
  }
  for (const group of groups) assert.equal(groups.filter((one) => one === group).length, 1, group)
})

test('a ticker has the values of its line and of its group', () => {
  const named = namedSymbol('SOFI' as Ticker)
  const asset = assetOf(customOf(named))
  assert.deepEqual(
    [asset.name, asset.exchange, asset.tick],
    ['SoFi Technologies, Inc. Common Stock', 'NASDAQ', 10_000_000n],
  )
  const profile = profileOf(customOf(named))
  assert.deepEqual([profile.sector, profile.isFund, profile.volatility], ['fin', false, 0.6])
  assert.ok(profile.basePrice > 1000 && profile.basePrice < 5000)
})

test('other tickers have no name; a part of a line is no ticker', () => {
  for (const ticker of ['ZQXW', 'Inc.', 'fin', 'share', 'SOF', 'OFI'] as Ticker[])
    assert.deepEqual(namedSymbol(ticker), { symbol: ticker })
})
