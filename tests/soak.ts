import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { type SteadyCounts, steadyLoad } from './soak/steady.ts'

const usage = `npm run soak: the long runs, in turn, until each has had its number or the time is up

  simulation   whole worlds on a bad disk                    --lives   10000
  postgres     whole worlds on a PostgreSQL that fails them  as many
  kill         kill -9 under load, real program              --kills   1000
  hostile      hostile requests and stream frames            --inputs  1000000

and last a steady load on one broker, --steady 60 minutes of it.

  --minutes 5   ends the turns sooner, and leaves the steady load out where it is not asked for
  --seed abc    repeats one
  --at-once 2   takes that many turns side by side, each with a seed, folder and process of its own

Progress goes to stderr, the counts as JSON to stdout. The first failure ends it: the output of that turn says what broke, and
the seed that breaks it again. So does a steady load that is not flat. Ctrl-C ends it with what it has counted so far.
Example: npm run soak -- --minutes 5 --kills 0`

const { values: given } = parseArgs({
  options: {
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    lives: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '1000' },
    inputs: { type: 'string', default: '1000000' },
    steady: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (given.help) {
  console.log(usage)
  process.exit(0)
}

type Counts = Record<string, number>
type Part = {
  readonly name: string
  readonly spec: string
  /** How much of it is wanted in all, and by which of its counts that is measured. */
  readonly goal: number
  readonly measure: string
  /** What one turn is given. */
  readonly env: Readonly<Record<string, string>>
  /** The counts in the lines that its tests tell. */
  readonly read: (lines: readonly string[]) => Counts
}

const parts: readonly Part[] = [
  {
    name: 'simulation',
    spec: 'tests/simulation/whole-world.spec.ts',
    goal: Number(given.lives),
    measure: 'lives',
    env: { RUNS: '100', STEPS: '100' },
    read: (lines) => ({ lives: 100, ...JSON.parse(lines.find((line) => line.startsWith('{'))!) }),
  },
  {
    name: 'postgres',
    spec: 'tests/simulation/world-on-postgres.spec.ts',
    goal: Number(given.lives),
    measure: 'lives',
    env: { RUNS: '100', STEPS: '100' },
    read: (lines) => ({ lives: 100, ...JSON.parse(lines.find((line) => line.startsWith('{'))!) }),
  },
  {
    name: 'kill',
    spec: 'tests/bad-days/kill.spec.ts',
    goal: Number(given.kills),
    measure: 'kills',
    env: { KILLS: '25' },
    read: (lines) => ({ kills: 25, ...named(lines.find((line) => line.includes('acknowledged'))!) }),
  },
  {
    name: 'hostile',
    spec: 'tests/hostile/storm.spec.ts',
    goal: Number(given.inputs),
    measure: 'inputs',
    env: { STORM: '50000' },
    read: (lines) => {
      const counts = named(lines.find((line) => line.includes(' stream frames, '))!)
      return { inputs: counts['requests']! + counts['stream frames']!, ...counts }
    },
  },
]

const root = join(import.meta.dirname, '..')
const endsAt = Date.now() + Number(given.minutes) * 60_000
const startedAt = new Date()
const sums: Record<string, Counts> = Object.fromEntries(parts.map(({ name }) => [name, { turns: 0 }]))
const isDone = ({ name, goal, measure }: Part): boolean => (sums[name]![measure] ?? 0) >= goal

const tell = (steady?: SteadyCounts): void => {
  const minutes = Math.round((Date.now() - startedAt.getTime()) / 6_000) / 10
  const started = startedAt.toISOString()
  console.log(JSON.stringify({ seed: given.seed, started, minutes, ...sums, steady }, null, 2))
}
process.once('SIGINT', () => {
  tell()
  process.exit(130)
})

let turn = 0
while (Date.now() < endsAt && !parts.every(isDone))
  for (const part of parts.filter((one) => !isDone(one))) {
    if (Date.now() >= endsAt) break
    const seeds = Array.from({ length: Number(given['at-once']) }, () => `${given.seed}-${++turn}`)
    await Promise.all(seeds.map((seed) => takeTurn(part, seed)))
  }
const steadyMinutes = Number(given.steady ?? (given.minutes === 'Infinity' ? 60 : 0))
const steady = steadyMinutes > 0 ? await steadyLoad(steadyMinutes, console.error) : undefined
tell(steady)
if (steady && !steady.isFlat) process.exitCode = 1

async function takeTurn(part: Part, seed: string): Promise<void> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', part.spec], {
    cwd: root,
    env: { ...process.env, ...part.env, SEED: seed },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (status !== 0) {
    const file = join(root, 'node_modules', '.last-soak.log')
    writeFileSync(file, output)
    console.error(`${part.name} failed with SEED=${seed}; all of its output is in ${file}`)
    for (const [line] of output.matchAll(/^ *(?:not ok|error:|SEED=).*/gm)) console.error(line)
    process.exit(1)
  }
  const lines = [...output.matchAll(/^ *# (.*)$/gm)].map(([, line]) => line!)
  const sum = sums[part.name]!
  sum['turns']! += 1
  for (const [name, count] of Object.entries(part.read(lines))) sum[name] = (sum[name] ?? 0) + count
  console.error(`${part.name} ${seed}: ${sum[part.measure]} of ${part.goal} ${part.measure}`)
}

/** `12 acknowledged, 3 refused` as counts. */
function named(line: string): Counts {
  return Object.fromEntries(
    [...line.matchAll(/(\d+) ([a-z ]+)/g)].map(([, count, name]) => [name!, Number(count)]),
  )
}
