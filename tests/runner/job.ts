import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, constants, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Counts, Message } from './child.ts'
import type { Job } from './plan.ts'

/** The result of a job. */
export type Outcome = Counts & {
  readonly log: string
  /** Each with its location and error. */
  readonly failures: readonly string[]
  /** The specs with failed tests. Undefined if the process ended before its tests. */
  readonly failedFiles: readonly string[] | undefined
  /** Lines that tests printed as diagnostics. */
  readonly notes: readonly string[]
  readonly cpuSeconds: number
  /** CPU seconds by spec. */
  readonly files: Readonly<Record<string, number>>
}

export const root = join(import.meta.dirname, '..', '..')
const child = join(import.meta.dirname, 'child.ts')

// Hundreds of processes load the same modules. A common compile cache halves the time of a small spec.
export const env = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.compile-cache'), ...process.env }

/**
 * Specs leave much garbage: with rare collections the specs of core and of HTTP need 8 % less CPU time. With 16 MB from
 * the start, threads collect nothing while they load their modules: query tables need 16 % less (29 and 27 instead of
 * 35 and 32 seconds).
 */
const nodeFlags = ['--min-semi-space-size=16', '--max-semi-space-size=64']

/** Several times the longest test on two cores. */
const SILENCE_MS = 240_000
const SIGNS = { passed: '✔', failed: '✖', skipped: '﹣' }
const DOTS = { passed: '.', failed: 'X', skipped: ',' }

const running = new Map<Job, Notes>()

/** Runs the specs of a job in a process; ends a process that reports nothing for too long. */
export async function runJob(
  job: Job,
  dot: (sign: string) => void,
  silenceMs = SILENCE_MS,
): Promise<Outcome> {
  const startedAt = performance.now()
  const worker = spawn(process.execPath, [...nodeFlags, child, ...job.files], {
    cwd: root,
    env: job.part === undefined ? env : { ...env, PART: job.part },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const notes = new Notes(dot)
  running.set(job, notes)
  for (const stream of [worker.stdout, worker.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => notes.output(text))
  let reportedAt = startedAt
  const alarm = setInterval(() => {
    if (performance.now() - reportedAt < silenceMs * slowdown()) return
    notes.silent()
    worker.kill('SIGKILL')
  }, silenceMs / 10)
  worker.on('message', (message: Message) => {
    reportedAt = performance.now()
    notes.take(message)
  })
  const [code, signal] = (await once(worker, 'close')) as [number | null, string | null]
  clearInterval(alarm)
  running.delete(job)
  return notes.outcome(job, code ?? signal, `${seconds(startedAt)} to ${seconds(performance.now())}`)
}

/** At SIGINT and SIGTERM prints the reports of the running jobs and exits; the processes of the jobs then exit too. */
export function exitOnSignals(print: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      print()
      const reports = [...running].flatMap(([job, notes]) => notes.soFar(job))
      console.log(['', `${signal}: these tests have not ended.`, ...reports].join('\n\n'))
      process.exit(128 + constants.signals[signal])
    })
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

/** How many times slower a busy machine is. */
const slowdown = (): number => Math.max(1, loadavg()[0]! / (2 * availableParallelism()))

type Started = { readonly test: string; readonly file: string }

/** The reports of a job so far. */
class Notes {
  readonly #dot: (sign: string) => void
  readonly #lines: string[] = []
  readonly #failures: string[] = []
  readonly #failedFiles = new Set<string>()
  #output = ''
  #last: Started | undefined
  readonly #notes: string[] = []
  #running: Started[] = []
  #silent = false
  readonly #ended = { passed: 0, failed: 0, skipped: 0 }
  #exit: Omit<Extract<Message, { kind: 'exit' }>, 'kind'> = { counts: undefined, cpuSeconds: 0, files: {} }

  constructor(dot: (sign: string) => void) {
    this.#dot = dot
  }

  output(text: string): void {
    this.#output += text
  }

  silent(): void {
    this.#silent = true
  }

  take(message: Message): void {
    if (message.kind === 'started') {
      this.#last = message
      this.#running.push(message)
    } else if (message.kind === 'exit') this.#exit = message
    else if (message.kind === 'note') {
      this.#notes.push(message.text)
      this.#lines.push(`    ℹ ${message.text}`)
    } else this.#end(message)
  }

  #end({ result, test, nesting, location, ms, error }: Extract<Message, { kind: 'ended' }>): void {
    this.#dot(DOTS[result])
    const started = this.#running.findIndex((running) => running.test === test)
    this.#running.splice(started, 1)
    this.#ended[result]++
    this.#lines.push(`${'  '.repeat(nesting + 1)}${SIGNS[result]} ${test} (${ms.toFixed(1)}ms) ${location}`)
    if (error === undefined) return
    this.#failedFiles.add(location.replace(/:\d+$/, ''))
    this.#failures.push(`✖ ${test}\n  ${location}\n${indented(error)}`)
    this.#lines.push(indented(error))
  }

  outcome({ name, files }: Job, exit: number | string | null, span: string): Outcome {
    const failures = [...this.#failures]
    const { counts = this.#ended, cpuSeconds, files: costOfFiles } = this.#exit
    let { passed, failed, skipped } = counts
    const ending = failed === 0 ? this.#earlyEnd(exit) : undefined
    if (ending !== undefined) {
      failed = 1
      failures.push(`✖ ${name}: ${ending}\n  ${files.join('\n  ')}`)
      this.#dot(DOTS.failed)
    }
    if (failed > 0) failures.push(...this.#printed(name))
    const duration = `from ${span}s, of CPU ${cpuSeconds.toFixed(1)}s`
    const head = `▶ ${name} (${duration}, ${passed} passed, ${failed} failed, ${skipped} skipped)`
    const costs = Object.entries(costOfFiles).map(([file, cpu]) => `  CPU ${cpu.toFixed(1)}s ${file}`)
    const log = [head, ...costs, ...this.#lines, ...(this.#output ? [this.#output.trimEnd()] : []), ''].join(
      '\n',
    )
    const failedFiles = ending === undefined ? [...this.#failedFiles] : undefined
    const notes = this.#notes
    return { passed, failed, skipped, log, failures, failedFiles, notes, cpuSeconds, files: costOfFiles }
  }

  /** The failed tests, and the ones that have not ended. */
  soFar({ name }: Job): readonly string[] {
    const pending = this.#running.map(({ test, file }) => `\n  ${test} (${file})`)
    const printed = this.#failures.length > 0 ? this.#printed(name) : []
    return [...this.#failures, ...printed, `▶ ${name}${pending.join('')}`]
  }

  #printed(name: string): readonly string[] {
    return this.#output ? [`  output of ${name}:\n${indented(this.#output.trimEnd())}`] : []
  }

  #earlyEnd(exit: number | string | null): string | undefined {
    const last = this.#last ? `; the last test that started: ${this.#last.test} (${this.#last.file})` : ''
    if (this.#silent && this.#running.length === 0)
      return `all tests ended, but an open handle keeps the process running${last}`
    if (this.#silent) return `no test ended for too long${last}`
    if (!this.#exit.counts || exit !== 0) return `ended early with ${exit}${last}`
    return undefined
  }
}

const indented = (text: string): string => text.replace(/^/gm, '    ')
