import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Money } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { amount, quantity } from '../../testing/script-lines.ts'
import type { FeeRates, FeeSetting } from './fee-rates.ts'
import { US_FEES } from './fees.table.ts'
import { feeOfFill, inCents, totalOf } from './fees.ts'

/** Fees by kind for a line such as `sell 100 KO for 5000 on 2026-05-04`. */
function feesOf(line: string, setting?: FeeSetting): Record<string, string> {
  const [side, size = '', symbol, , cash = '', , date] = line.split(' ')
  const { fees, coinFee } = feeOfFill(setting, {
    symbol: symbol as Ticker,
    side: side as 'buy' | 'sell',
    quantity: quantity(size),
    cash: amount(cash) as Money,
    date: date as CivilDate,
  })
  const all = Object.entries(fees ?? {})
  if (coinFee) all.push([coinFee.asset, coinFee.amount as Money])
  return Object.fromEntries(all.map(([kind, fee]) => [kind, format(fee)]))
}

for (const [line, then] of [
  ['buy 100 KO for 5000 on 2026-05-04', { cat: '0.0003' }],
  ['sell 100 KO for 5000 on 2026-05-04', { sec: '0.103', taf: '0.0195', cat: '0.0003' }],
  ['sell 1000000 KO for 50000000 on 2026-05-04', { sec: '1030', taf: '9.79', cat: '3' }],
  // The last day before a change and the first after it.
  ['sell 100 KO for 5000 on 2026-04-03', { taf: '0.0195', cat: '0.0003' }],
  ['sell 100 KO for 5000 on 2026-04-04', { sec: '0.103', taf: '0.0195', cat: '0.0003' }],
  ['sell 100 KO for 1000000 on 2025-05-13', { sec: '27.8', taf: '0.0166', cat: '0.0022' }],
  ['sell 100 KO for 1000000 on 2025-05-14', { taf: '0.0166', cat: '0.0022' }],
  ['sell 100 KO for 5000 on 2026-09-30', { sec: '0.103', taf: '0.0195', cat: '0.0003' }],
  ['sell 100 KO for 5000 on 2026-10-01', { sec: '0.103', cat: '0.0003' }],
  ['sell 100 KO for 5000 on 2026-12-31', { sec: '0.103', cat: '0.0003' }],
  ['sell 100 KO for 5000 on 2027-01-01', { sec: '0.103', taf: '0.0195', cat: '0.0003' }],
  ['sell 60000 KO for 1000000 on 2020-01-02', { sec: '20.7', taf: '5.95' }],
  ['buy 100 KO for 5000 on 2023-05-04', {}],
  ['sell 100 KO for 5000 on 1999-05-04', {}],
  // Fractions of a billionth are rounded up.
  ['buy 0.1 KO for 5 on 2026-05-04', { cat: '0.0000003' }],
  ['buy 0.000000001 KO for 0.01 on 2026-05-04', { cat: '0.000000001' }],
  // Crypto: a percentage of the proceeds, in coins for a buy and in whole cents for a sale.
  ['buy 1 BTC/USD for 95000 on 2026-05-04', { 'BTC/USD': '0.0025' }],
  ['sell 1 BTC/USD for 95000 on 2026-05-04', { USD: '237.5' }],
  ['sell 0.001 BTC/USD for 95.01 on 2026-05-04', { USD: '0.24' }],
  ['sell 0.000000001 BTC/USD for 0 on 2026-05-04', {}],
] as const)
  test(`${line}: ${JSON.stringify(then)}`, () => assert.deepEqual(feesOf(line), then))

test('a world can have no fees', () => {
  assert.deepEqual(feesOf('sell 100 KO for 5000 on 2026-05-04', 'none'), {})
  assert.deepEqual(feesOf('sell 1 BTC/USD for 95000 on 2026-05-04', 'none'), {})
})

test('a world can have custom fees from a day on', () => {
  const row: FeeRates = {
    from: '2026-05-04' as CivilDate,
    secPerMillion: amount('100') as Money,
    tafPerShare: amount('0.01') as Money,
    tafMax: amount('0.5') as Money,
    catPerShare: amount('0') as Money,
    coinBasisPoints: 10,
  }
  assert.deepEqual(feesOf('sell 100 KO for 5000 on 2026-05-03', [row]), {})
  assert.deepEqual(feesOf('sell 100 KO for 5000 on 2026-05-04', [row]), { sec: '0.5', taf: '0.5' })
  assert.deepEqual(feesOf('sell 10 KO for 500 on 2030-05-04', [row]), { sec: '0.05', taf: '0.1' })
  assert.deepEqual(feesOf('buy 1 BTC/USD for 95000 on 2026-05-04', [row]), { 'BTC/USD': '0.001' })
})

test('the rows of the table are sorted by date', () => {
  const days = US_FEES.map(({ from }) => from)
  assert.deepEqual(days, [...new Set(days)].sort())
})

test('each kind of fee is rounded up to a cent separately', () => {
  const due = inCents({ sec: amount('0.103') as Money, taf: amount('0.02') as Money, cat: 1n as Money })
  assert.deepEqual([due.sec, due.taf, due.cat].map(format), ['0.11', '0.02', '0.01'])
  assert.equal(format(totalOf(due)), '0.14')
})
