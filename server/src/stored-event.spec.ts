import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId, BrokerEvent, Instant, OrderId } from '@quipu/core'
import { Group } from './journal/group.ts'
import { addEvent, causeOf, entryOf, eventOf, openEventOf } from './stored-event.ts'

const request = '0123456789abcdef0123456789abcdef'
const at = 1n as Instant
const plain: BrokerEvent = {
  kind: 'orderWorked',
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

const rows = [
  ['an event nobody asked for', plain, undefined],
  ['an event of a request', plain, request],
  ['an event with digests', sealed, undefined],
  ['an event with digests, of a request', sealed, request],
] as const

for (const [name, event, cause] of rows)
  test(`${name} comes back as it was, with its request`, () => {
    const entry = entryOf(event, cause)
    assert.deepEqual(eventOf(entry), event)
    assert.equal(causeOf(entry), cause)
    assert.equal(entry.open, entryOf(event).open, 'the request is no part of what is hashed')
    assert.equal('sealed' in openEventOf(entry), false)
    const group = new Group()
    addEvent(group, event, cause)
    assert.deepEqual(group.entries(), [entry], 'the same in a group')
  })

test('what older programs stored has no request', () => {
  assert.equal(causeOf({ open: '{"kind":"x"}' }), undefined)
  assert.equal(causeOf({ open: '{"kind":"x"}', sealed: '{"keyId":"PK1"}' }), undefined)
})
