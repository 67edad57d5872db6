import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type AgendaItem, emptyAgenda, itemsAt, nextDue, schedule, unschedule } from './agenda.ts'
import type { JobId, OrderId } from './ids.ts'
import type { Instant } from './time.ts'

const job = (name: string): AgendaItem => ({ kind: 'runJob', jobId: name as JobId })
const at = (due: number): Instant => BigInt(due) as Instant

test('the earliest item is first, and items due together keep the order of scheduling', () => {
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

test('items due together run by kind: items without an order, then steps of orders, then expiries', () => {
  const agenda = emptyAgenda()
  const order = { orderId: 'o' as OrderId }
  const inOrder: AgendaItem[] = [job('a'), { kind: 'workOrder', ...order }, { kind: 'expireOrder', ...order }]
  for (const item of inOrder.toReversed()) schedule(agenda, at(1), item)
  for (const item of inOrder) {
    assert.deepEqual(nextDue(agenda), { due: 1n, item })
    unschedule(agenda, at(1), item)
  }
  assert.equal(nextDue(agenda), undefined)
})

test('an empty agenda has no next item', () => assert.equal(nextDue(emptyAgenda()), undefined))

test('an item scheduled twice at one time is one item, and unscheduling a missing item does nothing', () => {
  const agenda = emptyAgenda()
  schedule(agenda, at(1), job('a'))
  schedule(agenda, at(1), job('a'))
  unschedule(agenda, at(2), job('a'))
  unschedule(agenda, at(1), job('b'))
  unschedule(agenda, at(1), job('a'))
  assert.equal(nextDue(agenda), undefined)
  assert.equal(agenda.dues.length + agenda.slots.length, 0)
})

test('the agenda returns the same next item as a sorted list', () => {
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
        const isListed = list.some((each) => each.due === due && each.name === name)
        if (add) {
          schedule(agenda, at(due), job(name))
          if (!isListed) list.push({ due, name })
        } else {
          unschedule(agenda, at(due), job(name))
          list = list.filter((each) => each.due !== due || each.name !== name)
        }
        const [first] = list.toSorted((a, b) => a.due - b.due)
        const next = nextDue(agenda)
        assert.deepEqual(next?.item, first && job(first.name))
        assert.equal(next?.due, first && BigInt(first.due))
      }
    }),
  )
})

test('steps of orders at one instant run in the order of scheduling', () => {
  const step = fc.record({ add: fc.boolean(), name: fc.constantFrom('a', 'b', 'c', 'd') })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const agenda = emptyAgenda()
      let list: string[] = []
      for (const { add, name } of steps) {
        const item = { kind: 'workOrder', orderId: name as OrderId } as const
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

test('a slot does not depend on its past contents', () => {
  const [agenda, plain] = [emptyAgenda(), emptyAgenda()]
  const step = (name: string): AgendaItem => ({ kind: 'workOrder', orderId: name as OrderId })
  const expiry: AgendaItem = { kind: 'expireOrder', orderId: 'a' as OrderId }
  for (const item of [step('a'), step('b'), expiry]) schedule(agenda, at(1), item)
  for (const item of [step('a'), expiry]) unschedule(agenda, at(1), item)
  schedule(plain, at(1), step('b'))
  assert.deepEqual(agenda, plain)
})
