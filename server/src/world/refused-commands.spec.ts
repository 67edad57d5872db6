import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId, Command, Instant, OrderId } from '@quipu/core'
import type { MarketSource } from '../market/market-source.ts'
import { Trail } from './refused-commands.ts'

const at = 1n as Instant
const nowhere = { assets: () => new Map() } as unknown as MarketSource
const cancel = (orderId: string): Command => ({
  kind: 'cancelOrder',
  accountId: 'ada' as AccountId,
  orderId: orderId as OrderId,
})
const event = {} as never

test('a request leads to its first and its last event, however many came between', () => {
  const trail = new Trail()
  trail.noteEvents([
    { seq: 3, event, cause: 'a' },
    { seq: 4, event },
    { seq: 5, event, cause: 'b' },
  ])
  trail.noteEvents([{ seq: 9, event, cause: 'a' }])
  assert.deepEqual(trail.causedBy('a'), { first: 3, last: 9 })
  assert.deepEqual(trail.causedBy('b'), { first: 5, last: 5 })
  assert.equal(trail.causedBy('c'), undefined)
})

test('only the last so many of each are remembered', () => {
  const trail = new Trail({ requestsKept: 2, refusalsKept: 1 })
  for (const [seq, cause] of ['a', 'b', 'c'].entries()) {
    trail.noteEvents([{ seq, event, cause }])
    trail.noteRefusal(cause, cancel(cause), { code: 'orderNotFound', id: cause }, at, nowhere)
  }
  assert.deepEqual(
    ['a', 'b', 'c'].map((cause) => trail.causedBy(cause) !== undefined),
    [false, true, true],
  )
  assert.deepEqual(
    ['a', 'b', 'c'].map((cause) => trail.refusalOf(cause)?.command.kind),
    [undefined, undefined, 'cancelOrder'],
  )
})

test('commands that may hold digests of secrets are not remembered', () => {
  const trail = new Trail()
  const issue = { kind: 'issueKey', keyId: 'PK1', digest: 'd' } as unknown as Command
  trail.noteRefusal('a', issue, { code: 'accountNotFound' }, at, nowhere)
  assert.equal(trail.refusalOf('a'), undefined)
})
