import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { format, type Money, type Price, type Quantity, worthOf } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { Ticker } from '../ids.ts'
import { customer, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import type { Order } from '../orders/order.ts'
import { amount } from '../testing/script-lines.ts'
import { TestWorld } from '../testing/world.ts'
import type { ActionTerms } from './action.ts'

const AAPL = 'AAPL' as Ticker
const EX_DATE_START = 'until 2026-11-03T05:00:00Z'

function worldAfter(lines: readonly string[], terms: ActionTerms): TestWorld {
  const world = new TestWorld()
  for (const line of lines) world.run(line)
  const exDate = '2026-11-03' as CivilDate
  const decision = world.submit({ kind: 'scheduleAction', symbol: AAPL, exDate, terms })
  assert.ok(
    decision.ok,
    JSON.stringify(decision, (_, value) => String(value)),
  )
  return world
}

const split = (newRate: string, oldRate: string): ActionTerms => ({
  kind: 'split',
  newRate: amount(newRate),
  oldRate: amount(oldRate),
})
const dividend = (rate: string): ActionTerms => ({
  kind: 'dividend',
  rate: amount(rate) as Price,
  recordDate: '2026-11-03' as CivilDate,
  payDate: '2026-11-03' as CivilDate,
  special: false,
})

const cashOf = (world: TestWorld): string => {
  const id = world.accounts.get('A')!
  const of = (part: 'settled' | 'unsettled') => balance(world.state.ledger, customer(id, part), USD)
  return format(of('settled') + of('unsettled'))
}

for (const [terms, then, cash] of [
  // 5 shares sold short at 100, with 100,500 in cash
  [split('4', '1'), '-20 for -500', '100500'],
  [split('3', '2'), '-7 for -466.666666666', '100450'],
  [split('1', '2'), '-2 for -400', '100450'],
  [{ kind: 'delisting' }, 'nothing', '100500'],
  [{ kind: 'delisting', price: amount('80') as Price }, 'nothing', '100100'],
  [{ kind: 'symbolChange', newSymbol: 'PEAR' as Ticker }, 'nothing', '100500'],
  [dividend('0.5'), '-5 for -500', '100497.5'],
] as const satisfies readonly (readonly [ActionTerms, string, string])[])
  test(`a short of 5; ${JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? format(value) : value))}: ${then}, cash ${cash}`, () => {
    const world = worldAfter(
      ['open A 100000', 'quote AAPL 100 100', 'trade AAPL 100', 'sell A o1 AAPL 5'],
      terms,
    )
    world.run(EX_DATE_START)
    const position = world.state.positions.get(world.accounts.get('A')!)?.get(AAPL)
    const text = position ? `${format(position.quantity)} for ${format(position.costBasis)}` : 'nothing'
    assert.deepEqual([text, cashOf(world)], [then, cash])
  })

for (const [lines, then] of [
  // half a share at 33.33 is 16.665: a short pays 16.67, a long receives 16.66
  [['sell A o1 AAPL 5'], '100149.98'],
  [['buy A o1 AAPL 5'], '99850.01'],
] as const)
  test(`half a share in cash, after ${lines[0]}: the account has ${then}`, () => {
    const setup = ['open A 100000', 'quote AAPL 33.33 33.33', 'trade AAPL 33.33', ...lines]
    const world = worldAfter(setup, split('1', '2'))
    world.run(EX_DATE_START)
    assert.equal(cashOf(world), then)
  })

const termsOf = ({ quantity, limit, trigger, notional, status }: Order): string =>
  [
    notional === undefined ? format(quantity) : `$${format(notional)}`,
    limit === undefined ? '' : `@${format(limit)}`,
    trigger === undefined ? '' : `stop ${format(trigger.stop)}`,
    trigger?.highWater === undefined ? '' : `from ${format(trigger.highWater)}`,
    trigger?.trailPrice === undefined ? '' : `by ${format(trigger.trailPrice)}`,
    status,
  ]
    .filter((part) => part !== '')
    .join(' ')

const HOLDING = ['open A 100000', 'quote AAPL 100 100', 'trade AAPL 100', 'buy A o0 AAPL 20']

for (const [line, terms, then] of [
  ['sell A o1 AAPL 10 stop=90 gtc', split('4', '1'), ['40 stop 22.5 new']],
  ['sell A o1 AAPL 10 stop=90.01 gtc', split('4', '1'), ['40 stop 22.5 new']],
  ['buy A o1 AAPL 10 stop=110.01 gtc', split('4', '1'), ['40 stop 27.51 new']],
  ['sell A o1 AAPL 10 stop=90 @89 gtc', split('4', '1'), ['40 @22.25 stop 22.5 new']],
  ['sell A o1 AAPL 10 trail=10 gtc', split('4', '1'), ['40 stop 22.5 from 25 by 2.5 new']],
  ['sell A o1 AAPL 10 stop=90 gtc', split('1', '2'), ['10 stop 90 canceled']],
  ['sell A o1 AAPL 10 stop=90 gtc', dividend('0.5'), ['10 stop 89.5 new']],
  ['sell A o1 AAPL 10 stop=90 @89 gtc', dividend('0.5'), ['10 @88.5 stop 89.5 new']],
  ['buy A o1 AAPL 10 stop=110 gtc', dividend('0.5'), ['10 stop 110 new']],
  ['buy A o1 AAPL 10 stop=110 @111 gtc', dividend('0.5'), ['10 @111 stop 110 new']],
  [
    'buy A o1 AAPL 10 @90 gtc bracket take=120 loss=80',
    split('4', '1'),
    ['40 @22.5 new', '40 @30 held', '40 stop 20 held'],
  ],
  [
    'buy A o1 AAPL 10 gtc bracket take=120 loss=80',
    split('4', '1'),
    ['10 filled', '40 @30 new', '40 stop 20 held'],
  ],
  [
    'buy A o1 AAPL 10 gtc bracket take=120 loss=80',
    split('1', '2'),
    ['10 filled', '10 @120 canceled', '10 stop 80 canceled'],
  ],
  [
    'buy A o1 AAPL 10 gtc bracket take=120 loss=80',
    dividend('1'),
    ['10 filled', '10 @120 new', '10 stop 79 held'],
  ],
  ['sell A o1 AAPL 10 @120 gtc oco take=120 loss=80', split('2', '1'), ['20 @60 new', '20 stop 40 held']],
  [
    'sell A o1 AAPL 10 @120 gtc oco take=120 loss=80',
    { kind: 'delisting' },
    ['10 @120 canceled', '10 stop 80 canceled'],
  ],
] as const satisfies readonly (readonly [string, ActionTerms, readonly string[]])[])
  test(`${line}; ${JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? format(value) : value))}: ${then.join(', ')}`, () => {
    const world = worldAfter([...(line.startsWith('sell') ? HOLDING : HOLDING.slice(0, 3)), line], terms)
    // `run` audits the state, which compares holds, positions and ledger.
    world.run(EX_DATE_START)
    const orders = [...world.state.orders.values()].filter(({ id }) => id !== world.orders.get('o0'))
    assert.deepEqual(orders.map(termsOf), then)
  })

test('an elected exit of a split bracket sells all shares', () => {
  const world = worldAfter(
    [...HOLDING.slice(0, 3), 'buy A o1 AAPL 10 gtc bracket take=120 loss=80'],
    split('4', '1'),
  )
  world.run(EX_DATE_START)
  world.run('quote AAPL 19 19.01')
  world.run('trade AAPL 19')
  world.run('quote AAPL 19 19.01')
  assert.equal(world.state.positions.get(world.accounts.get('A')!)?.get(AAPL), undefined)
})

test('a split keeps the value of a position to a cent', () => {
  const rate = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000 }), rate, rate, (thousandths, newRate, oldRate) => {
      fc.pre(newRate !== oldRate)
      const held = `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`
      const world = worldAfter(
        ['open A 100000000', 'quote AAPL 120 120', 'trade AAPL 120', `buy A o1 AAPL ${held}`],
        split(String(newRate), String(oldRate)),
      )
      const before = amount(cashOf(world)) + worthOf(amount('120') as Price, amount(held) as Quantity, 'down')
      const price = (amount('120') * BigInt(oldRate)) / BigInt(newRate)
      world.trades.set('AAPL', { ...world.trades.get('AAPL')!, price: price as Price })
      world.run(EX_DATE_START)
      const quantity = world.state.positions.get(world.accounts.get('A')!)?.get(AAPL)?.quantity ?? 0n
      const after = amount(cashOf(world)) + worthOf(price as Price, quantity as Quantity, 'down')
      const lost = (before - after) as Money
      // A cent of cash for a fraction, and a billionth of the price for every share.
      assert.ok(lost >= 0n && lost <= amount('0.01') + quantity / 1_000_000_000n + 200n, format(lost))
    }),
    { numRuns: 60 },
  )
})
