import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Ready } from './contender-process.ts'

/** A message to the process of the clients: open `count` clients, or wait until each has `bars` bars. */
export type ClientsRequest = {
  readonly open?: Pick<Ready, 'port' | 'headers'> & {
    readonly path: string
    readonly subscribe: Readonly<Record<string, readonly string[]>>
    readonly count: number
  }
  readonly bars?: number
}
export type ClientsReply = 'done'

/** Subscribed clients in a separate process, so that their CPU time is not counted for the server. */
export class StreamClients {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async open(request: ClientsRequest['open'] & {}): Promise<StreamClients> {
    const child = fork(join(import.meta.dirname, 'stream-clients.child.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const clients = new StreamClients(child)
    await clients.#send({ open: request })
    return clients
  }

  /** Resolves when each client has received `bars` more bars. */
  async waitForBars(bars: number): Promise<void> {
    await this.#send({ bars })
  }

  async leave(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }

  async #send(request: ClientsRequest): Promise<void> {
    const failed = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`the clients ended with ${code}`)
    })
    failed.catch(() => undefined)
    this.#child.send(request)
    await Promise.race([once(this.#child, 'message'), failed])
  }
}
