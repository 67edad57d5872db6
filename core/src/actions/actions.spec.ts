import assert from 'node:assert/strict'
import test from 'node:test'
import { activitiesOf } from '../account/activities.ts'
import { format, type Price } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { Ticker } from '../ids.ts'
import { customer, shares } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { amount } from '../testing/script-lines.ts'
import type { Instant } from '../time.ts'
import {
  ActionWorld,
  actionWorld,
  BEFORE_EX_DATE,
  delist,
  dividend,
  EX_DATE_START,
  HOLDING,
  rename,
  split,
  termsText,
} from './testing/actions.ts'

const AAPL = 'AAPL' as Ticker

for (const [held, terms, then, cash] of [
  // quantity, action, position afterwards, cash afterwards
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
  test(`${held} AAPL for 100 each; ${termsText(terms)}: ${then}, cash ${cash}`, () => {
    const world = actionWorld(...HOLDING(held))
    assert.equal(world.schedule(terms), 'actionScheduled')
    world.run(BEFORE_EX_DATE)
    const before = world.holding()
    assert.ok(before.startsWith(`${held} for `))
    // A 1:10 reverse split multiplies the price by ten.
    if (terms.kind === 'split' && terms.newRate < terms.oldRate)
      world.trades.set('AAPL', { ...world.trades.get('AAPL')!, price: amount('900') as Price })
    world.run(EX_DATE_START)
    assert.deepEqual([world.holding(), world.cash()], [then, cash])
    if (terms.kind === 'symbolChange') assert.equal(world.holding('PEAR'), before)
  })

test('a split scales unsettled shares, and they settle', () => {
  const world = actionWorld(...HOLDING('10'))
  const of = (part: 'settled' | 'unsettled') =>
    format(balance(world.state.ledger, customer(world.account, part), shares(AAPL)))
  world.schedule(split('3', '1'))
  world.run(EX_DATE_START)
  assert.deepEqual([of('settled'), of('unsettled')], ['0', '30'])
  world.run('until 2026-11-03T09:00:00Z')
  assert.deepEqual([of('settled'), of('unsettled')], ['30', '0'])
})

test('unsettled shares settle under the new symbol', () => {
  const world = actionWorld(...HOLDING('10'))
  world.schedule(rename('PEAR'))
  world.run('until 2026-11-03T09:00:00Z')
  const settled = balance(world.state.ledger, customer(world.account, 'settled'), shares('PEAR' as Ticker))
  assert.equal(format(settled), '10')
})

test('a dividend is earned by the holders on the ex-date, and paid on the pay date', () => {
  const world = actionWorld(...HOLDING('10'))
  world.schedule(dividend('0.5', '2026-11-05' as CivilDate))
  world.run(EX_DATE_START)
  assert.equal(world.cash(), '99000')
  world.run('sell A o2 AAPL 10')
  world.run('until 2026-11-05T04:59:59Z')
  assert.equal(world.cash(), '100000')
  assert.equal(world.run('until 2026-11-05T05:00:00Z'), 'dividendPaid dividendsPaid')
  assert.equal(world.cash(), '100005')
  assert.equal(world.state.dividends.size, 0)
})

test('a purchase on the ex-date earns no dividend', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100')
  world.schedule(dividend('0.5'))
  world.run(EX_DATE_START)
  world.run('buy A o1 AAPL 10')
  world.run('wait 400000')
  assert.equal(world.cash(), '99000')
})

for (const [line, terms, then] of [
  // open order, action, order afterwards
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
  test(`${line}; ${termsText(terms)}: ${then}`, () => {
    const world = actionWorld(...HOLDING('20'), line)
    assert.equal(world.schedule(terms), 'actionScheduled')
    // `run` audits the state, which compares holds with orders.
    world.run(EX_DATE_START)
    assert.equal(world.orderText('o2'), then)
  })

test('a queued day order is split, and not lowered by a dividend', () => {
  for (const [terms, then] of [
    [split('2', '1'), 'AAPL 20 @45 accepted'],
    [dividend('1'), 'AAPL 10 @90 accepted'],
  ] as const) {
    const world = new ActionWorld({ hours: 'nyse' })
    for (const line of ['open A 100000', 'quote AAPL 100 100', 'until 2026-11-02T22:00:00Z']) world.run(line)
    world.run('buy A o2 AAPL 10 @90')
    world.schedule(terms)
    world.run(EX_DATE_START)
    assert.equal(world.orderText('o2'), then)
  }
})

test('a split scales only the unfilled part of an order', () => {
  const world = new ActionWorld({ fillSize: 'displayed' })
  for (const line of ['open A 100000', 'quote AAPL 100 100 4 4', 'trade AAPL 100']) world.run(line)
  world.run('buy A o1 AAPL 10 @100 gtc')
  world.schedule(split('4', '1'))
  world.run(EX_DATE_START)
  const { filledQuantity, quantity } = world.order('o1')
  assert.deepEqual([format(filledQuantity), format(quantity)], ['4', '28'])
  assert.equal(world.holding(), '16 for 400')
})

test('a split order fills at its new price', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  world.schedule(split('4', '1'))
  world.run(EX_DATE_START)
  assert.equal(world.run('quote AAPL 22.5 22.51'), '')
  assert.equal(world.run('quote AAPL 22.49 22.5'), 'orderFilled')
  assert.equal(world.holding(), '40 for 900')
})

test('after a symbol change an order is filled by quotes of the new symbol', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  world.schedule(rename('PEAR'))
  world.run(EX_DATE_START)
  assert.equal(world.run('quote AAPL 80 80'), '')
  assert.equal(world.run('quote PEAR 80 80'), 'orderFilled')
  assert.equal(world.holding('PEAR'), '10 for 800')
})

test('an action that was due while the world was stopped is applied at the next step', () => {
  const world = actionWorld(...HOLDING('10'))
  world.schedule(split('4', '1'))
  world.now = (world.now + 3n * 86_400_000_000_000n) as Instant
  assert.match(world.run('wait 0'), /actionApplied sharesChanged/)
  assert.equal(world.holding(), '40 for 1000')
})

for (const [terms, then] of [
  [split('4', '1'), ['split forwardSplit AAPL 30 cash 0']],
  [split('1', '4'), ['split reverseSplit AAPL -8 cash 50 at 100']],
  [rename('PEAR'), ['nameChange symbolChange AAPL -10 cash 0', 'nameChange symbolChange PEAR 10 cash 0']],
  [delist(), ['reorganization worthless AAPL -10 cash 0']],
  [delist('7'), ['reorganization  AAPL -10 cash 70 at 7']],
  [dividend('0.5'), ['dividend cashDividend AAPL  cash 5 each 0.5']],
] as const)
  test(`${termsText(terms)} appears as ${then.join(' and ')}`, () => {
    const world = actionWorld(...HOLDING('10'))
    world.schedule(terms)
    world.run(BEFORE_EX_DATE)
    const from = world.events.length
    world.run(EX_DATE_START)
    const rows = world.events.slice(from).flatMap((event, index) => activitiesOf(event, index))
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

test('watchlists replace the old symbol with the new one', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'quote MSFT 100 100')
  const limits = { lists: 10, symbols: 10 }
  const symbols = ['MSFT', 'AAPL'] as Ticker[]
  world.submit({ kind: 'createWatchlist', accountId: world.account, name: 'mine', symbols, limits })
  world.schedule(rename('PEAR'))
  world.run(EX_DATE_START)
  const [list] = [...world.state.watchlists.get(world.account)!.values()]
  assert.deepEqual(list!.symbols, ['MSFT', 'PEAR'])
})
