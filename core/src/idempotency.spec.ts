import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply } from './apply.ts'
import { callAnswered, type KeyedRequest, storedResponse } from './idempotency.ts'
import { forget } from './state/forget.ts'
import { emptyState } from './state/state.ts'
import { HOUR, type Instant } from './time.ts'

const request: KeyedRequest = {
  holders: ['key-1'],
  ownerId: 'account-1',
  operation: 'placeOrder',
  key: 'k',
  bodyHash: 'aa',
}
const NOW = 1_000n as Instant
const after = (hours: bigint) => (NOW + hours) as Instant

function stateWith(...requests: readonly KeyedRequest[]) {
  const state = emptyState()
  for (const one of requests) apply(state, callAnswered(state, NOW, one, `{"of":"${one.key}"}`))
  return state
}

for (const [what, asked, found] of [
  ['the same call', {}, true],
  ['the same call with another body', { bodyHash: 'bb' }, true],
  ['another operation', { operation: 'createTransfer' }, false],
  ['another key', { key: 'l' }, false],
  ['another credential', { holders: ['key-2'] }, false],
  ['a credential that continues the first', { holders: ['key-2', 'key-1'] }, true],
] as const)
  test(`${what} finds ${found ? 'the first response' : 'nothing'}`, () => {
    const stored = storedResponse(stateWith(request), NOW, { ...request, ...asked })
    assert.deepEqual(stored, found ? { bodyHash: 'aa', response: '{"of":"k"}' } : undefined)
  })

test('a response is kept for 24 hours', () => {
  const state = stateWith(request)
  assert.ok(storedResponse(state, after(24n * HOUR - 1n), request))
  assert.equal(storedResponse(state, after(24n * HOUR), request), undefined)
})

test('an account keeps 10,000 responses, of all its credentials and operations', () => {
  const others = Array.from({ length: 9_999 }, (_, n) => ({
    ...request,
    operation: `o${n % 3}`,
    key: `k${n}`,
  }))
  const state = stateWith(request, ...others)
  assert.ok(storedResponse(state, NOW, request))
  apply(state, callAnswered(state, NOW, { ...request, ownerId: 'account-2', key: 'other' }, ''))
  assert.ok(storedResponse(state, NOW, request), 'another account does not count')
  apply(state, callAnswered(state, NOW, { ...request, key: 'last' }, ''))
  assert.equal(storedResponse(state, NOW, request), undefined)
  assert.ok(storedResponse(state, NOW, { ...request, operation: 'o0', key: 'k0' }))
})

test('memory drops a response that the query tables have, and takes it back with the request', () => {
  const state = stateWith(request)
  const [stored] = state.keyedCalls.values()
  forget(state, state.seq - 1)
  assert.equal(state.keyedCalls.size, 1)
  forget(state, state.seq)
  assert.equal(state.keyedCalls.size, 0)
  assert.equal(storedResponse(state, NOW, request), undefined)
  assert.equal(storedResponse(state, NOW, request, stored!.call)?.response, '{"of":"k"}')
  assert.equal(storedResponse(state, after(24n * HOUR), request, stored!.call), undefined)
})
