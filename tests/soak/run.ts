import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { type SteadyCounts, steadyLoad } from './steady.ts'

const usage = `npm run soak: run the long tests in turn until each reaches its count or the time is over

  simulation   worlds on a disk with faults         --runs    10000
  postgres     worlds on a PostgreSQL with faults   --runs    10000
  kill         kill -9 under load, real program     --kills   1000
  hostile      hostile requests and stream frames   --inputs  1000000

The last test is a steady load on one broker for --steady 60 minutes.

  --minutes 5   end earlier; without --steady this also skips the steady load
  --seed abc    repeat the run with this seed
  --at-once 2   run this many turns in parallel, each with its own seed, folder and process

Progress goes to stderr, the counts as JSON to stdout. The first failure ends the run and prints the cause and the seed
that repeats it. A steady load with growing memory or latency is a failure. Ctrl-C prints the counts so far and ends the run.
Example: npm run soak -- --minutes 5 --kills 0`

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    runs: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '1000' },
    inputs: { type: 'string', default: '1000000' },
    steady: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(usage)
  process.exit(0)
}

type Counts = Record<string, number>
type Part = {
  readonly name: string
  readonly spec: string
  /** The count to reach, and the name of that count. */
  readonly goal: number
  readonly measure: string
  /** The environment of one turn. */
  readonly env: Readonly<Record<string, string>>
  /** Reads the counts from the diagnostics of its tests. */
  readonly read: (lines: readonly string[]) => Counts
}

const parts: readonly Part[] = [
  {
    name: 'simulation',
    spec: 'tests/simulation/whole-world.spec.ts',
    goal: Number(options.runs),
    measure: 'runs',
    env: { RUNS: '100', STEPS: '100' },
    read: (lines) => ({ runs: 100, ...JSON.parse(lines.find((line) => line.startsWith('{'))!) }),
  },
  {
    name: 'postgres',
    spec: 'tests/simulation/world-on-postgres.spec.ts',
    goal: Number(options.runs),
    measure: 'runs',
    env: { RUNS: '100', STEPS: '100' },
    read: (lines) => ({ runs: 100, ...JSON.parse(lines.find((line) => line.startsWith('{'))!) }),
  },
  {
    name: 'kill',
    spec: 'tests/bad-days/kill.spec.ts',
    goal: Number(options.kills),
    measure: 'kills',
    env: { KILLS: '25' },
    read: (lines) => ({ kills: 25, ...countsOf(lines.find((line) => line.includes('acknowledged'))!) }),
  },
  {
    name: 'hostile',
    spec: 'tests/hostile/fuzz.spec.ts',
    goal: Number(options.inputs),
    measure: 'inputs',
    env: { FUZZ_INPUTS: '50000' },
    read: (lines) => {
      const counts = countsOf(lines.find((line) => line.includes(' stream frames, '))!)
      return { inputs: counts['requests']! + counts['stream frames']!, ...counts }
    },
  },
]

const root = join(import.meta.dirname, '..', '..')
const endsAt = Date.now() + Number(options.minutes) * 60_000
const startedAt = new Date()
const totals: Record<string, Counts> = Object.fromEntries(parts.map(({ name }) => [name, { turns: 0 }]))
const isDone = ({ name, goal, measure }: Part): boolean => (totals[name]![measure] ?? 0) >= goal

const report = (steady?: SteadyCounts): void => {
  const minutes = Math.round((Date.now() - startedAt.getTime()) / 6_000) / 10
  const started = startedAt.toISOString()
  console.log(JSON.stringify({ seed: options.seed, started, minutes, ...totals, steady }, null, 2))
}
process.once('SIGINT', () => {
  report()
  process.exit(130)
})

let turn = 0
while (Date.now() < endsAt && !parts.every(isDone))
  for (const part of parts.filter((one) => !isDone(one))) {
    if (Date.now() >= endsAt) break
    const seeds = Array.from({ length: Number(options['at-once']) }, () => `${options.seed}-${++turn}`)
    await Promise.all(seeds.map((seed) => takeTurn(part, seed)))
  }
const steadyMinutes = Number(options.steady ?? (options.minutes === 'Infinity' ? 60 : 0))
const steady = steadyMinutes > 0 ? await steadyLoad(steadyMinutes, console.error) : undefined
report(steady)
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
    console.error(`${part.name} failed with SEED=${seed}; its output is in ${file}`)
    for (const [line] of output.matchAll(/^ *(?:not ok|error:|SEED=).*/gm)) console.error(line)
    process.exit(1)
  }
  const lines = [...output.matchAll(/^ *# (.*)$/gm)].map(([, line]) => line!)
  const total = totals[part.name]!
  total['turns']! += 1
  for (const [name, count] of Object.entries(part.read(lines))) total[name] = (total[name] ?? 0) + count
  console.error(`${part.name} ${seed}: ${total[part.measure]} of ${part.goal} ${part.measure}`)
}

/** Parses `12 acknowledged, 3 refused` as counts. */
function countsOf(line: string): Counts {
  return Object.fromEntries(
    [...line.matchAll(/(\d+) ([a-z ]+)/g)].map(([, count, name]) => [name!, Number(count)]),
  )
}
