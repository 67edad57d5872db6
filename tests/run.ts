import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm test`: types, lint and format first, then every spec of the house. `npm test -- orders` runs the specs whose
 * path has that word, without the checks.
 */
const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const rooms = ['contract', 'core', 'server', 'sdk', 'tests', 'bench', 'examples', 'docs']

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `the tests need Node 24 or newer, this is ${process.version}; npm test uses the one npm ci brought`,
  )
  process.exit(1)
}
if (words.length === 0) run([join('tests', 'check.ts')])

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
const log = join(root, 'node_modules', '.last-test.log')
const status = spawned([
  '--test',
  // Many wait for a disk, a process or a clock; two at a time leave a second core idle.
  '--test-concurrency=3',
  '--test-reporter=dot',
  '--test-reporter-destination=stdout',
  '--test-reporter=spec',
  `--test-reporter-destination=${log}`,
  ...specs,
])
const told = readFileSync(log, 'utf8')
const counted = (what: string): string => new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(told)?.[1] ?? '0'
console.log(`\n${counted('pass')} passed, ${counted('fail')} failed, ${counted('skipped')} skipped`)
process.exit(status)

function run(args: readonly string[]): void {
  const status = spawned(args)
  if (status !== 0) process.exit(status)
}

function spawned(args: readonly string[]): number {
  // Hundreds of processes read the same files: what one has compiled, the others have. It halves a small spec.
  const env = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.compile-cache'), ...process.env }
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}
