import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a contender's process says when it listens, and what it answers when asked for its cost. */
export type Ready = { readonly port: number; readonly headers: Readonly<Record<string, string>> }
/** CPU time since it began: of the whole process, and of the thread that answers. */
export type Cost = { readonly cpuMicros: number; readonly threadMicros: number }

/** A server in a process of its own, so that its CPU time is its own. */
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

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.send('stop')
    await ended
  }
}

/** The child's side: tells that it listens, then answers until it is told to stop. */
export function serveParent(ready: Ready, stop: () => Promise<void>): void {
  process.on('message', async (message) => {
    if (message === 'cost') {
      const [whole, thread] = [process.cpuUsage(), process.threadCpuUsage()]
      const cpuMicros = whole.user + whole.system
      process.send!({ cpuMicros, threadMicros: thread.user + thread.system } satisfies Cost)
    }
    if (message === 'stop') {
      await stop()
      process.exit(0)
    }
  })
  process.send!(ready)
}
