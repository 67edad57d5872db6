import { extname } from 'node:path'
import { MessageChannel, type MessagePort, parentPort, Worker } from 'node:worker_threads'
import { type OpenThread, resourceLimits, type ThreadCalls, type ThreadLink } from './thread.ts'

/** Worker threads that several users share: one thread per module, with a port for each user. */
export class SharedThreads {
  readonly #threads = new Map<string, SharedThread>()

  readonly open: OpenThread = (url, name, data, calls) => this.#thread(url, name).open(data, calls)

  /** Starts a thread that continues without users, until `close`. */
  keep(url: string, name: string): void {
    this.#thread(url, name).keep()
  }

  /** Ends the threads without users. */
  async close(): Promise<void> {
    for (const thread of this.#threads.values()) await thread.unkeep()
  }

  #thread(url: string, name: string): SharedThread {
    let thread = this.#threads.get(name)
    if (!thread) this.#threads.set(name, (thread = new SharedThread(url, name)))
    return thread
  }
}

type Running = {
  readonly worker: Worker
  /** Resolves to the cause when the thread has ended. */
  readonly ended: Promise<unknown>
}

/** The thread starts with its first user and ends after the last one, unless it is kept. */
class SharedThread {
  readonly #file: URL
  readonly #name: string
  #running: Running | undefined
  #users = 0
  #isKept = false

  constructor(url: string, name: string) {
    this.#file = new URL(`${name}${extname(url)}`, url)
    this.#name = name
  }

  open<To, From>(data: unknown, calls: ThreadCalls<From>): ThreadLink<To> {
    const running = (this.#running ??= this.#start())
    const { port1: here, port2: there } = new MessageChannel()
    this.#users += 1
    running.worker.postMessage({ port: there, data }, [there])
    return new ThreadUser<To, From>(here, calls, running.ended, () => this.#release(running))
  }

  keep(): void {
    this.#isKept = true
    this.#running ??= this.#start()
  }

  async unkeep(): Promise<void> {
    this.#isKept = false
    if (this.#users === 0) await this.#end()
  }

  #start(): Running {
    const worker = new Worker(this.#file, { name: this.#name, resourceLimits })
    let cause: unknown
    worker.on('error', (error) => (cause = error))
    const ended = new Promise((resolve) => {
      worker.once('exit', () => {
        if (this.#running?.worker === worker) this.#forget()
        resolve(cause ?? new Error(`the ${this.#name} ended`))
      })
    })
    return { worker, ended }
  }

  async #release(running: Running): Promise<void> {
    if (this.#running === running && --this.#users === 0 && !this.#isKept) await this.#end()
  }

  async #end(): Promise<void> {
    const running = this.#running
    this.#forget()
    await running?.worker.terminate()
  }

  #forget(): void {
    this.#running = undefined
    this.#users = 0
  }
}

/** One user of a shared thread. */
class ThreadUser<To, From> implements ThreadLink<To> {
  readonly #port: MessagePort
  readonly #closed: Promise<void>
  #mayEnd = false

  constructor(
    port: MessagePort,
    { onMessage, onDeath }: ThreadCalls<From>,
    ended: Promise<unknown>,
    release: () => Promise<void>,
  ) {
    this.#port = port
    port.on('message', onMessage)
    this.#closed = new Promise((resolve) => {
      port.once('close', () => {
        // The thread closes the port only after the last message, or when it dies.
        if (!this.#mayEnd) void ended.then(onDeath)
        resolve(release())
      })
    })
  }

  post(message: To): void {
    this.#port.postMessage(message)
  }

  async finish(message: To): Promise<void> {
    this.#mayEnd = true
    this.post(message)
    await this.#closed
  }

  async stop(): Promise<void> {
    this.#mayEnd = true
    this.#port.close()
    await this.#closed
  }
}

/** Runs this thread as a shared one. `serve` is called for each user, and closes the port when it is done. */
export function serveUsers<Data>(serve: (port: MessagePort, data: Data) => void): void {
  ;(parentPort as MessagePort).on('message', ({ port, data }: { port: MessagePort; data: Data }) =>
    serve(port, data),
  )
}
