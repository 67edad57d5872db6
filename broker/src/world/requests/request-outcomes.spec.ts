import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId, Command, Instant, OrderId } from '@quipu/core'
import { RequestOutcomes } from './request-outcomes.ts'

const at = 1n as Instant
const noMarket = { assets: () => new Map(), pricesAt: () => assert.fail() }
const cancel = (orderId: string): Command => ({
  kind: 'cancelOrder',
  accountId: 'ada' as AccountId,
  orderId: orderId as OrderId,
})
const event = {} as never

test('a request leads to its first and its last event, with events of others in between', () => {
  const outcomes = new RequestOutcomes('main')
  outcomes.addEvents([
    { seq: 3, event, cause: 'a' },
    { seq: 4, event },
    { seq: 5, event, cause: 'b' },
  ])
  outcomes.addEvents([{ seq: 9, event, cause: 'a' }])
  assert.deepEqual(outcomes.eventsOf('a'), { first: 3, last: 9 })
  assert.deepEqual(outcomes.eventsOf('b'), { first: 5, last: 5 })
  assert.equal(outcomes.eventsOf('c'), undefined)
})

test('only the newest requests and refusals are remembered', async () => {
  const outcomes = new RequestOutcomes('main', { requestLogMax: 2, refusedOrdersMax: 1 })
  for (const [seq, cause] of ['a', 'b', 'c'].entries()) {
    outcomes.addEvents([{ seq, event, cause }])
    outcomes.addRefusal(cause, cancel(cause), { code: 'orderNotFound', id: cause }, at, noMarket)
  }
  assert.deepEqual(
    ['a', 'b', 'c'].map((cause) => outcomes.eventsOf(cause) !== undefined),
    [false, true, true],
  )
  const refused = await Promise.all(['a', 'b', 'c'].map((cause) => outcomes.refusalOf(cause)))
  assert.deepEqual(
    refused.map((one) => one?.command.kind),
    [undefined, undefined, 'cancelOrder'],
  )
})

test('commands that may hold digests of secrets are not remembered', async () => {
  const outcomes = new RequestOutcomes('main')
  const issue = { kind: 'issueKey', keyId: 'PK1', digest: 'd' } as unknown as Command
  outcomes.addRefusal('a', issue, { code: 'accountNotFound' }, at, noMarket)
  assert.equal(await outcomes.refusalOf('a'), undefined)
})
