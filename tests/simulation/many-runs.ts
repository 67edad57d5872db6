import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../random.ts'
import { type Counts, type Kind, simulate } from './whole-world.ts'

/** So many lives by the seed of this run, or with `STEP` one of them, step by step up to where it failed. */
export function liveMany({ kind, lives, what }: { kind: Kind; lives: number; what: string }): void {
  const runs = Number(process.env['RUNS'] ?? lives)
  const steps = Number(process.env['STEPS'] ?? 24)
  const step = process.env['STEP']
  if (step !== undefined) {
    test(`one life up to step ${step} (SEED=${seed})`, async (t) => {
      await simulate({ seed, steps: Number(step), kind, note: (line) => t.diagnostic(line) })
    })
    return
  }
  test(`${runs} ${what} keep every promise (SEED=${seed})`, async (t) => {
    const sums: Counts = {}
    for (let run = 0; run < runs; run++)
      for (const [name, count] of Object.entries(await simulate({ seed: `${seed}-${run}`, steps, kind })))
        sums[name] = (sums[name] ?? 0) + count
    const missing = Object.keys(sums).filter((name) => sums[name] === 0)
    // Rare events need many runs: with fewer runs than usual, their absence is no failure.
    if (runs >= lives) assert.deepEqual(missing, [], 'these never happened')
    else if (missing.length > 0)
      t.diagnostic(`${runs} runs are too few to meet ${missing.join(', ')}: use RUNS=${lives} or more`)
    t.diagnostic(JSON.stringify(sums))
  })
}
