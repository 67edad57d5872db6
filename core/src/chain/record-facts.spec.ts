import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from '../encode.ts'
import type { Moment } from '../moment.ts'
import { emptyState } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { NamedFact } from './facts.ts'
import { chainAppliers, chainDeciders } from './unmatched-transfers.ts'

const moment = { at: 5n as Instant } as Moment
const processed = { fact: 'processed', chainId: 1n, salt: '5a17' } as const
const state = emptyState()

function record(...facts: readonly NamedFact[]): number {
  const decision = chainDeciders.recordChainFacts(state, moment, { kind: 'recordChainFacts', facts })
  assert.ok(decision.ok)
  for (const event of decision.value)
    chainAppliers.chainFactsRecorded(state, decode(encode(event)) as typeof event)
  return decision.value.length
}

test('a fact replaces an earlier fact with the same name, and null deletes it', () => {
  assert.equal(record(['processed/base', { ...processed, block: 7n }]), 1)
  assert.equal(
    record(['processed/base', { ...processed, block: 9n }], ['dust/base/AAPLx', { fact: 'dust', units: 3n }]),
    1,
  )
  assert.deepEqual(state.chain.get('processed/base'), { ...processed, block: 9n })
  record(['dust/base/AAPLx', null])
  assert.deepEqual([...state.chain.keys()], ['processed/base'])
})

test('an empty list of facts creates no event', () => {
  assert.equal(record(), 0)
})
