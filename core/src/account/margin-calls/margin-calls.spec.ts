import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import type { BrokerEvent } from '../../events.ts'
import type { OfKind } from '../../kinds.ts'
import { customer, INTEREST, USD } from '../../ledger/chart.ts'
import { balance } from '../../ledger/ledger.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const calls = { margin: { callSessions: 2 } }
const interest = { margin: { interestRate: 65_000 } }
/** 300 shares on 10,000 of cash: an equity of 10,000 and a debt of 20,000. */
const setup = ['open A 10000', 'quote AAPL 99.9 100', 'trade AAPL 100', 'buy A o1 AAPL 300']
const fall = ['trade AAPL 90', 'quote AAPL 89.9 90']
const CLOSE = 'until 2026-11-02T21:00:00Z'
const DUE = 'until 2026-11-04T15:00:01Z'

const worldAfter = (settings: Partial<WorldSettings>, ...lines: readonly string[]): TestWorld => {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) world.run(line)
  return world
}
const eventsOf = <Kind extends BrokerEvent['kind']>(world: TestWorld, kind: Kind) =>
  world.events.filter((event): event is OfKind<BrokerEvent, Kind> => event.kind === kind)

test('a call is issued at the close, with its numbers and its due time', () => {
  const world = worldAfter(calls, ...fall)
  assert.equal(world.run(CLOSE), 'dayClosed marginCallIssued')
  const [call] = eventsOf(world, 'marginCallIssued')
  assert.deepEqual([call!.equity, call!.maintenanceMargin, call!.amount].map(format), [
    '7000',
    '8100',
    '1100',
  ])
  // 10:00 in New York, two sessions later.
  assert.equal(call!.dueAt, BigInt(Date.UTC(2026, 10, 4, 15)) * 1_000_000n)
})

test('an equity of exactly the maintenance margin is no call', () => {
  const world = worldAfter(calls, 'deposit A 1100', ...fall)
  assert.equal(world.run(CLOSE), 'dayClosed')
})

test('while a call is open, only closing orders are accepted', () => {
  const world = worldAfter(calls, ...fall, CLOSE)
  assert.equal(world.run('buy A o2 AAPL 1'), 'accountRestricted')
  assert.equal(world.run('sell A o3 AAPL 1'), 'orderAccepted orderAcknowledged orderFilled')
})

for (const [line, before] of [
  ['deposit A 1100', CLOSE],
  ['trade AAPL 100', CLOSE],
  ['sell A o2 AAPL 200', CLOSE],
] as const)
  test(`met by ${line}, at the next close`, () => {
    const world = worldAfter(calls, ...fall, before, line)
    assert.match(world.run('until 2026-11-03T21:00:00Z'), /dayClosed marginCallMet$/)
    assert.equal(world.state.marginCalls.size, 0)
    assert.doesNotMatch(world.run(DUE), /margin|Liquidated/)
  })

test('met just before it is due', () => {
  const world = worldAfter(calls, ...fall, CLOSE, 'until 2026-11-04T14:00:00Z', 'deposit A 2000')
  assert.equal(world.run(DUE), 'marginCallMet')
})

test('an unmet call cancels all orders and closes positions, the largest first, as many as needed', () => {
  const world = new TestWorld(calls)
  for (const line of [
    'open A 10000',
    ...['AAPL 100', 'MSFT 50', 'KO 20'].flatMap((each) => {
      const [symbol, price] = each.split(' ')
      return [`quote ${symbol} ${price} ${price}`, `trade ${symbol} ${price}`]
    }),
    'buy A o1 AAPL 150',
    'buy A o2 MSFT 200',
    'buy A o3 KO 100',
    'sell A o4 KO 100 @30 gtc',
    'buy A o5 KO 10 @10 gtc bracket take=30 loss=9',
    'trade AAPL 70',
    'quote AAPL 70 70',
    CLOSE,
  ])
    world.run(line)
  assert.equal(
    world.run(DUE),
    'accountSettled dayClosed orderCanceled orderCanceled orderCanceled orderCanceled marginCallEnforced ' +
      'orderAccepted positionLiquidated marginCallClosed orderAcknowledged orderFilled',
  )
  // AAPL is worth 10,500 and MSFT 10,000; without AAPL the rest requires 3,600 of an equity of 5,500.
  const [closed] = eventsOf(world, 'positionLiquidated')
  assert.deepEqual([closed!.symbol, format(closed!.value), format(closed!.equity)], ['AAPL', '10500', '5500'])
  const order = world.state.orders.get(closed!.closingOrderId!)!
  assert.deepEqual(
    [order.source, order.side, format(order.quantity), order.status],
    ['liquidation', 'sell', '150', 'filled'],
  )
  assert.deepEqual([...world.state.positions.get(world.accounts.get('A')!)!.keys()], ['MSFT', 'KO'])
})

