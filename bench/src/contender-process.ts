import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { threadMicros } from '../../broker/src/threads/thread-clock.ts'
import { ThreadWait, TurnLengths, type TurnsReport } from './turn-lengths.ts'

export type Headers = Readonly<Record<string, string>>

/** The first message of a contender process, sent once it listens. */
export type Ready = {
  readonly port: number
  readonly headers: Headers
  readonly operator?: Headers
}

/** CPU time of the process and of its main thread since the start. */
export type Spent = {
  readonly cpuMicros: number
  readonly threadMicros: number
}

/** The same, memory in use after a garbage collection, and peak resident memory. */
export type Cost = Spent & {
  readonly heapBytes: number
  readonly residentBytes: number
  readonly peakBytes: number
}

/** The flags of `npm start` and of the image. */
const NODE_FLAGS = ['--max-semi-space-size=16']

/** A server in a separate process, so that its CPU time can be measured separately. */
export class ContenderProcess {
  readonly #child: ChildProcess
  readonly ready: Ready

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child
    this.ready = ready
  }

  static async start(
    file: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ContenderProcess> {
    const child = fork(join(import.meta.dirname, file), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
      execArgv: [...process.execArgv, ...NODE_FLAGS],
    })
    const [ready] = (await once(child, 'message')) as [Ready]
    return new ContenderProcess(child, ready)
  }

  /** Collects garbage. V8 then discards optimized code, so the next calls are slower: only for rows about memory. */
  cost(): Promise<Cost> {
    return this.#ask('cost')
  }

  spent(): Promise<Spent> {
    return this.#ask('spent')
  }

  /** CPU time of a worker thread, on Linux. */
  threadMicros(thread: string): Promise<number> {
    return this.#ask({ thread })
  }

  /** How long requests with this key waited since the last call; see ThreadWait. */
  waits(keyId: string): Promise<readonly number[]> {
    return this.#ask({ keyId })
  }

  /** Starts to measure the turns of the main thread. */
  async startTurns(): Promise<void> {
    await this.#ask('startTurns')
  }

  /** The lengths of the turns since `startTurns`. */
  turns(): Promise<TurnsReport> {
    return this.#ask('turns')
  }

  async #ask<Response>(message: ParentMessage): Promise<Response> {
    this.#child.send(message)
    const [response] = (await once(this.#child, 'message')) as [Response]
    return response
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.send('stop')
    await ended
  }

  /** Ends the process like a power cut: without a snapshot. */
  async kill(): Promise<void> {
    if (this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

type ParentMessage =
  | 'cost'
  | 'spent'
  | 'startTurns'
  | 'turns'
  | 'stop'
  | { readonly keyId: string }
  | { readonly thread: string }

/** Runs in the child: reports that it listens, then answers messages until `stop`. */
export function serveParent(ready: Ready, stop: () => Promise<void>): void {
  const watches = new Map<string, ThreadWait>()
  const turns = new TurnLengths()
  process.on('message', async (message: ParentMessage) => {
    if (message === 'cost') process.send!(costNow())
    if (message === 'spent') process.send!(spentNow())
    if (message === 'startTurns') {
      turns.start()
      process.send!('started')
    }
    if (message === 'turns') process.send!(await turns.report())
    if (typeof message === 'object' && 'thread' in message) process.send!(microsOf(message.thread))
    else if (typeof message === 'object') {
      const watch = watches.get(message.keyId) ?? new ThreadWait(message.keyId, turns)
      watches.set(message.keyId, watch)
      process.send!(watch.take())
    }
    if (message === 'stop') {
      await stop()
      process.exit(0)
    }
  })
  process.send!(ready)
}

/** The unit of times in /proc, on every kernel. */
const MICROS_PER_TICK = 10_000

/** CPU time of the threads with this name. The kernel keeps the first 15 characters of a name. */
function microsOf(thread: string): number {
  const tasks = '/proc/self/task'
  return readdirSync(tasks)
    .filter((task) => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim() === thread.slice(0, 15))
    .map((task) => readFileSync(`${tasks}/${task}/stat`, 'utf8').split(') ')[1]!.split(' '))
    .reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK, 0)
}

function cpuNow(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU time that `costNow` spent on garbage collection. No cost contains it. */
const collections = { cpuMicros: 0, threadMicros: 0 }

function spentNow(): Spent {
  return {
    cpuMicros: cpuNow() - collections.cpuMicros,
    threadMicros: threadMicros() - collections.threadMicros,
  }
}

function costNow(): Cost {
  const spent = spentNow()
  collect()
  const { cpuMicros, threadMicros: micros } = spentNow()
  collections.cpuMicros += cpuMicros - spent.cpuMicros
  collections.threadMicros += micros - spent.threadMicros
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    ...spent,
    heapBytes: heapUsed + external,
    residentBytes: rss,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }
}

setFlagsFromString('--expose-gc')
const runFullCollection = runInNewContext('gc') as () => void

/** Runs a full garbage collection, so that only reachable memory is counted. */
export function collect(): void {
  runFullCollection()
}
