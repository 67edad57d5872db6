import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { mutations } from './mutations.ts'

const root = join(import.meta.dirname, '..', '..')

/** The mistakes are searched for with the same lives in every run: whether they are found is no matter of luck. */
const SEED = 'mutations'
const LIVES = 120
const STEPS = 40

test('each mistake names a line that is there once', () => {
  for (const { name, file, from } of mutations)
    assert.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, name)
})

/** Every second one: each costs the start of a process. `MUTATIONS=all npm test -- mutations` runs all of them. */
const run = mutations.filter((_, at) => process.env['MUTATIONS'] === 'all' || at % 2 === 0)

for (const { name, life = 1 } of run)
  test(`it is noticed when ${name}`, async (t) => {
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'mutant.child.ts'),
        name,
        SEED,
        String(life),
        String(life + LIVES),
        String(STEPS),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const { life: last, caught } = JSON.parse(output)
    assert(caught, `${last - life} lives went by and nothing was noticed`)
    t.diagnostic(`in life ${last}: ${caught.split('\n')[0]}`)
  })
