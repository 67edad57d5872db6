import hooks from 'node:async_hooks'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import threads from 'node:worker_threads'
import fc from 'fast-check'
import { Random, seed } from '../support/random.ts'

/** A message of the process of a job to the runner. */
export type Message =
  | { readonly kind: 'started'; readonly test: string; readonly file: string }
  | {
      readonly kind: 'ended'
      readonly result: 'passed' | 'failed' | 'skipped'
      readonly test: string
      readonly nesting: number
      readonly location: string
      readonly ms: number
      readonly error?: string
    }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'exit'
      /** Undefined if the process ends before all tests have ended. */
      readonly counts: Counts | undefined
      readonly cpuSeconds: number
      readonly files: Readonly<Record<string, number>>
    }

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** The unit of times in /proc, on every kernel. */
const TICKS_PER_SECOND = 100

const root = join(import.meta.dirname, '..', '..')
// A program under test that finds `process.send` would report to the runner as a child.
const send = process.send!.bind(process)
delete process.send
const report = (message: Message) => send(message)
const short = (path = '') => path.replace(root, '').replace(/^[\\/]/, '')

// The runner has exited.
process.on('disconnect', () => process.exit(1))
process.channel?.unref()

/** CPU seconds by spec: the time between the first test of a spec and the first test of the next one. */
const cpuOfFiles = new Map<string, number>()
let counted = 0

// Properties use the seed of the run, so a run without SEED is repeatable.
fc.configureGlobal({ seed: new Random(seed, 'fast-check').integer(0, 2 ** 31 - 1) })

const program = process.env['TEST_PROGRAM']
if (program !== undefined) useBundledThreads(dirname(program))

// node:test follows every promise, to find the test of an error that nobody catches. That cost a seventh of the CPU time
// of a simulation. Without promises it still follows timers and sockets, and an error fails the job in any case.
const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => console.error(error))
// An import would load node:test before the line above.
const { run } = process.getBuiltinModule('node:test')

const files = process.argv.slice(2).map((file) => resolve(root, file))
const stream = run({ files, isolation: 'none' })

// All specs are imported before the first test begins.
let current = files.length > 1 ? `import of ${short(files[0])} and others` : short(files[0])
stream.on('test:dequeue', ({ name, nesting, file }) => {
  if (nesting === 0) countUntil(short(file))
  report({ kind: 'started', test: name, file: short(file) })
})
stream.on('test:pass', (event) => reportEnd(event, event.skip === undefined ? 'passed' : 'skipped'))
stream.on('test:fail', (event) => {
  const { error } = event.details
  reportEnd(event, 'failed', inspect(error.cause ?? error, { depth: 8 }))
})
stream.on('test:diagnostic', ({ message, file }) => {
  // The totals at the end belong to no file.
  if (file !== undefined) report({ kind: 'note', text: message })
})
let counts: Counts | undefined
stream.on('test:summary', ({ counts: { tests, passed, skipped, todo } }) => {
  counts = { passed, failed: tests - passed - skipped - todo, skipped }
})
stream.resume()

process.on('exit', () => {
  countUntil('')
  report({ kind: 'exit', counts, cpuSeconds: cpuSeconds(), files: Object.fromEntries(cpuOfFiles) })
})

/**
 * The stores that specs open start their threads from the bundle of the program: a thread then costs 0.1 instead of
 * 0.3 CPU seconds, because it loads a few files instead of 220 modules.
 */
function useBundledThreads(folder: string): void {
  const bundled = (file: string | URL): string | URL => {
    const [, name] =
      /\/(?:broker|server)\/src\/.*?((?:(?:sqlite|postgres)\/)?[\w-]+-thread)\.ts$/.exec(String(file)) ?? []
    return name === undefined ? file : pathToFileURL(join(folder, `${name}.js`))
  }
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: threads.WorkerOptions) {
      super(bundled(file), options)
    }
  }
  syncBuiltinESMExports()
}

/** Counts for the current spec. Only when another one begins: to read the time for each test cost 3 CPU seconds. */
function countUntil(next: string): void {
  if (next === current) return
  const now = cpuSeconds()
  // A browser that is closed leaves processes for which nobody waits: their time is no longer in the sum.
  cpuOfFiles.set(current, (cpuOfFiles.get(current) ?? 0) + Math.max(0, now - counted))
  counted = now
  current = next
}

/** CPU time of this process and, on Linux, of the processes that it started. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  const ownSeconds = (user + system) / 1e6
  if (!existsSync('/proc/self/stat')) return ownSeconds
  const { endedTicks } = readStat(process.pid)!
  const running = process.getActiveResourcesInfo().includes('ProcessWrap') ? ticksOfDescendants() : 0
  return ownSeconds + (endedTicks + running) / TICKS_PER_SECOND
}

/** CPU time of the descendants that have not ended, and of their children that have ended. */
function ticksOfDescendants(): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const children = Map.groupBy(stats, ({ parent }) => parent)
  const ticksBelow = (parent: number): number =>
    (children.get(parent) ?? []).reduce(
      (sum, { pid, ticks, endedTicks }) => sum + ticks + endedTicks + ticksBelow(pid),
      0,
    )
  return ticksBelow(process.pid)
}

type Stat = {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
  /** Of its children that have ended. */
  readonly endedTicks: number
}

/** The times of a process, if it has not ended. */
function readStat(pid: number): Stat | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number)
    return {
      pid,
      parent: Number(fields[1]),
      ticks: user! + system!,
      endedTicks: childrenUser! + childrenSystem!,
    }
  } catch {
    return undefined
  }
}

type EndEvent = {
  readonly name: string
  readonly nesting: number
  readonly file?: string
  readonly line?: number
  readonly details: { readonly duration_ms: number }
}

function reportEnd(event: EndEvent, result: 'passed' | 'failed' | 'skipped', error?: string): void {
  const { name, nesting, file, line, details } = event
  const location = `${short(file)}:${line ?? 0}`
  report({
    kind: 'ended',
    result,
    test: name,
    nesting,
    location,
    ms: details.duration_ms,
    ...(error === undefined ? {} : { error }),
  })
}
