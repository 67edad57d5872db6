import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a contender's process says when it listens, and what it answers when asked for its cost. */
export type Ready = { readonly port: number; readonly headers: Readonly<Record<string, string>> }
export type Cost = { readonly cpuMicros: number }

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

  async cpuMicros(): Promise<number> {
    this.#child.send('cost')
    const [{ cpuMicros }] = (await once(this.#child, 'message')) as [Cost]
    return cpuMicros
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
      const { user, system } = process.cpuUsage()
      process.send!({ cpuMicros: user + system } satisfies Cost)
    }
    if (message === 'stop') {
      await stop()
      process.exit(0)
    }
  })
  process.send!(ready)
}
