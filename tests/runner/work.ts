import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Told } from './child.ts'
import type { Job } from './plan.ts'

/** What a job came to, and what there is to read of it. */
export type Outcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly log: string
  /** Each with its place and why. */
  readonly failures: readonly string[]
}

export const root = join(import.meta.dirname, '..', '..')
const child = join(import.meta.dirname, 'child.ts')

// Hundreds of processes read the same files: what one has compiled, the others have. It halves a small spec.
export const env = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.compile-cache'), ...process.env }

/** Several times what the longest test takes on two cores. */
const SILENCE_MS = 240_000
const SIGNS = { passed: '✔', failed: '✖', skipped: '﹣' }
const DOTS = { passed: '.', failed: 'X', skipped: ',' }

/** Runs the specs of a job in a process of their own; whoever falls silent is ended. */
export async function work(job: Job, dot: (sign: string) => void, silenceMs = SILENCE_MS): Promise<Outcome> {
  const begun = performance.now()
  const worker = spawn(process.execPath, [child, ...job.files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const notes = new Notes(dot)
  for (const stream of [worker.stdout, worker.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => notes.output(text))
  let heard = begun
  const alarm = setInterval(() => {
    if (performance.now() - heard < silenceMs * crowd()) return
    notes.silent()
    worker.kill('SIGKILL')
  }, silenceMs / 10)
  worker.on('message', (told: Told) => {
    heard = performance.now()
    notes.take(told)
  })
  const [code, signal] = (await once(worker, 'close')) as [number | null, string | null]
  clearInterval(alarm)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  return notes.outcome(job, code ?? signal, seconds)
}

/** How many times longer everything takes where others want the same cores. */
const crowd = (): number => Math.max(1, loadavg()[0]! / (2 * availableParallelism()))

/** What is known of a job that runs. */
class Notes {
  readonly #dot: (sign: string) => void
  readonly #lines: string[] = []
  readonly #failures: string[] = []
  #output = ''
  #last: { readonly test: string; readonly file: string } | undefined
  #cpuSeconds = 0
  #running = 0
  #silent = false
  #done: Extract<Told, { kind: 'done' }> | undefined
  #passed = 0
  #skipped = 0

  constructor(dot: (sign: string) => void) {
    this.#dot = dot
  }

  output(text: string): void {
    this.#output += text
  }

  silent(): void {
    this.#silent = true
  }

  take(told: Told): void {
    if (told.kind === 'began') {
      this.#last = told
      this.#running++
    } else if (told.kind === 'done') this.#done = told
    else if (told.kind === 'note') this.#lines.push(`    ℹ ${told.text}`)
    else if (told.kind === 'cost') this.#cpuSeconds = told.cpuSeconds
    else this.#end(told)
  }

  #end({ how, test, nesting, place, ms, why }: Extract<Told, { kind: 'ended' }>): void {
    this.#dot(DOTS[how])
    this.#running--
    if (how === 'passed') this.#passed++
    if (how === 'skipped') this.#skipped++
    this.#lines.push(`${'  '.repeat(nesting + 1)}${SIGNS[how]} ${test} (${ms.toFixed(1)}ms) ${place}`)
    if (why === undefined) return
    this.#failures.push(`✖ ${test}\n  ${place}\n${indented(why)}`)
    this.#lines.push(indented(why))
  }

  outcome({ name, files }: Job, exit: number | string | null, seconds: string): Outcome {
    const failures = [...this.#failures]
    let { passed, failed, skipped } = this.#done ?? {
      passed: this.#passed,
      failed: failures.length,
      skipped: this.#skipped,
    }
    const ending = failed === 0 ? this.#badEnding(exit) : undefined
    if (ending !== undefined) {
      failed = 1
      failures.push(`✖ ${name}: ${ending}\n  ${files.join('\n  ')}`)
      this.#dot(DOTS.failed)
    }
    if (failed > 0 && this.#output)
      failures.push(`  what ${name} printed:\n${indented(this.#output.trimEnd())}`)
    const took = `${seconds}s, of CPU ${this.#cpuSeconds.toFixed(1)}s`
    const head = `▶ ${name} (${took}, ${passed} passed, ${failed} failed, ${skipped} skipped)`
    const log = [head, ...this.#lines, ...(this.#output ? [this.#output.trimEnd()] : []), ''].join('\n')
    return { passed, failed, skipped, log, failures }
  }

  #badEnding(exit: number | string | null): string | undefined {
    const last = this.#last ? `; the last test that began: ${this.#last.test} (${this.#last.file})` : ''
    if (this.#silent && this.#running === 0)
      return `nothing runs any more, but something keeps the process from ending${last}`
    if (this.#silent) return `nothing happened for too long${last}`
    if (!this.#done || exit !== 0) return `ended early with ${exit}${last}`
    return undefined
  }
}

const indented = (text: string): string => text.replace(/^/gm, '    ')
