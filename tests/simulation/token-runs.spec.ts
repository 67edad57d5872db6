import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../support/random.ts'
import { simulate } from './token-runs.ts'

const RUNS = 12
const STEPS = 60

test(`custody shares always match the tokens, with failing calls and crashes (SEED=${seed})`, async () => {
  const eventKinds = new Set<string>()
  let crashes = 0
  for (let run = 1; run <= RUNS; run++) {
    const result = await simulate({ seed: `${seed}-${run}`, steps: STEPS }).catch((error: Error) => {
      throw new Error(`run ${run}: ${error.message}`, { cause: error })
    })
    for (const kind of result.eventKinds) eventKinds.add(kind)
    crashes += result.crashes
  }
  assert(crashes > 5 * RUNS)
  for (const kind of [
    'mintTransferred',
    'mintCompleted',
    'mintRejected',
    'redeemCompleted',
    'redeemRejected',
    'requestHeld',
    'requestReleased',
    'listingsChanged',
    'jobFailed',
  ])
    assert(eventKinds.has(kind), `${kind} never happened`)
})
