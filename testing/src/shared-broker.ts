import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import type { OperatorKey } from './types.ts'

/**
 * One broker for all test files of a run. Test runners start a process or a thread for each file, and a broker in each of
 * them would cost 0.4 s of CPU per file. The first file that needs the broker starts its process, the others wait for it.
 * It ends with the process of the test runner.
 *
 * They meet in a folder that only this user can read. Its name has the number of the process of the runner.
 */
const POLL_MS = 20
const START_MS = 60_000
const TRIES = 3
/** The file with the key of the operator: the broker writes it when it is ready. */
export const KEY_FILE = 'broker.json'
const STARTER_FILE = 'starter'

type Environment = Readonly<Record<string, string | undefined>>
type Place = { readonly env: Environment; readonly hasParent: boolean; readonly isThread: boolean }

/**
 * The process of the test runner: the parent of a process that runs test files, or this process if they run in its
 * threads. Undefined if this process was not started by a test runner.
 */
export function runnerPid(place: Place = hereAndNow(), pids: { pid: number; ppid: number } = process) {
  const { env, hasParent, isThread } = place
  if (env['NODE_TEST_CONTEXT']?.startsWith('child')) return pids.ppid
  if (env['VITEST'] === undefined && env['JEST_WORKER_ID'] === undefined) return undefined
  return isThread || !hasParent ? pids.pid : pids.ppid
}

const hereAndNow = (): Place => ({
  env: process.env,
  // Vitest and Jest send messages to the processes that they start.
  hasParent: process.send !== undefined,
  isThread: !isMainThread,
})

/** The key of the shared broker. Undefined if it cannot be shared: then each process starts its own. */
export async function sharedBroker(runner: number): Promise<OperatorKey | undefined> {
  const folder = folderOf(runner)
  const until = Date.now() + START_MS
  for (let tries = 0; tries < TRIES; tries++) {
    const claimed = claim(folder)
    if (claimed === 'refused' || !isOwn(folder)) return undefined
    if (claimed === 'made') startProcess(folder, runner)
    const found = await keyIn(folder, until)
    if (found !== 'nobody starts it') return found
    // An earlier runner with the same number left the folder, or the process was killed.
    rmSync(folder, { recursive: true, force: true })
  }
  return undefined
}

/** Where they meet. Different versions in one run have different brokers. */
export function folderOf(runner: number): string {
  const version = createHash('sha256')
    .update(import.meta.url)
    .digest('hex')
    .slice(0, 8)
  return join(tmpdir(), `quipu-testing-${userInfo().username.replace(/\W/g, '-')}-${runner}-${version}`)
}

function claim(folder: string): 'made' | 'exists' | 'refused' {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return 'made'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'exists' : 'refused'
  }
}

/** Whether nobody else can write to the folder. Somebody else may have made it. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || process.getuid === undefined) return true
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0
}

function startProcess(folder: string, runner: number): void {
  const extension = extname(fileURLToPath(import.meta.url)) === '.ts' ? '.ts' : '.js'
  const file = fileURLToPath(new URL(`./broker-process${extension}`, import.meta.url))
  // Flags and variables of the test runner are not for the broker.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_|VITEST|JEST_|QUIPU_)/.test(name)),
  )
  const args = ['--disable-warning=ExperimentalWarning', file, folder, String(runner)]
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', windowsHide: true, env })
  child.on('error', () => rmSync(folder, { recursive: true, force: true }))
  child.unref()
  if (child.pid !== undefined) writeFileSync(join(folder, STARTER_FILE), String(child.pid))
}

async function keyIn(folder: string, until: number): Promise<OperatorKey | undefined | 'nobody starts it'> {
  for (let polls = 0; Date.now() < until; polls++) {
    const pid = Number(textOf(join(folder, STARTER_FILE)))
    const key = textOf(join(folder, KEY_FILE))
    if (pid > 0 && !isAlive(pid)) return 'nobody starts it'
    if (pid > 0 && key !== '') return JSON.parse(key)
    // The starter writes its file at once.
    if (pid === 0 && polls > 250) return 'nobody starts it'
    await sleep(POLL_MS)
  }
  return undefined
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
