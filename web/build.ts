import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Builds the dashboard and the documentation into `web/dist`. */
const web = import.meta.dirname
const root = join(web, '..')
export const distFolder = join(web, 'dist')
const manifestFile = join(distFolder, 'manifest.json.gz')
const OTHER_BUILD_MAX_MS = 120_000

const help = `Usage: npm run build:web -- [--if-needed] [--beside]

Build the dashboard and the documentation into web/dist, from where the server serves them.

  --if-needed   Build only if a source file is newer than the last build, or nothing was built yet;
                wait for a build that is under way
  --beside      As --if-needed, in a process of its own, without waiting for its end`

if (import.meta.main) {
  const flag = process.argv[2]
  const isBeside = flag === '--beside'
  if (flag === '--help') console.log(help)
  else if (flag !== '--if-needed' && !isBeside) await build()
  else if (!existsSync(join(root, 'node_modules', 'vite')))
    console.error('The dashboard is not built, because its tools are not installed: `npm ci` installs them.')
  else if (!isBeside) await buildIfNeeded()
  else if (isOutOfDate()) buildBeside()
}

/** Processes that start at the same time share one build: the folder of its process exists while it runs. */
async function buildIfNeeded(): Promise<void> {
  const waitingMs = performance.now()
  while (isOtherBuilding() && performance.now() - waitingMs < OTHER_BUILD_MAX_MS) await setTimeout(100)
  const own = `${distFolder}-${process.pid}`
  mkdirSync(own, { recursive: true })
  try {
    if (isOutOfDate()) await build()
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

function isOtherBuilding(): boolean {
  return globSync('dist-*', { cwd: web }).some((name) => isRunning(Number(name.slice('dist-'.length))))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Without the old build, the server knows that a new one is under way by the folder of the process, and says so. */
function buildBeside(): void {
  rmSync(distFolder, { recursive: true, force: true })
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (child.pid === undefined) return
  mkdirSync(`${distFolder}-${child.pid}`, { recursive: true })
  child.unref()
}

async function build(): Promise<void> {
  const started = performance.now()
  console.error('Building the dashboard (a few seconds, after changes only) …')
  const { buildWeb } = await import('./build/build-web.ts')
  await buildWeb(distFolder)
  console.error(`The dashboard is built (${((performance.now() - started) / 1000).toFixed(1)} s).`)
}

/** Whether a source is newer than the last build. */
function isOutOfDate(): boolean {
  const builtMs = statSync(manifestFile, { throwIfNoEntry: false })?.mtimeMs
  if (builtMs === undefined) return true
  const sources = [
    'web/{src,docs,build,public}/**',
    'web/*.*',
    '{sdk,contract}/{src,build}/**',
    'docs/**',
    '*.md',
    'llms.txt',
    'package-lock.json',
  ]
  return globSync(sources, { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs > builtMs)
}
