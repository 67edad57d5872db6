import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, globSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleServer } from '../../cli/build.ts'
import { seed } from '../support/random.ts'
import { env, exitOnSignals, type Outcome, root, runJob } from './job.ts'
import { LongRunResults, longRunTable, parseSlice, SLICES, slicesOf, treeOf } from './long-run.ts'
import {
  isLong,
  isLongOnly,
  isQuick,
  type Job,
  jobOf,
  longCost,
  longCounts,
  partsOf,
  planOf,
} from './plan.ts'
import { newProgramFolder } from './program-folder.ts'
import { afterRepeat, specsToRepeat } from './repeat.ts'

const usage = `npm test: types, lint, format and every spec
npm test -- orders cash: the specs with these words in their path, without the checks
npm run test:quick: a selection of the specs
npm run test:long: random tests with higher counts, and every case; hours

Options of the long run:
  --slice 3/12   run one of 12 slices; a run without it runs all of them
  --fresh        run every spec again, also the ones that have passed on this tree
  --keep TREE    count what passed on this tree too (the last column of the table)
  --table        only print the table

A long run that was stopped continues where it was: its results are in node_modules/.long-run.jsonl.
Several slices can run at the same time. The run ends with a table of all slices.`

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    slice: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    keep: { type: 'string', multiple: true, default: [] },
    table: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(usage)
  process.exit(0)
}
const isLongRun = options.long
const packages = [
  'contract',
  'core',
  'broker',
  'server',
  'cli',
  'sdk',
  'testing',
  'tests',
  'bench',
  'examples',
  'docs',
]

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `the tests need Node 24 or newer, this is ${process.version}; npm test uses the Node that npm ci installs`,
  )
  process.exit(1)
}
const specs = globSync(
  packages.map((name) => `${name}/**/*.spec.ts`),
  { cwd: root, exclude: (path) => path.includes('node_modules') },
)
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !options.quick || isQuick(path))
  .filter((path) => !isLongRun || isLong(path))
  .filter((path) => isLongRun || words.length > 0 || !isLongOnly(path))
  .sort()
  .flatMap(partsOf)
  .filter((name) => words.every((word) => name.includes(word)))
if (specs.length === 0) {
  console.error(`no spec has ${words.join(' and ')} in its path`)
  process.exit(1)
}

const slice = options.slice === undefined ? undefined : parseSlice(options.slice)
const slices = slicesOf(specs, slice?.of ?? SLICES)
const results = isLongRun
  ? new LongRunResults(join(root, 'node_modules', '.long-run.jsonl'), [treeOf(root), ...options.keep])
  : undefined
if (results && options.table) {
  console.log(longRunTable(slices, results.latest()))
  process.exit(0)
}

// The installation of the programs reads the counts too.
Object.assign(env, isLongRun ? longCounts : {}, process.env)
let hasPrograms = false
const programs = runModule(join('tests', 'programs', 'install.ts')).then(() => {
  hasPrograms = true
})
const bundle = newProgramFolder(join(root, 'node_modules'))
await bundleServer(bundle)
// The dashboard is built by the specs that need it.
symlinkSync(join(root, 'web', 'dist'), join(bundle, 'web'), 'junction')
// Otherwise Node reads each file of the bundle twice to find out that it is a module.
writeFileSync(join(bundle, 'package.json'), '{ "type": "module" }')
// `SEED=any` means the same seed for all processes of a run.
Object.assign(env, { SEED: seed, TEST_PROGRAM: join(bundle, 'main.js') })

