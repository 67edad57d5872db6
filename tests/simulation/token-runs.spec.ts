import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../random.ts'
import { simulate } from './token-runs.ts'

const LIVES = 12
const STEPS = 60

test(`every share behind a token stays there, whatever fails and whoever dies (SEED=${seed})`, async () => {
  const happened = new Set<string>()
  let crashes = 0
  for (let life = 1; life <= LIVES; life++) {
    const lived = await simulate({ seed: `${seed}-${life}`, steps: STEPS }).catch((error: Error) => {
      throw new Error(`life ${life}: ${error.message}`, { cause: error })
    })
    for (const kind of lived.happened) happened.add(kind)
    crashes += lived.crashes
  }
  assert(crashes > 5 * LIVES)
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
    assert(happened.has(kind), `${kind} never happened`)
})
