import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, withResponse } from '@quipu/sdk'
import { assertRefused, client, mintRequest, participant } from './stage.ts'

/** Section 8 of the specification: keys and rates. */

test('an idempotency key has at most 128 characters', async () => {
  const { quipu } = await participant()
  const mint = (length: number) =>
    quipu.tokenization.mint({ ...mintRequest, qty: '0.5' }, { idempotencyKey: 'k'.repeat(length) })
  assert.equal((await mint(128)).report.key.length, 128)
  await assertRefused(mint(129), 400)
})

test('own keys are UUIDs of 36 characters, one for each operation, and sort by time', async () => {
  const { quipu } = await participant()
  const keys = [
    (await quipu.tokenization.mint({ ...mintRequest, qty: '0.5' })).report.key,
    (await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })).report.key,
  ]
  for (const key of keys) {
    assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const ms = Number.parseInt(key.replaceAll('-', '').slice(0, 12), 16)
    assert.ok(Math.abs(ms - Date.now()) < 60_000)
  }
  assert.notEqual(keys[0], keys[1])
})

test('a program keeps within a budget of requests, so that the server refuses none', async () => {
  const { url, keyId, secretKey } = await client()
  const starts: number[] = []
  const record: typeof fetch = (to, init) => {
    starts.push(Date.now() - begin)
    return fetch(to, init)
  }
  const rateLimit = { requests: 3, perMs: 200 }
  const one = createQuipu({ url, keyId, secretKey, rateLimit, fetch: record })
  const other = createQuipu({ url, keyId, secretKey, rateLimit, fetch: record })
  const begin = Date.now()
  await Promise.all([...Array(4)].flatMap(() => [one.account.get(), other.client.getClock()]))
  assert.equal(starts.length, 8)
  // A timer may fire a millisecond early.
  for (const [index, start] of starts.entries())
    assert.ok(start >= Math.floor(index / 3) * rateLimit.perMs - 2, starts.join())
})

test('every response has the state of the rate limit and the id of the request', async () => {
  const { quipu } = await client()
  const { data, status, headers, requestId, rateLimit } = await withResponse((options) =>
    quipu.account.get(options),
  )
  assert.deepEqual([data.status, status], ['ACTIVE', 200])
  assert.match(headers.get('content-type') ?? '', /json/)
  assert.match(requestId ?? '', /^[0-9a-f]{32}$/)
  assert.ok(rateLimit && rateLimit.limit >= rateLimit.remaining && rateLimit.resetMs > 0)
})
