import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../support/random.ts'
import { type Counts, type Kind, simulate } from './whole-world.ts'

/** Runs many simulations with seeds derived from `SEED`; with `STEP`, one simulation with its trace up to that step. */
export function runMany({
  kind,
  defaultRuns,
  completeRuns,
  name,
}: {
  kind: Kind
  defaultRuns: number
  /** With so many runs, every kind of event happens. */
  completeRuns: number
  name: string
}): void {
  const runs = Number(process.env['RUNS'] ?? defaultRuns)
  const steps = Number(process.env['STEPS'] ?? 24)
  const step = process.env['STEP']
  if (step !== undefined) {
    test(`one run up to step ${step} (SEED=${seed})`, async (t) => {
      await simulate({ seed, steps: Number(step), kind, note: (line) => t.diagnostic(line) })
    })
    return
  }
  test(`${runs} runs of ${name} break no guarantee (SEED=${seed})`, async (t) => {
    const sums: Counts = {}
    for (let run = 0; run < runs; run++)
      for (const [event, count] of Object.entries(await simulate({ seed: `${seed}-${run}`, steps, kind })))
        sums[event] = (sums[event] ?? 0) + count
    const missing = Object.keys(sums).filter((event) => sums[event] === 0)
    // Rare events need many runs: with fewer runs, their absence is no failure.
    if (runs >= completeRuns) assert.deepEqual(missing, [], 'these events never happened')
    else if (missing.length > 0)
      t.diagnostic(`${runs} runs are too few to see ${missing.join(', ')}: use RUNS=${completeRuns} or more`)
    t.diagnostic(JSON.stringify(sums))
  })
}
