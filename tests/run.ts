import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, globSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { bundleServer } from '../server/build.ts'
import { seed } from './random.ts'
import { env, exitOnSignals, type Outcome, root, runJob } from './runner/job.ts'
import { isLong, isQuick, longCounts, planOf } from './runner/plan.ts'
import { newProgramFolder } from './runner/program-folder.ts'

/**
 * `npm test` runs types, lint, format and every spec. `npm test -- orders` runs the specs with that word in their path,
 * without the checks. `npm run test:quick` runs a selection, `npm run test:long` random tests with higher counts.
 */
const options = process.argv.slice(2)
const isQuickRun = options.includes('--quick')
const isLongRun = options.includes('--long')
const words = options.filter((option) => !option.startsWith('--'))
const packages = ['contract', 'core', 'server', 'sdk', 'testing', 'tests', 'bench', 'examples', 'docs']

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
  .filter((path) => words.every((word) => path.includes(word)))
  .filter((path) => !isQuickRun || isQuick(path))
  .filter((path) => !isLongRun || isLong(path))
  .sort()
if (specs.length === 0) {
  console.error(`no spec has ${words.join(' and ')} in its path`)
  process.exit(1)
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

if (words.length === 0) await warmUp()
let column = 0
const outcomes: Outcome[] = []
const log = join(root, 'node_modules', '.last-test.log')
writeFileSync(log, '')
const waiting: Waiting[] = planOf(specs).map((job) => ({
  needsPrograms: !job.files.every((file) => /^(contract|core|sdk|server)\//.test(file)),
  run: async () => record(await runJob(job, printDot)),
}))
// The type checker reads the types of the programs.
if (words.length === 0 && !isLongRun) waiting.unshift({ needsPrograms: true, run: check })
// Many jobs wait for a disk, a process or a clock: with two workers more than cores, two cores were idle an eighth of
// the time.
const workers = availableParallelism() + 3
exitOnSignals(listFailed)
await Promise.all(Array.from({ length: workers }, takeNext))
summarize()

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

/** Fills the compile cache of a new checkout: otherwise the first processes all compile the same modules. */
async function warmUp(): Promise<void> {
  await runModule(join('tests', 'runner', 'warm-up.child.ts'))
}

/** Runs beside the first specs. A problem ends the run at once. */
async function check(): Promise<void> {
  const checker = spawn(process.execPath, [join('tests', 'check.ts')], { cwd: root, env, stdio: 'pipe' })
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

/** Prints a failure at once, before the end of the run. */
function record(outcome: Outcome): void {
  outcomes.push(outcome)
  appendFileSync(log, `${outcome.log}\n`)
  if (outcome.failures.length === 0) return
  console.log(`\n\n${outcome.failures.join('\n\n')}\n`)
  column = 0
}

/** Lists the failed tests of the jobs that have ended. */
function listFailed(): void {
  const failed = outcomes.flatMap(({ failures }) => failures).filter((text) => text.startsWith('✖'))
  if (failed.length > 0)
    console.log(`\n\nFailed:\n${failed.map((text) => text.split('\n', 2).join('\n')).join('\n')}`)
}

function summarize(): void {
  listFailed()
  const sum = (name: 'passed' | 'failed' | 'skipped') =>
    outcomes.reduce((total, outcome) => total + outcome[name], 0)
  if (words.length > 0) for (const note of outcomes.flatMap(({ notes }) => notes)) console.log(`\n${note}`)
  console.log(`\n\nSlowest files (CPU seconds):\n${slowest().join('\n')}`)
  const cpuSeconds = outcomes.reduce((total, outcome) => total + outcome.cpuSeconds, 0)
  console.log(`\n${cpuSeconds.toFixed(0)} CPU seconds, seed ${seed} (repeat with SEED=${seed})`)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
}

function slowest(): readonly string[] {
  return outcomes
    .flatMap(({ files }) => Object.entries(files))
    .sort(([, left], [, right]) => right - left)
    .slice(0, 10)
    .map(([file, cpuSeconds]) => `${cpuSeconds.toFixed(1).padStart(7)}  ${file}`)
}
