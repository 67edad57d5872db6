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
    for (const [name, sum] of Object.entries(sums)) assert(sum > 0, `never happened: ${name}`)
    t.diagnostic(JSON.stringify(sums))
  })
}
