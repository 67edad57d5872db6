import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from './client.ts'
import { ApiError } from './errors.ts'
import { takeSlot } from './rate-limit.ts'
import type { RetryEvent, RetryHooks } from './send.ts'

/** A client whose server responds with these statuses in turn, then with the last one. */
function clientOf(statuses: readonly number[], hooks: RetryHooks) {
  const left = [...statuses]
  const respond = async () => {
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 200
    return Response.json({}, { status })
  }
  return createClient({ url: 'http://a', retryDelayMs: 1, fetch: respond, ...hooks })
}

test('a program observes repetitions and the end of them, and its observers break nothing', async () => {
  const events: (readonly unknown[])[] = []
  const note = (kind: string) => (event: RetryEvent) => {
    events.push([kind, event.attempt, (event.error as ApiError).status, event.request])
    throw new Error('an observer failed')
  }
  const hooks = { onRetry: note('retry'), onGiveUp: note('give up') }
  const client = clientOf([503, 503, 200, 503], hooks)
  await client.getAccount()
  await assert.rejects(client.getAccount(), ApiError)
  const request = 'GET http://a/v2/account'
  assert.deepEqual(events, [
    ['retry', 1, 503, request],
    ['retry', 2, 503, request],
    ['retry', 1, 503, request],
    ['retry', 2, 503, request],
    ['give up', 3, 503, request],
  ])
})

test('a request that is never repeated has no repetition to observe', async () => {
  const note = () => assert.fail('nothing is repeated')
  await assert.rejects(clientOf([503], { onRetry: note, onGiveUp: note }).cancelAllOrders(), ApiError)
})

test('requests of one budget start in order, never more than it has in its time', () => {
  const limit = { requests: 2, perMs: 100 }
  assert.deepEqual(
    [0, 10, 20, 30, 250].map((now) => takeSlot(limit, now)),
    [0, 0, 80, 80, 0],
  )
  assert.equal(takeSlot({ requests: 2, perMs: 100 }, 20), 0, 'another object is another budget')
})
