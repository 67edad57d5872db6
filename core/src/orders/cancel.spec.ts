import assert from 'node:assert/strict'
import test from 'node:test'
import { itemsAt } from '../agenda.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'
import { isOpen, isWorking, moves, type OrderStatus, statusAfter } from './transitions.ts'

const scene = ['open A 10000', 'open B 10000', 'quote AAPL 99 100']

for (const [given, when, then] of [
  [['buy A o1 AAPL 1 @90'], 'cancel A o1', 'orderCanceled'],
  [['buy A o1 AAPL 1 @90'], 'cancel B o1', 'orderNotFound'],
  [[], 'cancel A made-up', 'orderNotFound'],
  [['buy A o1 AAPL 1'], 'cancel A o1', 'orderAlreadyTerminal'],
  [['buy A o1 AAPL 1 @90', 'cancel A o1'], 'cancel A o1', 'orderAlreadyTerminal'],
  [['buy A o1 AAPL 1 @90', 'wait 90000'], 'cancel A o1', 'orderAlreadyTerminal'],
] as const)
  test(`${[...given, when].join('; ')}: ${then}`, () =>
    assert.equal(outcomeOf(...scene, ...given, when), then))

for (const [hours, when, until, then] of [
  ['always', 'buy A o1 AAPL 1 @90', '2026-11-02T20:59:59Z', 'new'],
  ['always', 'buy A o1 AAPL 1 @90', '2026-11-02T21:00:00Z', 'expired'],
  ['always', 'buy A o1 AAPL 1 @90 ext', '2026-11-02T21:00:00Z', 'expired'],
  ['always', 'buy A o1 AAPL 1 @90 gtc', '2027-01-31T21:14:59Z', 'new'],
  ['always', 'buy A o1 AAPL 1 @90 gtc', '2027-01-31T21:15:00Z', 'canceled'],
  ['nyse', 'buy A o1 AAPL 1 @90', '2026-11-02T21:00:00Z', 'expired'],
  ['nyse', 'buy A o1 AAPL 1 @90 ext', '2026-11-03T00:59:59Z', 'new'],
  ['nyse', 'buy A o1 AAPL 1 @90 ext', '2026-11-03T01:00:00Z', 'expired'],
] as const)
  test(`in ${hours} hours, ${when}; until ${until}: ${then}`, () => {
    const world = new TestWorld({ hours })
    for (const line of [...scene, when, `until ${until}`]) world.run(line)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)?.status, then)
  })

test('an order leaves nothing behind when it ends: no hold, no place in the book, nothing on the agenda', () => {
  const world = new TestWorld()
  for (const line of [...scene, 'buy A o1 AAPL 1 @90', 'cancel A o1']) world.run(line)
  assert.equal(world.state.holds.get(world.accounts.get('A')!)?.money, 0n)
  assert.equal(world.state.books.get('AAPL' as never)?.regular.buy.prices.length, 0)
  const { agenda } = world.state
  const waiting = agenda.dues.flatMap((due) => [...itemsAt(agenda, due)])
  assert.deepEqual(
    waiting.map(({ kind }) => kind),
    ['closeDay'],
  )
})

test('the ends have no moves; what is open can be canceled and can expire', () => {
  for (const status of Object.keys(moves) as OrderStatus[]) {
    const ways = Object.keys(moves[status])
    assert.equal(isOpen({ status }), ways.includes('cancel') && ways.includes('expire'))
    assert.equal(isWorking({ status }), ways.includes('fillAll'))
    if (!isOpen({ status })) assert.deepEqual(ways, [])
  }
  assert.throws(() => statusAfter('filled', 'cancel'), /bug/)
})
