import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, globSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { planOf } from './runner/plan.ts'
import { env, type Outcome, root, work } from './runner/work.ts'

/**
 * `npm test`: types, lint, format and every spec of the house. `npm test -- orders` runs the specs whose path has that
 * word, without the checks.
 */
const words = process.argv.slice(2)
const rooms = ['contract', 'core', 'server', 'sdk', 'tests', 'bench', 'examples', 'docs']

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `the tests need Node 24 or newer, this is ${process.version}; npm test uses the one npm ci brought`,
  )
  process.exit(1)
}
const specs = globSync(
  rooms.map((room) => `${room}/**/*.spec.ts`),
  { cwd: root, exclude: (path) => path.includes('node_modules') },
)
  .filter((path) => words.every((word) => path.includes(word)))
  .sort()
if (specs.length === 0) {
  console.error(`no spec has ${words.join(' and ')} in its path`)
  process.exit(1)
}

let column = 0
const outcomes: Outcome[] = []
const log = join(root, 'node_modules', '.last-test.log')
writeFileSync(log, '')
const waiting: (() => Promise<void>)[] = planOf(specs).map((job) => async () => {
  take(await work(job, dot))
})
if (words.length === 0) waiting.unshift(check)
// Many wait for a disk, a process or a clock. On two cores, with two hands more than cores they were idle for an eighth of the time.
const hands = availableParallelism() + 3
await Promise.all(Array.from({ length: hands }, takeNext))
summarize()

async function takeNext(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await next()
}

/** Beside the first specs; what it finds ends the run at once. */
async function check(): Promise<void> {
  const checker = spawn(process.execPath, [join('tests', 'check.ts')], { cwd: root, env, stdio: 'pipe' })
  let said = ''
  for (const stream of [checker.stdout, checker.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const [code] = (await once(checker, 'close')) as [number | null]
  if (code === 0) return
  console.error(`\n${said}`)
  process.exit(1)
}

function dot(sign: string): void {
  process.stdout.write(++column % 120 === 0 ? `${sign}\n` : sign)
}

/** What failed is told at once: nobody has to wait for the end. */
function take(outcome: Outcome): void {
  outcomes.push(outcome)
  appendFileSync(log, `${outcome.log}\n`)
  if (outcome.failures.length === 0) return
  console.log(`\n\n${outcome.failures.join('\n\n')}\n`)
  column = 0
}

function summarize(): void {
  const failed = outcomes.flatMap(({ failures }) => failures).filter((text) => text.startsWith('✖'))
  if (failed.length > 0)
    console.log(`\n\nFailed:\n${failed.map((text) => text.split('\n', 2).join('\n')).join('\n')}`)
  const sum = (what: 'passed' | 'failed' | 'skipped') =>
    outcomes.reduce((total, outcome) => total + outcome[what], 0)
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
  process.exitCode = sum('failed') === 0 ? 0 : 1
}
