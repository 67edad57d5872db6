import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { customer, shares, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { Teller } from '../testing.ts'
import { cashOf, standingOf } from './standing.ts'

function told(...lines: readonly string[]) {
  const teller = new Teller()
  for (const line of lines) teller.tell(line)
  const id = teller.accounts.get('A')!
  const of = (settlement: 'settled' | 'unsettled', asset = USD) =>
    format(balance(teller.state.ledger, customer(id, settlement), asset))
  return { teller, id, of }
}

test("a day's fills settle on the next business day, in one posting", () => {
  const { teller, of } = told('open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 5', 'sell A o2 AAPL 2')
  const apple = shares('AAPL' as Ticker)
  assert.deepEqual([of('settled'), of('unsettled')], ['1000', '-302'])
  assert.deepEqual([of('settled', apple), of('unsettled', apple)], ['0', '3'])
  assert.equal(teller.tell('until 2026-11-03T08:59:59Z'), 'dayClosed')
  assert.equal(teller.tell('until 2026-11-03T09:00:00Z'), 'accountSettled')
  assert.deepEqual([of('settled'), of('unsettled')], ['698', '0'])
  assert.deepEqual([of('settled', apple), of('unsettled', apple)], ['3', '0'])
})

test("Friday's fills settle on Monday", () => {
  const { teller, of } = told(
    'open A 1000',
    'until 2026-11-06T15:30:00Z',
    'quote AAPL 99 100',
    'buy A o1 AAPL 5',
  )
  teller.tell('until 2026-11-09T08:59:59Z')
  assert.equal(of('unsettled'), '-500')
  teller.tell('until 2026-11-09T09:00:00Z')
  assert.equal(of('unsettled'), '0')
})

test('settlement moves no money in or out', () => {
  const { teller, id } = told('open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 5')
  const before = cashOf(teller.state, id)
  teller.tell('wait 200000')
  assert.equal(cashOf(teller.state, id), before)
})

test('the close marks every account; yesterday stands until then', () => {
  const { teller, id } = told('open A 10000', 'quote AAPL 99 100', 'trade AAPL 100', 'buy A o1 AAPL 10')
  teller.tell('trade AAPL 120')
  const account = () => teller.state.accounts.get(id)!
  assert.equal(format(account().lastEquity), '10000')
  teller.tell('until 2026-11-02T21:00:00Z')
  assert.equal(format(account().lastEquity), '10200')
  assert.equal(format(account().lastMaintenanceMargin), '360')
  assert.equal(account().balanceDate, '2026-11-02')
})

// Figures of the published example of an account, with the day's own equity in place of yesterday's.
for (const [lines, then] of [
  [
    ['open A 103820.56', 'quote AAPL 100 100', 'trade AAPL 100', 'buy A o1 AAPL 1269.6076'],
    {
      cash: '-23140.2',
      longValue: '126960.76',
      equity: '103820.56',
      initialMargin: '63480.38',
      maintenanceMargin: '38088.228',
      regTBuyingPower: '80680.36',
      optionsBuyingPower: '40340.18',
      buyingPower: '262929.328',
      nonMarginableBuyingPower: '0',
    },
  ],
  [['open A 100000'], { buyingPower: '400000', regTBuyingPower: '200000', optionsBuyingPower: '100000' }],
  [['open A 500'], { buyingPower: '500', regTBuyingPower: '500', nonMarginableBuyingPower: '500' }],
  [['open A 2000'], { buyingPower: '8000' }],
  [['open A 1999.99'], { buyingPower: '1999.99' }],
  [
    ['open A 100000', 'quote AAPL 99 100', 'buy A o1 AAPL 100 @90'],
    { held: '9000', buyingPower: '391000', regTBuyingPower: '191000', nonMarginableBuyingPower: '91000' },
  ],
  [
    ['open A 100000', 'quote AAPL 2 2', 'trade AAPL 2', 'buy A o1 AAPL 100'],
    { maintenanceMargin: '200', initialMargin: '100' },
  ],
  [['open A 100000', 'quote AAPL 6 6', 'trade AAPL 6', 'buy A o1 AAPL 100'], { maintenanceMargin: '300' }],
  [
    ['open A 100000', 'quote AAPL 2.5 2.5', 'trade AAPL 2.5', 'buy A o1 AAPL 2'],
    { maintenanceMargin: '2.5' },
  ],
  [
    ['open A 100000', 'quote AAPL 6.01 6.01', 'trade AAPL 6.01', 'buy A o1 AAPL 1'],
    { maintenanceMargin: '1.803' },
  ],
  // Without a last trade a position counts with what was paid.
  [['open A 100000', 'quote AAPL 10 11', 'buy A o1 AAPL 100'], { longValue: '1100', equity: '100000' }],
] as const)
  test(`${lines.join('; ')}: ${JSON.stringify(then)}`, () => {
    const { teller, id } = told(...lines)
    const prices = {
      quote: (symbol: Ticker) => teller.quotes.get(symbol),
      trade: (symbol: Ticker) => teller.trades.get(symbol),
    }
    const standing = standingOf(teller.state, prices, id)
    const shown = Object.fromEntries(
      Object.keys(then).map((name) => [name, format(standing[name as 'cash'])]),
    )
    assert.deepEqual(shown, then)
  })

for (const [cash, multiplier] of [
  ['100000', 4],
  ['2000', 4],
  ['1999.99', 1],
] as const)
  test(`with ${cash} the multiplier is ${multiplier}`, () => {
    const { teller, id } = told(`open A ${cash}`)
    const nothing = { quote: () => undefined, trade: () => undefined }
    assert.equal(standingOf(teller.state, nothing, id).multiplier, multiplier)
  })
