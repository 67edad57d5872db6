import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { clusterMutations } from './cluster/mutations.ts'
import { type Mutation, mutations } from './mutations.ts'

const root = join(import.meta.dirname, '..', '..')
const program = join(import.meta.dirname, 'mutant.child.ts')

/** Every test run uses the same simulations, so that finding a mutation does not depend on chance. */
const SEED = 'mutations'

/** A mistake may let a spec wait forever. */
const SPEC_MS = 180_000

type Detection = { readonly runs: number; readonly steps: number }

/** Each mutation starts a process, so `npm test` runs some. `MUTATIONS=all npm test -- mutations` runs all of them. */
const hasAllMutations = process.env['MUTATIONS'] === 'all'
const selected: readonly (readonly [Mutation, Detection])[] = [
  ...mutations
    .filter((_, index) => hasAllMutations || index % 24 === 0)
    .map((mutation) => [mutation, { runs: 120, steps: 40 }] as const),
  ...clusterMutations
    .filter((_, index) => hasAllMutations || index === 0)
    .map((mutation) => [mutation, { runs: 20, steps: 3 }] as const),
]
/** The runner divides the mutations, so that slices of a long run share them: `1/3` is the first of three parts. */
const [part, parts] = (process.env['PART'] ?? '1/1').split('/').map(Number) as [number, number]

for (const [mutation, detection] of selected.filter((_, index) => index % parts === part - 1))
  if (mutation.spec === undefined) testSimulation(mutation, detection)
  else testSpec(mutation)

if (part === 1)
  test('the text of each mutation is in its file exactly once', () => {
    for (const { name, file, from } of [...mutations, ...clusterMutations])
      assert.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, name)
  })

/** Tests that a spec detects a mistake: one of its tests fails. */
function testSpec({ name, spec }: Mutation): void {
  test(`${spec} detects that ${name}`, async (t) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn(process.execPath, ['--test-reporter=tap', program, name], {
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

/** Tests that a simulation detects a mistake within this many runs. */
function testSimulation({ name, run = 1, faults }: Mutation, { runs, steps }: Detection): void {
  test(`the simulation detects that ${name}`, async (t) => {
    const child = spawn(
      process.execPath,
      [program, name, SEED, String(run), String(run + runs), String(steps)],
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
