import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { customer, shares, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { Teller } from '../testing.ts'
import { cashOf } from './standing.ts'

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
