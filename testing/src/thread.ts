import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FromThread, StartedBroker, ToThread } from './messages.ts'

/**
 * The thread in which the brokers of this process run. In a thread of its own, a broker is independent of the fake timers, the
 * replaced globals and the module registry of the test runner.
 */
class BrokerThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<StartedBroker | undefined>>()
  #last = 0
  /** Resolves when the modules of the server are loaded. */
  readonly loaded: Promise<void>

  constructor() {
    const extension = extname(fileURLToPath(import.meta.url)) === '.ts' ? '.ts' : '.js'
    this.#worker = new Worker(new URL(`./broker-thread${extension}`, import.meta.url), {
      // Flags of the test runner are not for the broker.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const loaded = Promise.withResolvers<StartedBroker | undefined>()
    this.#waiting.set(0, loaded)
    this.loaded = loaded.promise.then(() => undefined)
    this.loaded.catch(() => {})
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread of the broker has ended')))
  }

  start(): Promise<StartedBroker> {
    return this.#ask({ kind: 'start' }) as Promise<StartedBroker>
  }

  async close(broker: number): Promise<void> {
    await this.#ask({ kind: 'close', broker })
  }

  async #ask(message: ToThread): Promise<StartedBroker | undefined> {
    const response = Promise.withResolvers<StartedBroker | undefined>()
    const id = ++this.#last
    this.#waiting.set(id, response)
    this.#worker.ref()
    this.#worker.postMessage({ ...message, id })
    return response.promise
  }

  #receive({ id, started, error }: FromThread): void {
    const response = this.#waiting.get(id)
    this.#waiting.delete(id)
    // A broker that nobody waits for must not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref()
    if (error === undefined) response?.resolve(started)
    else response?.reject(new Error(error))
  }

  #fail(error: unknown): void {
    for (const response of this.#waiting.values()) response.reject(error)
    this.#waiting.clear()
    if (thread === this) thread = undefined
  }
}

let thread: BrokerThread | undefined

/** The thread of this process. It starts at the first call and again after a failure. */
export const brokerThread = (): BrokerThread => (thread ??= new BrokerThread())