let column = 0
const outcomes: Outcome[] = []
const log = join(root, 'node_modules', '.last-test.log')
writeFileSync(log, '')
const jobs = results ? longJobs(results) : planOf(specs)
const waiting: Waiting[] = jobs.map((job) => ({
  needsPrograms: !job.files.every((file) => /^(contract|core|sdk|broker|server|cli)\//.test(file)),
  run: async () => {
    const startedAt = performance.now()
    const outcome = await runJob(job, results ? () => {} : printDot)
    if (results) printLine(job, outcome)
    record(outcome)
    results?.add(job.name, outcome, (performance.now() - startedAt) / 1000)
  },
}))
// The type checker reads the types of the programs.
if (words.length === 0 && !isLongRun) waiting.unshift({ needsPrograms: true, run: check })
// Many jobs wait for a disk, a process or a clock: with two workers more than cores, two cores were idle an eighth of
// the time.
const workers = availableParallelism() + 3
exitOnSignals(listFailed)
await Promise.all(Array.from({ length: workers }, takeNext))
const failedOnce = words.length > 0 || isLongRun ? [] : specsToRepeat(outcomes)
const passedAlone = await repeat(failedOnce)
summarize()

/** The specs of the chosen slices that have not passed on this tree, each alone, the longest first. */
function longJobs(stored: LongRunResults): readonly Job[] {
  const chosen = slice ? slices[slice.number - 1]! : slices.flat()
  const left = chosen.filter((file) => options.fresh || !stored.hasPassed(file))
  if (left.length < chosen.length)
    console.log(`${chosen.length - left.length} of ${chosen.length} specs have passed on this tree`)
  return left.toSorted((one, other) => longCost(other) - longCost(one)).map(jobOf)
}

/** Runs failed specs again, one after the other. Returns the ones that pass. */
async function repeat(files: readonly string[]): Promise<ReadonlySet<string>> {
  const passed = new Set<string>()
  for (const file of files) {
    console.log(`\n${file} failed beside other specs, and is repeated alone`)
    const outcome = await runJob(jobOf(file), printDot)
    appendFileSync(log, `${outcome.log}\n`)
    if (outcome.failures.length === 0) passed.add(file)
    else console.log(`\n\n${outcome.failures.join('\n\n')}\n`)
  }
  return passed
}

type Waiting = { readonly needsPrograms: boolean; readonly run: () => Promise<void> }

/** Runs jobs until none is left. While the public programs are being installed, those that need none come first. */
async function takeNext(): Promise<void> {
  while (waiting.length > 0) {
    const index = hasPrograms ? 0 : waiting.findIndex(({ needsPrograms }) => !needsPrograms)
    if (index < 0) await programs
    else await waiting.splice(index, 1)[0]!.run()
  }
}

async function runModule(file: string): Promise<void> {
  const [code] = await once(spawn(process.execPath, [file], { cwd: root, env, stdio: 'inherit' }), 'close')
  if (code !== 0) process.exit(1)
}

/** Runs beside the first specs. A problem ends the run at once. */
async function check(): Promise<void> {
  const checker = spawn(process.execPath, [join('tests', 'runner', 'check.ts')], {
    cwd: root,
    env,
    stdio: 'pipe',
  })
  let output = ''
  for (const stream of [checker.stdout, checker.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(checker, 'close')) as [number | null]
  if (code === 0) return
  console.error(`\n${output}`)
  process.exit(1)
}

function printDot(sign: string): void {
  process.stdout.write(++column % 120 === 0 ? `${sign}\n` : sign)
}

/** Reports the progress of a long run. */
function printLine({ name }: Job, { passed, failed, skipped, cpuSeconds }: Outcome): void {
  const sign = failed === 0 ? '✔' : '✖'
  const cost = `${cpuSeconds.toFixed(0)} CPU s`
  console.log(`${sign} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${cost}`)
}

/** Prints a failure at once, before the end of the run. */
function record(outcome: Outcome): void {
  outcomes.push(outcome)
  appendFileSync(log, `${outcome.log}\n`)
  if (outcome.failures.length === 0) return
  console.log(`\n\n${outcome.failures.join('\n\n')}\n`)
  column = 0
}

/** Lists the failed tests of the jobs that have ended. */
function listFailed(title = 'Failed', some: readonly Outcome[] = outcomes): void {
  const failed = some.flatMap(({ failures }) => failures).filter((text) => text.startsWith('✖'))
  if (failed.length > 0)
    console.log(`\n\n${title}:\n${failed.map((text) => text.split('\n', 2).join('\n')).join('\n')}`)
}

function summarize(): void {
  const final = outcomes.map((outcome) => afterRepeat(outcome, passedAlone))
  listFailed('Failed', final)
  const repeated = outcomes.filter((outcome, index) => outcome !== final[index])
  listFailed('Failed beside other specs, and passed when their specs were repeated alone', repeated)
  const sum = (name: 'passed' | 'failed' | 'skipped') =>
    final.reduce((total, outcome) => total + outcome[name], 0)
  if (words.length > 0) for (const note of outcomes.flatMap(({ notes }) => notes)) console.log(`\n${note}`)
  const costs = costLines()
  appendFileSync(log, `\nAll files (CPU seconds):\n${costs.join('\n')}\n`)
  console.log(`\n\nSlowest files (CPU seconds):\n${costs.slice(0, 10).join('\n')}`)
  const cpuSeconds = outcomes.reduce((total, outcome) => total + outcome.cpuSeconds, 0)
  if (results) console.log(`\n${longRunTable(slices, results.latest())}`)
  console.log(`\n${cpuSeconds.toFixed(0)} CPU seconds, seed ${seed} (repeat with SEED=${seed})`)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
}

/** The specs with their CPU seconds, the most expensive first. */
function costLines(): readonly string[] {
  return outcomes
    .flatMap(({ files }) => Object.entries(files))
    .sort(([, left], [, right]) => right - left)
    .map(([file, cpuSeconds]) => `${cpuSeconds.toFixed(1).padStart(7)}  ${file}`)
}
