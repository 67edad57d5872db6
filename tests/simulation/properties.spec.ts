import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../support/random.ts'
import { roughSetups, setups } from './setups.ts'
import { simulate } from './whole-world.ts'

const STEPS = 60
/** Runs per setup; `PROPERTY_RUNS=500` takes hours. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 1)

for (const [setup, runs] of [
  ...setups.map((each) => [each, RUNS] as const),
  ...roughSetups.map((each) => [each, Math.ceil(RUNS / 3)] as const),
])
  test(`ledger and engine follow every rule: ${setup.name} (SEED=${seed})`, async (t) => {
    const sums: Record<string, number> = { accepted: 0, refused: 0, fills: 0, events: 0 }
    for (let run = 0; run < runs; run++) {
      const from = [setup]
      const counts = await simulate({
        seed: `${seed}-${run}`,
        steps: STEPS,
        kind: 'files',
        from,
        isQuiet: true,
      })
      for (const name of Object.keys(sums)) sums[name]! += counts[name]!
    }
    assert(sums['accepted']! > runs && sums['refused']! > runs && sums['fills']! > runs)
    t.diagnostic(`${runs} runs: ${JSON.stringify(sums)}`)
  })
