import assert from 'node:assert/strict'
import test from 'node:test'
import { activitiesOf } from '../account/activities.ts'
import { format, type Price } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { customer, shares } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { amount } from '../testing/story-lines.ts'
import type { CivilDate, Instant } from '../time.ts'
import {
  BEFORE,
  delist,
  dividend,
  HOLDING,
  MOMENT,
  rename,
  split,
  Told,
  words,
  world,
} from './testing/actions.ts'

const AAPL = 'AAPL' as Ticker

for (const [held, terms, then, cash] of [
  // what was held, what happens, what is left for which cost, and how much cash
  ['10', split('4', '1'), '40 for 1000', '99000'],
  ['2.5', split('4', '1'), '10 for 250', '99750'],
  ['5', split('3', '2'), '7.5 for 500', '99500'],
  ['0.333333333', split('3', '2'), '0.499999999 for 33.34', '99966.66'],
  ['100', split('1', '10'), '10 for 10000', '90000'],
  ['105', split('1', '10'), '10 for 10000', '89950'],
  ['4', split('1', '10'), 'nothing', '99960'],
  ['10', rename('PEAR'), 'nothing', '99000'],
  ['10', delist(), 'nothing', '99000'],
  ['10', delist('12.34'), 'nothing', '99123.4'],
  ['2.5', delist('0.01'), 'nothing', '99750.02'],
  ['10', dividend('0.25'), '10 for 1000', '99002.5'],
  ['2.5', dividend('0.33'), '2.5 for 250', '99750.83'],
] as const)
  test(`${held} AAPL for 100 each; ${words(terms)}: ${then}, cash ${cash}`, () => {
    const told = world(...HOLDING(held))
    assert.equal(told.plan(terms), 'actionScheduled')
    told.tell(BEFORE)
    const before = told.holding()
    assert.ok(before.startsWith(`${held} for `))
    // The price after a reverse split is ten times that before.
    if (terms.kind === 'split' && terms.newRate < terms.oldRate)
      told.trades.set('AAPL', { ...told.trades.get('AAPL')!, price: amount('900') as Price })
    told.tell(MOMENT)
    assert.deepEqual([told.holding(), told.cash()], [then, cash])
    if (terms.kind === 'symbolChange') assert.equal(told.holding('PEAR'), before)
  })

test('what is to settle becomes more as the rest does, and settles', () => {
  const told = world(...HOLDING('10'))
  const of = (part: 'settled' | 'unsettled') =>
    format(balance(told.state.ledger, customer(told.account, part), shares(AAPL)))
  told.plan(split('3', '1'))
  told.tell(MOMENT)
  assert.deepEqual([of('settled'), of('unsettled')], ['0', '30'])
  told.tell('until 2026-11-03T09:00:00Z')
  assert.deepEqual([of('settled'), of('unsettled')], ['30', '0'])
})

test('shares that settle go on under their new name', () => {
  const told = world(...HOLDING('10'))
  told.plan(rename('PEAR'))
  told.tell('until 2026-11-03T09:00:00Z')
  const settled = balance(told.state.ledger, customer(told.account, 'settled'), shares('PEAR' as Ticker))
  assert.equal(format(settled), '10')
})

test('a dividend is earned on the ex-date by whoever holds then, and paid on the pay date', () => {
  const told = world(...HOLDING('10'))
  told.plan(dividend('0.5', '2026-11-05' as CivilDate))
  told.tell(MOMENT)
  assert.equal(told.cash(), '99000')
  told.tell('sell A o2 AAPL 10')
  told.tell('until 2026-11-05T04:59:59Z')
  assert.equal(told.cash(), '100000')
  assert.equal(told.tell('until 2026-11-05T05:00:00Z'), 'dividendPaid dividendsPaid')
  assert.equal(told.cash(), '100005')
  assert.equal(told.state.dividends.size, 0)
})

test('who buys on the ex-date earns nothing', () => {
  const told = world('open A 100000', 'quote AAPL 100 100')
  told.plan(dividend('0.5'))
  told.tell(MOMENT)
  told.tell('buy A o1 AAPL 10')
  told.tell('wait 400000')
  assert.equal(told.cash(), '99000')
})

for (const [line, terms, then] of [
  // an open order, what happens, what becomes of it
  ['buy A o2 AAPL 10 @90 gtc', split('4', '1'), 'AAPL 40 @22.5 new'],
  ['buy A o2 AAPL 10 @90.01 gtc', split('4', '1'), 'AAPL 40 @22.5 new'],
  ['sell A o2 AAPL 10 @110.01 gtc', split('4', '1'), 'AAPL 40 @27.51 new'],
  ['buy A o2 AAPL 5 @90 gtc', split('3', '2'), 'AAPL 7 @60 new'],
  ['sell A o2 AAPL 5 @110 gtc', split('3', '2'), 'AAPL 7 @73.34 new'],
  ['buy A o2 AAPL 10 @90 gtc', split('1', '2'), 'AAPL 10 @90 canceled'],
  ['sell A o2 AAPL 10 @110 gtc', split('1', '2'), 'AAPL 10 @110 canceled'],
  ['buy A o2 AAPL 10 @90 gtc', dividend('0.255'), 'AAPL 10 @89.74 new'],
  ['sell A o2 AAPL 10 @110 gtc', dividend('0.255'), 'AAPL 10 @110 new'],
  ['buy A o2 AAPL 10 @0.2 gtc', dividend('0.25'), 'AAPL 10 @0.2 canceled'],
  ['buy A o2 AAPL 10 @90 gtc', rename('PEAR'), 'PEAR 10 @90 new'],
  ['sell A o2 AAPL 10 @110 gtc', rename('PEAR'), 'PEAR 10 @110 new'],
  ['buy A o2 AAPL 10 @90 gtc', delist('1'), 'AAPL 10 @90 canceled'],
] as const)
  test(`${line}; ${words(terms)}: ${then}`, () => {
    const told = world(...HOLDING('20'), line)
    assert.equal(told.plan(terms), 'actionScheduled')
    // The audit of every line compares holds with orders.
    told.tell(MOMENT)
    assert.equal(told.told('o2'), then)
  })