test('a short squeeze is covered by the broker, also of an account that may not trade', () => {
  const world = new TestWorld(calls)
  for (const line of ['open A 10000', 'quote AAPL 100 100', 'trade AAPL 100', 'sell A o1 AAPL 100'])
    world.run(line)
  const accountId = world.accounts.get('A')!
  world.submit({ kind: 'changeConfig', accountId, changes: { suspendTrade: true } })
  for (const line of ['trade AAPL 160', 'quote AAPL 160 160', CLOSE]) world.run(line)
  assert.match(
    world.run(DUE),
    /orderAccepted positionLiquidated marginCallClosed orderAcknowledged orderFilled$/,
  )
  assert.equal(world.state.positions.get(accountId)?.size, 0)
})

test('a position that cannot be traded is skipped, with the reason', () => {
  const world = worldAfter(calls, ...fall, CLOSE)
  world.assets.set('AAPL', { status: 'inactive', tradable: false })
  assert.match(world.run(DUE), /marginCallEnforced positionLiquidated marginCallClosed$/)
  const [closed] = eventsOf(world, 'positionLiquidated')
  assert.deepEqual([closed!.closingOrderId, closed!.refused], [undefined, 'assetNotActive'])
})

test('a debt that no position secures is no margin call', () => {
  const world = new TestWorld(calls)
  for (const line of ['open A 10000', 'quote AAPL 100 100', 'trade AAPL 100', 'sell A o1 AAPL 100'])
    world.run(line)
  for (const line of ['trade AAPL 300', 'quote AAPL 300 300', CLOSE, DUE]) world.run(line)
  assert.equal(world.state.positions.get(world.accounts.get('A')!)?.size, 0)
  assert.equal(eventsOf(world, 'marginCallClosed').length, 1)
  assert.doesNotMatch(world.run('until 2026-11-20T22:00:00Z'), /marginCall/)
})

test('a reset ends the call', () => {
  const world = worldAfter(
    { margin: { callSessions: 1, interestRate: 65_000 } },
    ...fall,
    CLOSE,
    'reset A 500',
  )
  assert.equal(world.state.marginCalls.size, 0)
  assert.doesNotMatch(world.run('until 2026-11-05T15:00:00Z'), /marginCall|interest/)
})

test('interest accrues on the settled debit, three times on a Friday, and is posted at the end of the month', () => {
  const world = worldAfter(interest)
  assert.equal(world.run(CLOSE), 'dayClosed', 'nothing is settled on the first day')
  world.run('until 2026-11-06T22:00:00Z')
  const accrued = eventsOf(world, 'interestAccrued')
  // 20,000 × 6.5 % / 360 is 3.611… a day.
  assert.deepEqual(
    accrued.map(({ date, days, debit, amount }) => [date, days, format(debit), format(amount)]),
    [
      ['2026-11-03', 1, '20000', '3.611111111'],
      ['2026-11-04', 1, '20000', '3.611111111'],
      ['2026-11-05', 1, '20000', '3.611111111'],
      ['2026-11-06', 3, '20000', '10.833333333'],
    ],
  )
  assert.match(world.run('until 2026-11-30T21:00:00Z'), /interestAccrued interestPosted dayClosed$/)
  const [posted] = eventsOf(world, 'interestPosted')
  // 28 days, from the 3rd to the end of the 30th.
  assert.equal(format(posted!.amount), '101.11')
  assert.equal(format(balance(world.state.ledger, INTEREST, USD)), '101.11')
  const settled = balance(world.state.ledger, customer(world.accounts.get('A')!, 'settled'), USD)
  assert.equal(format(settled), '-20101.11')
  assert.equal(world.state.interest.size, 0)
})

test('without settings there is no interest and no call', () => {
  const world = worldAfter({}, ...fall)
  const kinds = world.run('until 2026-12-01T22:00:00Z')
  assert.doesNotMatch(kinds, /interest|margin|Liquidated/)
})

test('after a downtime, a call is due in a session after it', () => {
  const world = worldAfter({ margin: { callSessions: 1 } }, ...fall)
  world.now = (BigInt(Date.UTC(2026, 10, 5, 12)) * 1_000_000n) as never
  world.run('wait 0')
  const [call] = eventsOf(world, 'marginCallIssued')
  assert.equal(call!.dueAt, BigInt(Date.UTC(2026, 10, 6, 15)) * 1_000_000n)
})
