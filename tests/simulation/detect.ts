import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Mutation } from './mutations.ts'

const root = join(import.meta.dirname, '..', '..')

/** Every test run uses the same simulations, so that finding a mutation does not depend on chance. */
const SEED = 'mutations'

/** A mistake may let a spec wait forever. */
const SPEC_MS = 180_000

/** Whether every mutation runs. Each starts a process, so `npm test` runs some. */
export const hasAllMutations = process.env['MUTATIONS'] === 'all'

export type Detection = { readonly runs: number; readonly steps: number }

export function testTexts(mutations: readonly Mutation[]): void {
  test('the text of each mutation is in its file exactly once', () => {
    for (const { name, file, from } of mutations)
      assert.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, name)
  })
}

/** Tests that a spec detects a mistake: one of its tests fails. */
function testSpec({ name, spec }: Mutation): void {
  test(`${spec} detects that ${name}`, async (t) => {
    const file = join(import.meta.dirname, 'mutant-spec.child.ts')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn(process.execPath, ['--test-reporter=tap', file, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: SPEC_MS,
      env,
    })
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const failed = /^not ok \d+ - (.*)$/m.exec(output)
    assert(failed && !output.includes('must have this text'), `no test failed: ${output.slice(-2_000)}`)
    t.diagnostic(failed[1]!)
  })
}

/** Tests that a spec or a simulation detects a mistake, the simulation within this many runs. */
export function testDetection(mutation: Mutation, { runs, steps }: Detection): void {
  const { name, run = 1, spec, faults } = mutation
  if (spec !== undefined) return testSpec(mutation)
  test(`the simulation detects that ${name}`, async (t) => {
    const file = join(import.meta.dirname, 'mutant.child.ts')
    const child = spawn(
      process.execPath,
      [file, name, SEED, String(run), String(run + runs), String(steps)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        // Most of the program is the same in all of these processes.
        env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.compile-cache') },
      },
    )
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const { run: last, caught } = JSON.parse(output)
    assert(caught, `no error in ${last - run} runs`)
    // The command that repeats the run names its faults.
    if (faults) assert(caught.includes(` FAULT_KINDS=${faults.join()} `), caught)
    t.diagnostic(`in run ${last}: ${caught.split('\n')[0]}`)
  })
}
