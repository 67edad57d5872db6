import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ThreadWait } from './rows/thread-wait.ts'

export type Headers = Readonly<Record<string, string>>

/** The first message of a contender process, sent once it listens. */
export type Ready = {
  readonly port: number
  readonly headers: Headers
  readonly operator?: Headers
  readonly app?: { readonly clientId: string; readonly secret: string; readonly redirectUri: string }
}

/**
 * CPU time of the process and of its main thread since the start, memory in use after a garbage collection, and peak
 * resident memory.
 */
export type Cost = {
  readonly cpuMicros: number
  readonly threadMicros: number
  readonly heapBytes: number
  readonly residentBytes: number
  readonly peakBytes: number
}

/** A server in a separate process, so that its CPU time can be measured separately. */
export class ContenderProcess {
  readonly #child: ChildProcess
  readonly ready: Ready

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child
    this.ready = ready
  }

  static async start(file: string, args: readonly string[] = []): Promise<ContenderProcess> {
    const child = fork(join(import.meta.dirname, file), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [ready] = (await once(child, 'message')) as [Ready]
    return new ContenderProcess(child, ready)
  }

  async cost(): Promise<Cost> {
    this.#child.send('cost')
    const [cost] = (await once(this.#child, 'message')) as [Cost]
    return cost
  }

  /** CPU time of the process, without a garbage collection. */
  async cpuMicros(): Promise<number> {
    this.#child.send('cpu')
    const [micros] = (await once(this.#child, 'message')) as [number]
    return micros
  }

  /** Waiting times of the requests of a key since the last call; see ThreadWait. */
  async waits(keyId: string): Promise<readonly number[]> {
    this.#child.send({ keyId })
    const [waits] = (await once(this.#child, 'message')) as [readonly number[]]
    return waits
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.send('stop')
    await ended
  }

  /** Ends the process like a power cut: without a snapshot. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** Runs in the child: reports that it listens, then answers messages until `stop`. */
export function serveParent(ready: Ready, stop: () => Promise<void>): void {
  const watches = new Map<string, ThreadWait>()
  process.on('message', async (message: 'cost' | 'cpu' | 'stop' | { readonly keyId: string }) => {
    if (message === 'cost') process.send!(costNow())
    if (message === 'cpu') process.send!(cpuNow())
    if (typeof message === 'object') {
      const watch = watches.get(message.keyId) ?? new ThreadWait(message.keyId)
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

function cpuNow(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function costNow(): Cost {
  const [cpuMicros, thread] = [cpuNow(), process.threadCpuUsage()]
  collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    cpuMicros,
    threadMicros: thread.user + thread.system,
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
