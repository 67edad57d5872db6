import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type AgendaItem, emptyAgenda, itemsAt, nextDue, schedule, unschedule } from './agenda.ts'
import type { AccountId, JobId, OrderId } from './ids.ts'
import type { Instant } from './time.ts'

const job = (name: string): AgendaItem => ({ kind: 'runJob', jobId: name as JobId })
const at = (due: number): Instant => BigInt(due) as Instant

test('the earliest comes first, and of equals the one that was there first', () => {
  const agenda = emptyAgenda()
  schedule(agenda, at(5), job('a'))
  schedule(agenda, at(3), job('b'))
  schedule(agenda, at(3), job('c'))
  assert.deepEqual(nextDue(agenda), { due: 3n, item: job('b') })
  unschedule(agenda, at(3), job('b'))
  assert.deepEqual(nextDue(agenda)?.item, job('c'))
  unschedule(agenda, at(3), job('c'))
  assert.deepEqual(nextDue(agenda), { due: 5n, item: job('a') })
})

test('what is due together happens by kind: settlements, closes and jobs, then steps of orders, then their ends', () => {
  const agenda = emptyAgenda()
  const order = { accountId: 'a' as AccountId, orderId: 'o' as OrderId }
  const inOrder: AgendaItem[] = [job('a'), { kind: 'workOrder', ...order }, { kind: 'expireOrder', ...order }]
  for (const item of inOrder.toReversed()) schedule(agenda, at(1), item)
  for (const item of inOrder) {
    assert.deepEqual(nextDue(agenda), { due: 1n, item })
    unschedule(agenda, at(1), item)
  }
  assert.equal(nextDue(agenda), undefined)
})

test('an empty agenda has nothing next', () => assert.equal(nextDue(emptyAgenda()), undefined))

test('the same item at the same time is one item, and taking away what is not there is no fault', () => {
  const agenda = emptyAgenda()
  schedule(agenda, at(1), job('a'))
  schedule(agenda, at(1), job('a'))
  unschedule(agenda, at(2), job('a'))
  unschedule(agenda, at(1), job('b'))
  unschedule(agenda, at(1), job('a'))
  assert.equal(nextDue(agenda), undefined)
  assert.equal(agenda.dues.length + agenda.slots.length, 0)
})

test('it says what a sorted list would say', () => {
  const step = fc.record({
    add: fc.boolean(),
    due: fc.nat({ max: 8 }),
    name: fc.constantFrom('a', 'b', 'c'),
  })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const agenda = emptyAgenda()
      let list: { due: number; name: string }[] = []
      for (const { add, due, name } of steps) {
        const there = list.some((one) => one.due === due && one.name === name)
        if (add) {
          schedule(agenda, at(due), job(name))
          if (!there) list.push({ due, name })
        } else {
          unschedule(agenda, at(due), job(name))
          list = list.filter((one) => one.due !== due || one.name !== name)
        }
        const [first] = list.toSorted((a, b) => a.due - b.due)
        const next = nextDue(agenda)
        assert.deepEqual(next?.item, first && job(first.name))
        assert.equal(next?.due, first && BigInt(first.due))
      }
    }),
  )
})

test('orders that take their step at one instant do so in the order in which they were scheduled, however many there are', () => {
  const step = fc.record({ add: fc.boolean(), name: fc.constantFrom('a', 'b', 'c', 'd') })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const agenda = emptyAgenda()
      let list: string[] = []
      for (const { add, name } of steps) {
        const item = { kind: 'workOrder', accountId: 'x' as AccountId, orderId: name as OrderId } as const
        if (add) schedule(agenda, at(1), item)
        else unschedule(agenda, at(1), item)
        if (!add) list = list.filter((one) => one !== name)
        else if (!list.includes(name)) list.push(name)
        assert.deepEqual(
          [...itemsAt(agenda, at(1))].map((one) => 'orderId' in one && one.orderId),
          list,
        )
        assert.equal(agenda.slots.length, list.length > 0 ? 1 : 0)
      }
    }),
  )
})