test('an order of the day that waits for its session is split too, and not lowered by a dividend', () => {
  for (const [terms, then] of [
    [split('2', '1'), 'AAPL 20 @45 accepted'],
    [dividend('1'), 'AAPL 10 @90 accepted'],
  ] as const) {
    const told = new Told({ hours: 'nyse' })
    for (const line of ['open A 100000', 'quote AAPL 100 100', 'until 2026-11-02T22:00:00Z']) told.tell(line)
    told.tell('buy A o2 AAPL 10 @90')
    told.plan(terms)
    told.tell(MOMENT)
    assert.equal(told.told('o2'), then)
  }
})

test('what was filled of an order stays as it was; what is left is split', () => {
  const told = new Told({ fillSize: 'displayed' })
  for (const line of ['open A 100000', 'quote AAPL 100 100 4 4', 'trade AAPL 100']) told.tell(line)
  told.tell('buy A o1 AAPL 10 @100 gtc')
  told.plan(split('4', '1'))
  told.tell(MOMENT)
  const { filledQuantity, quantity } = told.order('o1')
  assert.deepEqual([format(filledQuantity), format(quantity)], ['4', '28'])
  assert.equal(told.holding(), '16 for 400')
})

test('a split order fills at its new price', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  told.plan(split('4', '1'))
  told.tell(MOMENT)
  assert.equal(told.tell('quote AAPL 22.5 22.51'), '')
  assert.equal(told.tell('quote AAPL 22.49 22.5'), 'orderFilled')
  assert.equal(told.holding(), '40 for 900')
})

test('an order under another name is filled by the quotes of that name', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  told.plan(rename('PEAR'))
  told.tell(MOMENT)
  assert.equal(told.tell('quote AAPL 80 80'), '')
  assert.equal(told.tell('quote PEAR 80 80'), 'orderFilled')
  assert.equal(told.holding('PEAR'), '10 for 800')
})

test('a world that slept through the moment does it as it wakes', () => {
  const told = world(...HOLDING('10'))
  told.plan(split('4', '1'))
  told.now = (told.now + 3n * 86_400_000_000_000n) as Instant
  assert.match(told.tell('wait 0'), /actionApplied sharesChanged/)
  assert.equal(told.holding(), '40 for 1000')
})

for (const [terms, then] of [
  [split('4', '1'), ['split forwardSplit AAPL 30 cash 0']],
  [split('1', '4'), ['split reverseSplit AAPL -8 cash 50 at 100']],
  [rename('PEAR'), ['nameChange symbolChange AAPL -10 cash 0', 'nameChange symbolChange PEAR 10 cash 0']],
  [delist(), ['reorganization worthless AAPL -10 cash 0']],
  [delist('7'), ['reorganization  AAPL -10 cash 70 at 7']],
  [dividend('0.5'), ['dividend cashDividend AAPL  cash 5 each 0.5']],
] as const)
  test(`${words(terms)} is told as ${then.join(' and ')}`, () => {
    const told = world(...HOLDING('10'))
    told.plan(terms)
    told.tell(BEFORE)
    const from = told.events.length
    told.tell(MOMENT)
    const rows = told.events.slice(from).flatMap((event, index) => activitiesOf(event, index))
    assert.deepEqual(
      rows.map(({ kind, sort = '', symbol, quantity, cash, price, perShare }) =>
        [
          `${kind} ${sort} ${symbol} ${quantity === undefined ? '' : format(quantity)} cash ${format(cash)}`,
          price === undefined ? '' : ` at ${format(price)}`,
          perShare === undefined ? '' : ` each ${format(perShare)}`,
        ].join(''),
      ),
      then,
    )
  })

test('watchlists have the new name in the place of the old', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'quote MSFT 100 100')
  const limits = { lists: 10, symbols: 10 }
  const symbols = ['MSFT', 'AAPL'] as Ticker[]
  told.submit({ kind: 'createWatchlist', accountId: told.account, name: 'mine', symbols, limits })
  told.plan(rename('PEAR'))
  told.tell(MOMENT)
  const [list] = [...told.state.watchlists.get(told.account)!.values()]
  assert.deepEqual(list!.symbols, ['MSFT', 'PEAR'])
})
