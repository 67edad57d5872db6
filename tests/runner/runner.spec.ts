import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sources } from '../architecture.ts'
import { newFolder } from '../broker.ts'
import { type Outcome, root, runJob } from './job.ts'
import { isLong, longCounts, planOf } from './plan.ts'

test('every selected spec runs exactly once', () => {
  const specs = sources.filter((file) => file.endsWith('.spec.ts'))
  assert(specs.length > 300)
  for (const some of [specs, specs.filter((file) => file.includes('orders')), specs.slice(0, 1)])
    assert.deepEqual(
      planOf(some)
        .flatMap(({ files }) => files)
        .sort(),
      [...some].sort(),
    )
})

test('the long run has every spec with cases that the short run omits', () => {
  const variables = new RegExp(`cases\\.ts'|env\\['(${Object.keys(longCounts).join('|')})'\\]`)
  const specs = sources.filter((file) => file.endsWith('.spec.ts'))
  const withCases = specs.filter((file) => variables.test(readFileSync(join(root, file), 'utf8')))
  assert(withCases.length > 20)
  assert.deepEqual(
    withCases.filter((file) => !isLong(file)),
    [],
  )
})

const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

/** Runs specs in one process; returns the outcome and the printed dots. */
async function runSpecs(specs: readonly string[], silenceMs?: number): Promise<Outcome & { dots: string }> {
  const folder = newFolder()
  const files = specs.map((text, index) => {
    const file = join(folder, `${index}.spec.ts`)
    writeFileSync(file, head + text)
    return file
  })
  let dots = ''
  const dot = (sign: string) => {
    dots += sign
  }
  return { ...(await runJob({ name: 'a job', files }, dot, silenceMs)), dots }
}

const counts = ({ passed, failed, skipped }: Outcome) => [passed, failed, skipped]

test('specs that share a process are counted together, and a failure is reported with its location', async () => {
  const outcome = await runSpecs([
    "test('fine', () => {})\ntest.skip('later', () => {})\n",
    "console.log('a hint')\ntest('broken', () => assert.equal(1, 2))\n",
  ])
  assert.deepEqual(counts(outcome), [1, 1, 1])
  assert.equal([...outcome.dots].sort().join(''), ',.X')
  const [failure, printed] = outcome.failures
  assert.match(failure!, /^✖ broken\n .*1\.spec\.ts:4\n(.|\n)*1 !== 2/)
  assert.match(printed!, /a hint/)
  assert.match(outcome.log, /✔ fine .*0\.spec\.ts:3/)
})

const SILENCE_MS = 5_000

// These tests wait, so they can run at the same time.
suite('a spec fails the run, with its name,', { concurrency: true }, () => {
  for (const [fault, text, expected] of [
    ['cannot be imported', "throw new Error('no setup')", /no setup/],
    ['ends the process', "test('exits', () => process.exit(0))", /ended early with 0.*exits/],
    [
      'blocks',
      "test('blocked', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))",
      /too long.*blocked/,
    ],
    [
      'waits for ever',
      "test('pending', () => new Promise(() => setInterval(() => {}, 1e3)))",
      /too long.*pending/,
    ],
    [
      'rejects a promise that nobody awaits',
      "test('rejects', async () => { Promise.reject(new Error('lost')); await new Promise(setImmediate) })",
      /lost/,
    ],
    [
      'throws in a timer',
      "test('throws', () => new Promise(() => setTimeout(() => { throw new Error('late') }, 10)))",
      /late/,
    ],
    ['leaves a timer running', "test('timer', () => void setInterval(() => {}, 1e3))", /keeps the process/],
  ] as const)
    test(`that ${fault}`, async () => {
      const { failed, failures, dots } = await runSpecs([text], SILENCE_MS)
      assert.equal(failed, 1)
      assert.match(dots, /X/)
      assert.match(failures.join('\n'), expected)
      assert.match(failures.join('\n'), /0\.spec\.ts/)
    })
})
