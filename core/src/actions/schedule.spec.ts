import assert from 'node:assert/strict'
import test from 'node:test'
import type { CivilDate } from '../civil-date.ts'
import type { ActionId, Ticker } from '../ids.ts'
import { ACTIONS_MAX } from './schedule.ts'
import {
  actionWorld,
  delist,
  dividend,
  EX_DATE_START,
  HOLDING,
  rename,
  split,
  TUESDAY,
  termsText,
} from './testing/actions.ts'

for (const [terms, exDate, then] of [
  [split('4', '1'), '2026-11-02', 'exDate must be a day that has not begun'],
  [split('4', '1'), '2026-11-07', 'exDate must be a trading day'],
  [split('0', '1'), TUESDAY, 'newRate must be greater than 0'],
  [split('1', '0'), TUESDAY, 'oldRate must be greater than 0'],
  [split('2', '2'), TUESDAY, 'newRate must differ from the old rate'],
  [
    split('1001', '1'),
    TUESDAY,
    'newRate must be between a 1000th of the old rate and 1000 times the old rate',
  ],
  [split('200', '1'), TUESDAY, 'newRate must leave a price of at least 1, leaves 0.5'],
  [dividend('0'), TUESDAY, 'rate must be greater than 0'],
  [dividend('50.01'), TUESDAY, 'rate must be at most half the price of 100'],
  [dividend('1', '2026-11-02' as CivilDate), TUESDAY, 'payDate must not be before the record date'],
  [dividend('1'), '2026-11-04', 'recordDate must not be before the ex-date'],
  [rename('pear'), TUESDAY, 'newSymbol must be a stock symbol'],
  [rename('AAPL'), TUESDAY, 'newSymbol AAPL is already in use'],
  [delist('-1'), TUESDAY, 'price must not be less than 0'],
] as const)
  test(`${termsText(terms)} on ${exDate}: ${then}`, () => {
    const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'trade AAPL 100')
    const { seq } = world.state
    assert.equal(world.schedule(terms, { exDate }), then)
    assert.equal(world.state.seq, seq)
  })

test('unknown symbols, crypto pairs and inactive assets are refused', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'quote BTC/USD 1000 1000')
  assert.equal(world.schedule(delist(), { symbol: 'NONE' }), 'assetNotFound')
  assert.equal(world.schedule(delist(), { symbol: 'BTC/USD' }), 'symbol must be the symbol of a stock')
  world.assets.set('OLD', { status: 'inactive' })
  assert.equal(world.schedule(delist(), { symbol: 'OLD' }), 'symbol must be the symbol of an active asset')
})

test('a symbol has one action per day, and none after it is renamed or delisted', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100')
  world.schedule(split('2', '1'), { exDate: '2026-11-05' })
  assert.match(
    world.schedule(dividend('1'), { exDate: '2026-11-05' }),
    /^exDate must differ from the ex-date of /,
  )
  assert.match(world.schedule(delist(), { exDate: '2026-11-04' }), /^exDate must be after 2026-11-05/)
  assert.equal(world.schedule(rename('PEAR'), { exDate: '2026-11-06' }), 'actionScheduled')
  assert.match(world.schedule(split('2', '1'), { exDate: '2026-11-09' }), /^exDate must be before 2026-11-06/)
  world.run('quote MSFT 1 1')
  assert.equal(world.schedule(rename('PEAR'), { symbol: 'MSFT' }), 'newSymbol PEAR is already in use')
})

test('a scheduled action can be canceled, an applied action cannot', () => {
  const world = actionWorld(...HOLDING('10'))
  world.schedule(split('4', '1'))
  const [actionId] = [...world.state.actions.keys()]
  const cancel = () => world.submit({ kind: 'cancelAction', actionId: actionId! })
  assert.ok(cancel().ok)
  assert.deepEqual(cancel(), { ok: false, reason: { code: 'actionNotFound', id: actionId } })
  world.run(EX_DATE_START)
  assert.equal(world.holding(), '10 for 1000')
  world.schedule(split('4', '1'), { exDate: '2026-11-04' })
  world.run('until 2026-11-04T05:00:00Z')
  const [later] = [...world.state.actions.keys()]
  assert.deepEqual(world.submit({ kind: 'cancelAction', actionId: later! }), {
    ok: false,
    reason: { code: 'actionAlreadyApplied', id: later },
  })
})

test('a delisting is refused while tokens exist, and a mint while a delisting is scheduled', () => {
  const world = actionWorld('open I 0', 'issuer I xstocks AAPL solana', ...HOLDING('10'), 'link A xstocks')
  world.schedule(delist())
  assert.equal(world.run('mint A m1 AAPL 2'), 'tokenActionPending')
  world.submit({ kind: 'cancelAction', actionId: [...world.state.actions.keys()][0]! })
  world.schedule(dividend('1'))
  assert.equal(world.run('mint A m1 AAPL 2'), 'mintRequested')
  assert.equal(world.schedule(delist(), { exDate: '2026-11-04' }), 'actionOnTokens')
  for (const line of ['job m1', 'accept m1', 'complete m1 0x1']) world.run(line)
  assert.equal(world.schedule(delist('1'), { exDate: '2026-11-04' }), 'actionOnTokens')
})

test('the number of actions in a world is limited', () => {
  const world = actionWorld('open A 100000', 'quote AAPL 100 100', 'quote MSFT 100 100')
  world.schedule(split('2', '1'))
  const [action] = [...world.state.actions.values()]
  for (let count = 1; count < ACTIONS_MAX; count++)
    world.state.actions.set(`${count}` as ActionId, { ...action!, symbol: 'OTHER' as Ticker })
  assert.equal(world.schedule(split('2', '1'), { symbol: 'MSFT' }), 'tooManyActions')
})
