import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Ready } from './contender-process.ts'

/** What the process of the clients is asked for: to open so many, or to wait until each has so many bars. */
export type ClientsAsked = {
  readonly open?: Pick<Ready, 'port' | 'headers'> & {
    readonly path: string
    readonly subscribe: Readonly<Record<string, readonly string[]>>
    readonly count: number
  }
  readonly bars?: number
}
export type ClientsTold = 'done'

/** Subscribed clients in a process of their own, so that reading costs the server nothing. */
export class StreamClients {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async open(asked: ClientsAsked['open'] & {}): Promise<StreamClients> {
    const child = fork(join(import.meta.dirname, 'stream-clients.child.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const clients = new StreamClients(child)
    await clients.#ask({ open: asked })
    return clients
  }

  /** Resolves when each of them has got so many more bars. */
  async heard(bars: number): Promise<void> {
    await this.#ask({ bars })
  }

  async leave(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }

  async #ask(asked: ClientsAsked): Promise<void> {
    const failed = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`the clients ended with ${code}`)
    })
    failed.catch(() => undefined)
    this.#child.send(asked)
    await Promise.race([once(this.#child, 'message'), failed])
  }
}
