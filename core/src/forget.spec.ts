import assert from 'node:assert/strict'
import test from 'node:test'
import type { Money } from './amount.ts'
import { forget } from './forget.ts'
import { openCount } from './orders/open-orders.ts'
import { found } from './result.ts'
import { Teller } from './testing/world.ts'

const told = (...lines: readonly string[]): Teller => {
  const teller = new Teller()
  for (const line of ['open A 10000', 'quote AAPL 99 100', ...lines]) teller.tell(line)
  return teller
}

test('only what ended by the given event is let go, and open orders never', () => {
  const teller = told('buy A o1 AAPL 1')
  const { seq } = teller.state
  for (const line of ['buy A o2 AAPL 1', 'buy A o3 AAPL 1 @90']) teller.tell(line)
  forget(teller.state, seq)
  assert.deepEqual(
    ['o1', 'o2', 'o3'].map((name) => teller.state.orders.has(teller.orders.get(name)!)),
    [false, true, true],
  )
  assert.deepEqual([...teller.state.letGo], [teller.accounts.get('A')])
  forget(teller.state, teller.state.seq)
  assert.equal(teller.state.orders.size, 1)
  assert.equal(teller.state.clientOrderIds.get(teller.accounts.get('A')!)?.size, 1)
  assert.equal(teller.state.closed.ids.length, 0)
})

test('memory does not grow with what has ended', () => {
  const teller = told()
  for (let index = 0; index < 200; index++) {
    teller.tell(`buy A o${index} AAPL 1 @90`)
    teller.tell(`cancel A o${index}`)
    forget(teller.state, teller.state.seq)
  }
  const { orders, clientOrderIds, closed, agenda } = teller.state
  assert.equal(orders.size + closed.ids.length, 0)
  assert.equal(clientOrderIds.get(teller.accounts.get('A')!)?.size, 0)
  assert.equal(openCount(teller.state), 0)
  assert.equal(agenda.dues.length, 1)
})

test('a call under an idempotency key is let go with its event, and comes back with the command', () => {
  const teller = told()
  const accountId = teller.accounts.get('A')!
  const idempotency = { key: 'k', bodyHash: 'b' }
  const amount = 1_000_000_000n as Money
  const asked = {
    kind: 'transferMoney',
    accountId,
    direction: 'in',
    means: 'ach',
    amount,
    idempotency,
  } as const
  teller.submit(asked)
  const [held] = teller.state.keyedCalls.values()
  const earlier = found(held, 'the call').call
  forget(teller.state, teller.state.seq - 1)
  assert.equal(teller.state.keyedCalls.size, 1)
  forget(teller.state, teller.state.seq)
  assert.equal(teller.state.keyedCalls.size, 0)
  const { seq } = teller.state
  teller.submit({ ...asked, earlier })
  assert.equal(teller.state.seq, seq, 'nothing moves twice')
})
