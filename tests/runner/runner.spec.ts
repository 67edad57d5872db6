import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sources } from '../architecture.ts'
import { newFolder } from '../broker.ts'
import { planOf } from './plan.ts'
import { type Outcome, work } from './work.ts'

test('every spec is run once, however many are asked for', () => {
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

const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

/** What comes of specs that share a process, and the dots meanwhile. */
async function worked(specs: readonly string[], silenceMs?: number): Promise<Outcome & { dots: string }> {
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
  return { ...(await work({ name: 'a job', files }, dot, silenceMs)), dots }
}

const counts = ({ passed, failed, skipped }: Outcome) => [passed, failed, skipped]

test('specs that share a process are counted together, and what fails is told with its place', async () => {
  const outcome = await worked([
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

// They take time, not work.
suite('a spec fails the run, with its name,', { concurrency: true }, () => {
  for (const [given, text, then] of [
    ['can not be read', "throw new Error('no stage')", /no stage/],
    ['ends the process', "test('last words', () => process.exit(0))", /ended early with 0.*last words/],
    [
      'stops',
      "test('stone', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))",
      /too long.*stone/,
    ],
    [
      'waits for ever',
      "test('patient', () => new Promise(() => setInterval(() => {}, 1e3)))",
      /too long.*patient/,
    ],
    [
      'leaves something running',
      "test('sloppy', () => void setInterval(() => {}, 1e3))",
      /keeps the process/,
    ],
  ] as const)
    test(`that ${given}`, async () => {
      const { failed, failures, dots } = await worked([text], SILENCE_MS)
      assert.equal(failed, 1)
      assert.match(dots, /X/)
      assert.match(failures.join('\n'), then)
      assert.match(failures.join('\n'), /0\.spec\.ts/)
    })
})
