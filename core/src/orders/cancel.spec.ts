import assert from 'node:assert/strict'
import test from 'node:test'
import { itemsAt } from '../agenda.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'
import { isOpen, isWorking, moves, type OrderStatus, statusAfter } from './transitions.ts'

const setup = ['open A 10000', 'open B 10000', 'quote AAPL 99 100']

for (const [before, line, then] of [
  [['buy A o1 AAPL 1 @90'], 'cancel A o1', 'orderCanceled'],
  [['buy A o1 AAPL 1 @90'], 'cancel B o1', 'orderNotFound'],
  [[], 'cancel A made-up', 'orderNotFound'],
  [['buy A o1 AAPL 1'], 'cancel A o1', 'orderAlreadyTerminal'],
  [['buy A o1 AAPL 1 @90', 'cancel A o1'], 'cancel A o1', 'orderAlreadyTerminal'],
  [['buy A o1 AAPL 1 @90', 'wait 90000'], 'cancel A o1', 'orderAlreadyTerminal'],
] as const)
  test(`${[...before, line].join('; ')}: ${then}`, () =>
    assert.equal(outcomeOf(...setup, ...before, line), then))

for (const [hours, line, until, then] of [
  ['always', 'buy A o1 AAPL 1 @90', '2026-11-02T20:59:59Z', 'new'],
  ['always', 'buy A o1 AAPL 1 @90', '2026-11-02T21:00:00Z', 'expired'],
  ['always', 'buy A o1 AAPL 1 @90 ext', '2026-11-02T21:00:00Z', 'expired'],
  ['always', 'buy A o1 AAPL 1 @90 gtc', '2027-01-31T21:14:59Z', 'new'],
  ['always', 'buy A o1 AAPL 1 @90 gtc', '2027-01-31T21:15:00Z', 'canceled'],
  ['nyse', 'buy A o1 AAPL 1 @90', '2026-11-02T21:00:00Z', 'expired'],
  ['nyse', 'buy A o1 AAPL 1 @90 ext', '2026-11-03T00:59:59Z', 'new'],
  ['nyse', 'buy A o1 AAPL 1 @90 ext', '2026-11-03T01:00:00Z', 'expired'],
] as const)
  test(`in ${hours} hours, ${line}; until ${until}: ${then}`, () => {
    const world = new TestWorld({ hours })
    for (const each of [...setup, line, `until ${until}`]) world.run(each)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)?.status, then)
  })

test('an ended order has no hold, no book entry and no agenda item', () => {
  const world = new TestWorld()
  for (const line of [...setup, 'buy A o1 AAPL 1 @90', 'cancel A o1']) world.run(line)
  assert.equal(world.state.holds.get(world.accounts.get('A')!)?.money, 0n)
  assert.equal(world.state.books.get('AAPL' as never)?.regular.buy.prices.length, 0)
  const { agenda } = world.state
  const items = agenda.dues.flatMap((due) => [...itemsAt(agenda, due)])
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['closeDay'],
  )
})

test('final statuses have no moves; open orders can be canceled and can expire, and working ones can fill', () => {
  for (const status of Object.keys(moves) as OrderStatus[]) {
    const names = Object.keys(moves[status])
    // Its replacement is rejected before it is filled or ends.
    if (status === 'pendingReplace') continue
    assert.equal(isOpen({ status }), names.includes('cancel') && names.includes('expire'))
    assert.equal(isWorking({ status }), names.includes('fillAll'))
    if (!isOpen({ status })) assert.deepEqual(names, [])
  }
  assert.throws(() => statusAfter('filled', 'cancel'), /bug/)
})
