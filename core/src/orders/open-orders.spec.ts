import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forget } from '../forget.ts'
import { Teller } from '../testing/world.ts'
import { hasOpenOrders, openCount, openOrdersOf } from './open-orders.ts'

test('open orders are an account’s own, in the order they came, whether what has ended was let go or not', () => {
  const teller = new Teller({})
  for (const line of ['open A 100000', 'open B 100000', 'quote AAPL 99 101', 'trade AAPL 100'])
    teller.tell(line)
  for (const name of ['A o1', 'A o2', 'B o3', 'A o4', 'A o5']) teller.tell(`buy ${name} AAPL 1 @90`)
  const [a, b] = ['A', 'B'].map((name) => teller.accounts.get(name)!)
  const namesOf = (accountId: typeof a) =>
    Array.from(openOrdersOf(teller.state, accountId!), ({ id }) =>
      ['o1', 'o2', 'o3', 'o4', 'o5'].find((name) => teller.orders.get(name) === id),
    )
  teller.tell('cancel A o2')
  assert.deepEqual([namesOf(a), namesOf(b), openCount(teller.state)], [['o1', 'o4', 'o5'], ['o3'], 4])
  forget(teller.state, teller.state.seq)
  teller.tell('cancel B o3')
  assert.deepEqual([namesOf(a), namesOf(b), openCount(teller.state)], [['o1', 'o4', 'o5'], [], 3])
  assert.deepEqual([hasOpenOrders(teller.state, a!), hasOpenOrders(teller.state, b!)], [true, false])
})
