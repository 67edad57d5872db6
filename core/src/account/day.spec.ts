import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { customer, FEES, shares, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import type { Asset } from '../market/assets/asset.ts'
import { amount, must } from '../testing/script-lines.ts'
import { TestWorld } from '../testing/world.ts'
import { parseInstant } from '../time.ts'
import { activitiesOf } from './activities.ts'
import { balancesOf, cashOf } from './balances.ts'

const pair: Partial<Asset> = {
  class: 'crypto',
  exchange: 'CRYPTO',
  marginable: false,
  shortable: false,
  easyToBorrow: false,
  tick: 1n as never,
  lot: 1n as never,
}

function worldAfter(...lines: readonly string[]) {
  const world = new TestWorld()
  for (const line of lines) world.run(line)
  const id = world.accounts.get('A')!
  const balanceOf = (settlement: 'settled' | 'unsettled', asset = USD) =>
    format(balance(world.state.ledger, customer(id, settlement), asset))
  return { world, id, balanceOf }
}

test("a day's fills settle on the next business day, in one posting", () => {
  const { world, balanceOf } = worldAfter(
    'open A 1000',
    'quote AAPL 99 100',
    'buy A o1 AAPL 5',
    'sell A o2 AAPL 2',
  )
  const apple = shares('AAPL' as Ticker)
  assert.deepEqual([balanceOf('settled'), balanceOf('unsettled')], ['1000', '-302'])
  assert.deepEqual([balanceOf('settled', apple), balanceOf('unsettled', apple)], ['0', '3'])
  assert.equal(world.run('until 2026-11-03T08:59:59Z'), 'dayClosed')
  assert.equal(world.run('until 2026-11-03T09:00:00Z'), 'accountSettled')
  assert.deepEqual([balanceOf('settled'), balanceOf('unsettled')], ['698', '0'])
  assert.deepEqual([balanceOf('settled', apple), balanceOf('unsettled', apple)], ['3', '0'])
})

test("Friday's fills settle on Monday", () => {
  const { world, balanceOf } = worldAfter(
    'open A 1000',
    'until 2026-11-06T15:30:00Z',
    'quote AAPL 99 100',
    'buy A o1 AAPL 5',
  )
  world.run('until 2026-11-09T08:59:59Z')
  assert.equal(balanceOf('unsettled'), '-500')
  world.run('until 2026-11-09T09:00:00Z')
  assert.equal(balanceOf('unsettled'), '0')
})

test('settlement does not change the cash of an account', () => {
  const { world, id } = worldAfter('open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 5')
  const before = cashOf(world.state, id)
  world.run('wait 200000')
  assert.equal(cashOf(world.state, id), before)
})

test('the close marks every account; the last values are from the previous close until then', () => {
  const { world, id } = worldAfter('open A 10000', 'quote AAPL 99 100', 'trade AAPL 100', 'buy A o1 AAPL 10')
  world.run('trade AAPL 120')
  const account = () => world.state.accounts.get(id)!
  assert.equal(format(account().lastEquity), '10000')
  world.run('until 2026-11-02T21:00:00Z')
  assert.equal(format(account().lastEquity), '10200')
  assert.equal(format(account().lastMaintenanceMargin), '360')
  assert.equal(account().balanceDate, '2026-11-02')
})

test('the close uses the margin terms of an asset, and records them', () => {
  const { world, id } = worldAfter('open A 10000', 'quote ZQXW 20 20', 'trade ZQXW 20', 'buy A o1 ZQXW 100')
  world.assets.set('ZQXW', { marginable: false })
  world.run('until 2026-11-02T21:00:00Z')
  assert.equal(format(world.state.accounts.get(id)!.lastMaintenanceMargin), '2000')
  const closed = world.events.findLast(({ kind }) => kind === 'dayClosed')
  assert.deepEqual(closed?.kind === 'dayClosed' && closed.terms, new Map([['ZQXW', { marginable: false }]]))
})

test('regulatory fees accrue with each fill and are booked at the close, each kind in whole cents', () => {
  const world = new TestWorld({ fees: 'us' }, must(parseInstant('2026-05-04T15:30:00Z')))
  for (const line of ['open A 10000', 'quote KO 50 50', 'trade KO 50', 'buy A o1 KO 100', 'sell A o2 KO 30'])
    world.run(line)
  const id = world.accounts.get('A')!
  const prices = { quote: () => undefined, trade: () => undefined }
  const cashAndFees = () => {
    const { cash, accruedFees } = balancesOf(world.state, { prices, asset: world.asset }, id)
    return [cash, accruedFees].map(format)
  }
  // 1500 × 20.60 / million = 0.0309; 30 × 0.000195 = 0.00585; 130 × 0.000003 = 0.00039
  assert.deepEqual(cashAndFees(), ['6500', '0.06'])
  world.run('sell A o3 KO 1')
  assert.deepEqual(cashAndFees(), ['6550', '0.06'])

  assert.equal(world.run('until 2026-05-04T20:00:00Z'), 'feesBooked dayClosed')
  const booked = world.events.findLast(({ kind }) => kind === 'feesBooked')!
  assert.deepEqual(booked.kind === 'feesBooked' && booked.fees, {
    sec: amount('0.04'),
    taf: amount('0.01'),
    cat: amount('0.01'),
  })
  assert.deepEqual(
    activitiesOf(booked, 1).map(({ kind, sort, cash }) => [kind, sort, format(cash)]),
    [
      ['fee', 'secFee', '-0.04'],
      ['fee', 'tafFee', '-0.01'],
      ['fee', 'catFee', '-0.01'],
    ],
  )
  assert.deepEqual(cashAndFees(), ['6549.94', '0'])
  assert.equal(format(balance(world.state.ledger, FEES, USD)), '0.06')
  assert.equal(format(world.state.accounts.get(id)!.lastEquity), '9999.94')
  assert.equal(world.run('until 2026-05-05T20:00:00Z'), 'accountSettled dayClosed')
})

test('crypto settles immediately, and its fee is taken from the proceeds', () => {
  const world = new TestWorld({ fees: 'us' })
  world.assets.set('BTC/USD', pair)
  for (const line of ['open A 10000', 'quote BTC/USD 50000 50000', 'trade BTC/USD 50000']) world.run(line)
  world.run('buy A o1 BTC/USD 0.1 gtc')
  const id = world.accounts.get('A')!
  const balanceOf = (settlement: 'settled' | 'unsettled', asset = USD) =>
    format(balance(world.state.ledger, customer(id, settlement), asset))
  const coins = shares('BTC/USD' as Ticker)
  assert.deepEqual([balanceOf('settled'), balanceOf('unsettled')], ['5000', '0'])
  assert.deepEqual([balanceOf('settled', coins), balanceOf('unsettled', coins)], ['0.09975', '0'])
  assert.equal(format(world.state.positions.get(id)!.get('BTC/USD' as Ticker)!.costBasis), '5000')
  world.run('sell A o2 BTC/USD 0.09975 gtc')
  // 4987.50 minus 0.25 %, in whole cents.
  assert.deepEqual([balanceOf('settled'), balanceOf('unsettled')], ['9975.03', '0'])
  assert.equal(world.state.positions.get(id)!.size, 0)
})

test('a short is marked at the close and settles like a sale', () => {
  const { world, id, balanceOf } = worldAfter(
    'open A 10000',
    'quote AAPL 100 100',
    'trade AAPL 100',
    'sell A o1 AAPL 10',
  )
  world.run('trade AAPL 120')
  const apple = shares('AAPL' as Ticker)
  assert.deepEqual([balanceOf('unsettled'), balanceOf('unsettled', apple)], ['1000', '-10'])
  world.run('until 2026-11-02T21:00:00Z')
  const { lastEquity, lastMaintenanceMargin } = world.state.accounts.get(id)!
  assert.deepEqual([format(lastEquity), format(lastMaintenanceMargin)], ['9800', '360'])
  world.run('until 2026-11-03T09:00:00Z')
  assert.deepEqual([balanceOf('settled'), balanceOf('settled', apple)], ['11000', '-10'])
})
