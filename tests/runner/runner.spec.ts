import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sources } from '../architecture/sources.ts'
import { newFolder } from '../support/broker.ts'
import { type Outcome, root, runJob } from './job.ts'
import { LongRunResults, longRunTable, parseSlice, slicesOf, treeOf } from './long-run.ts'
import { isLong, isLongOnly, longCounts, partsOf, planOf } from './plan.ts'
import { newProgramFolder } from './program-folder.ts'
import { afterRepeat, specsToRepeat } from './repeat.ts'

test('every selected spec runs exactly once', () => {
  const specs = sources.filter((file) => file.endsWith('.spec.ts'))
  assert(specs.length > 300)
  for (const some of [specs, specs.filter((file) => file.includes('orders')), specs.slice(0, 1)])
    assert.deepEqual(
      planOf(some.flatMap(partsOf))
        .flatMap(({ files, part }) => files.map((file) => (part === undefined ? file : `${file} ${part}`)))
        .sort(),
      some.flatMap(partsOf).sort(),
    )
})

test('a divided spec is a job for each part, and runs its part', async () => {
  const jobs = planOf(partsOf('tests/cluster/random-faults.spec.ts'))
  assert.deepEqual(
    jobs.map(({ part }) => part),
    ['1/8', '2/8', '3/8', '4/8', '5/8', '6/8', '7/8', '8/8'],
  )
  const file = join(newFolder(), 'a.spec.ts')
  writeFileSync(file, `${head}test('third', () => assert.equal(process.env['PART'], '3/8'))`)
  assert.deepEqual(counts(await runJob({ name: 'a part', files: [file], part: '3/8' }, () => {})), [1, 0, 0])
  assert.deepEqual(counts(await runJob({ name: 'no part', files: [file] }, () => {})), [0, 1, 0])
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

test('a spec that the short run omits is in the long run', () => {
  const omitted = sources.filter((file) => file.endsWith('.spec.ts') && isLongOnly(file))
  assert.equal(omitted.length, 8)
  assert.deepEqual(
    omitted.filter((file) => !isLong(file)),
    [],
  )
})

test('slices have every spec of the long run once, and are the same each time', () => {
  const specs = sources.filter((file) => file.endsWith('.spec.ts') && isLong(file)).flatMap(partsOf)
  const slices = slicesOf(specs, 12)
  assert.equal(slices.length, 12)
  assert.deepEqual(slices.flat().sort(), [...specs].sort())
  assert.deepEqual(slicesOf([...specs].reverse(), 12), slices)
  assert.deepEqual(parseSlice('3/12'), { number: 3, of: 12 })
  for (const wrong of ['0/12', '13/12', '3', 'a/b', '1/0', ''])
    assert.throws(() => parseSlice(wrong), /3\/12/)
})

test('a long run continues with the specs that have not passed on the same tree', () => {
  const path = join(newFolder(), 'results.jsonl')
  const outcome = {
    passed: 2,
    failed: 0,
    skipped: 1,
    log: '',
    failures: [],
    failedFiles: [],
    notes: [],
    cpuSeconds: 90,
    files: {},
  }
  const before = new LongRunResults(path, ['old'])
  before.add('a.spec.ts', { ...outcome, failed: 1 }, 60)
  before.add('a.spec.ts', outcome, 120)
  before.add('b.spec.ts', { ...outcome, failed: 1 }, 60)
  assert.deepEqual(
    ['a.spec.ts', 'b.spec.ts', 'c.spec.ts'].map((file) => before.hasPassed(file)),
    [true, false, false],
  )
  assert(!new LongRunResults(path, ['new']).hasPassed('a.spec.ts'), 'another tree')
  const kept = new LongRunResults(path, ['new', 'old'])
  kept.add('b.spec.ts', outcome, 30)
  assert.equal(
    longRunTable([['a.spec.ts', 'c.spec.ts'], ['b.spec.ts']], kept.latest()),
    `slice  specs  ended  passed  failed  skipped  CPU min  longest  tree
1/2    2      1      2       0       1        1.5      2.0      old
2/2    1      1      2       0       1        1.5      0.5      new
all    3      2      4       0       2        3.0      2.0      old new
not run  c.spec.ts`,
  )
})

test('a changed or a new file is another tree', () => {
  const folder = newFolder()
  const git = (...options: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...options], { cwd: folder })
  git('init', '-q')
  writeFileSync(join(folder, 'one'), '1')
  git('add', 'one')
  git('commit', '-qm', 'one')
  const clean = treeOf(folder)
  assert.match(clean, /^[0-9a-f]{10}$/)
  writeFileSync(join(folder, 'two'), '2')
  const withNew = treeOf(folder)
  writeFileSync(join(folder, 'one'), '2')
  assert.equal(new Set([clean, withNew, treeOf(folder)]).size, 3)
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

test('failed specs that wait are repeated alone, unless other specs failed too or they are many', async () => {
  const failed = (...names: readonly string[]): Outcome => ({
    ...passed,
    failed: 1,
    failures: ['✖'],
    failedFiles: names,
  })
  const passed = { ...(await runSpecs(["test('fine', () => {})"])), dots: undefined }
  assert.deepEqual(passed.failedFiles, [])
  const [one, two] = ['tests/dashboard/one.spec.ts', 'tests/store/two.spec.ts']
  assert.deepEqual(specsToRepeat([passed, failed(one), failed(two)]), [one, two])
  assert.deepEqual(specsToRepeat([failed(one), failed('core/src/orders/orders.spec.ts')]), [])
  assert.deepEqual(specsToRepeat([failed(one), failed('tests/simulation/run.spec.ts')]), [])
  assert.deepEqual(
    specsToRepeat([failed(one, two), failed('tests/drill/3.spec.ts', 'tests/start/4.spec.ts')]),
    [],
  )
  const early = await runSpecs(["test('exits', () => process.exit(0))"])
  assert.deepEqual(specsToRepeat([failed(one), early]), [])
  assert.deepEqual(counts(afterRepeat(failed(one), new Set([one]))), [2, 0, 0])
  assert.deepEqual(counts(afterRepeat(failed(one, two), new Set([one]))), [1, 1, 0])
  assert.deepEqual(counts(afterRepeat(early, new Set())), [0, 1, 0])
})

test('an interrupted run prints the failures and the pending tests of its jobs', async () => {
  const folder = newFolder()
  const spec = join(folder, 'a.spec.ts')
  const runner = join(folder, 'run.ts')
  writeFileSync(
    spec,
    `${head}import { suite } from 'node:test'
    suite('both', { concurrency: true }, () => {
      test('broken', () => new Promise(setImmediate).then(() => assert.equal(1, 2)))
      test('pending', () => new Promise(() => setInterval(() => {}, 1e3)))
    })`,
  )
  writeFileSync(
    runner,
    `import { exitOnSignals, runJob } from ${JSON.stringify(join(import.meta.dirname, 'job.ts'))}
    exitOnSignals(() => console.log('first the jobs that have ended'))
    await runJob({ name: 'a job', files: [${JSON.stringify(spec)}] }, (sign) => console.log(sign))`,
  )
  const child = spawn(process.execPath, [runner], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (/^X$/m.test(text)) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 143)
  assert.match(output, /jobs that have ended\s+SIGTERM.*\s+✖ broken\n .*a\.spec\.ts:5\n(.|\n)*1 !== 2/)
  assert.match(output, /▶ a job\n\s+both \(.*a\.spec\.ts\)\n\s+pending \(.*a\.spec\.ts\)/)
})

test('runs at the same time have different folders, and the folder of a killed run is reused', async () => {
  const parent = newFolder()
  const started = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { stdio: 'ignore' })
  const [first, second] = ['.test-program-1', '.test-program-2'].map((name) => join(parent, name))
  mkdirSync(first!)
  writeFileSync(join(first!, 'pid'), String(started.pid))
  assert.equal(newProgramFolder(parent), second)
  started.kill('SIGKILL')
  await once(started, 'exit')
  assert.equal(newProgramFolder(parent), first)
  assert.equal(readFileSync(join(first!, 'pid'), 'utf8'), String(process.pid))
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
