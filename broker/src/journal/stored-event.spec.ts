import assert from 'node:assert/strict'
import test from 'node:test'
import { type AccountId, type BrokerEvent, brokerEvents, type Instant, type OrderId } from '@quipu/core'
import { eventKinds } from './event-kinds.table.ts'
import { EventGroup } from './group.ts'
import { addEvent, causeOf, eventOf, storedEntry, storedRecord } from './stored-event.ts'

const request = '0123456789abcdef0123456789abcdef'
const at = 1n as Instant
const plain: BrokerEvent = {
  kind: 'orderAcknowledged',
  at,
  accountId: 'ada' as AccountId,
  orderId: 'o1' as OrderId,
}
const sealed = {
  kind: 'keyRevoked',
  at,
  accountId: 'ada' as AccountId,
  sealed: { keyId: 'PK1' },
} as unknown as BrokerEvent

const record = {
  id: request,
  op: 'cancelOrder',
  by: { kind: 'key', key: 'PK1' },
  from: '20260105-0123456789abcdef',
} as const

const rows = [
  ['an event nobody asked for', plain, undefined],
  ['an event of a request', plain, request],
  ['an event with digests', sealed, undefined],
  ['an event with digests, of a request', sealed, request],
  ['the first event of a request', plain, record],
  ['the first event of a request, with digests', sealed, record],
] as const

for (const [name, event, cause] of rows)
  test(`${name} is decoded unchanged, with its request`, () => {
    const entry = storedEntry(event, cause)
    assert.deepEqual(eventOf(entry), event)
    assert.equal(causeOf(entry), cause && request)
    assert.deepEqual(storedRecord(entry), cause === record ? record : undefined)
    assert.deepEqual(entry.open, storedEntry(event).open, 'the request is not hashed')
    const group = new EventGroup()
    addEvent(group, event, cause)
    assert.deepEqual(group.entries(), [entry], 'the same in a group')
  })

test('every kind of event has one number', () => {
  const declared = Object.keys(brokerEvents)
  assert.deepEqual([...eventKinds].sort(), declared.sort())
})

test('an event without a request has no cause', () => {
  assert.equal(causeOf(storedEntry(plain)), undefined)
  assert.equal(causeOf(storedEntry(sealed)), undefined)
})
