import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from '../encode.ts'
import type { Moment } from '../moment.ts'
import { emptyState } from '../state.ts'
import type { Instant } from '../time.ts'
import type { NamedFact } from './facts.ts'
import { applyChain, recordChainFacts } from './note.ts'

const moment = { at: 5n as Instant } as Moment
const seen = { fact: 'seen', chainId: 1n, salt: '5a17' } as const
const state = emptyState()

function note(...facts: readonly NamedFact[]): number {
  const noted = recordChainFacts(state, moment, { kind: 'recordChainFacts', facts })
  assert.ok(noted.ok)
  for (const event of noted.value) applyChain(state, decode(encode(event)) as typeof event)
  return noted.value.length
}

test('a fact is kept under its name, the newest stands, and null forgets it', () => {
  assert.equal(note(['seen/base', { ...seen, block: 7n }]), 1)
  assert.equal(
    note(['seen/base', { ...seen, block: 9n }], ['dust/base/AAPLx', { fact: 'dust', units: 3n }]),
    1,
  )
  assert.deepEqual(state.chain.get('seen/base'), { ...seen, block: 9n })
  note(['dust/base/AAPLx', null])
  assert.deepEqual([...state.chain.keys()], ['seen/base'])
})

test('nothing to note is no event', () => {
  assert.equal(note(), 0)
})
