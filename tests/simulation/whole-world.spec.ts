import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../dice.ts'
import { type Counts, simulate } from './whole-world.ts'

/** `npm run soak` makes thousands of it. */
const RUNS = Number(process.env['RUNS'] ?? 150)
const STEPS = Number(process.env['STEPS'] ?? 24)

const step = process.env['STEP']

if (step !== undefined)
  test(`one run up to step ${step} (SEED=${seed})`, async (t) => {
    await simulate(seed, Number(step), (line) => t.diagnostic(line))
  })
else
  test(`${RUNS} whole worlds on bad disks keep every promise (SEED=${seed})`, async (t) => {
    const sums: Counts = {}
    for (let run = 0; run < RUNS; run++)
      for (const [name, count] of Object.entries(await simulate(`${seed}-${run}`, STEPS)))
        sums[name] = (sums[name] ?? 0) + count
    for (const [name, sum] of Object.entries(sums)) assert(sum > 0, `never happened: ${name}`)
    t.diagnostic(JSON.stringify(sums))
  })
