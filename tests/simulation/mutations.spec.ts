import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { mutations } from './mutations.ts'

const root = join(import.meta.dirname, '..', '..')

/** Every test run uses the same simulations, so that finding a mutation does not depend on chance. */
const SEED = 'mutations'
const RUNS = 120
const STEPS = 40

test('the text of each mutation is in its file exactly once', () => {
  for (const { name, file, from } of mutations)
    assert.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, name)
})

/** Every 24th mutation, because each starts a process. `MUTATIONS=all npm test -- mutations` runs all of them. */
const selected = mutations.filter((_, index) => process.env['MUTATIONS'] === 'all' || index % 24 === 0)

for (const { name, run = 1 } of selected)
  test(`the simulation detects that ${name}`, async (t) => {
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'mutant.child.ts'),
        name,
        SEED,
        String(run),
        String(run + RUNS),
        String(STEPS),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const { run: last, caught } = JSON.parse(output)
    assert(caught, `no error in ${last - run} runs`)
    t.diagnostic(`in run ${last}: ${caught.split('\n')[0]}`)
  })
