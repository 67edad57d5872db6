import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

export type ThreadCalls<From> = {
  readonly told: (message: From) => void
  /** It ended without being asked to. */
  readonly died: (error: unknown) => void
}

/** A thread of ours and the messages to and from it. */
export class Thread<To, From> {
  readonly #worker: Worker
  readonly ended: Promise<void>
  #mayEnd = false

  /** `name` is a file beside this one, with this one's ending: in a package both are plain JavaScript. */
  constructor(name: string, data: unknown, { told, died }: ThreadCalls<From>) {
    const file = new URL(`${name}${extname(import.meta.url)}`, import.meta.url)
    this.#worker = new Worker(file, { workerData: data, name })
    this.#worker.on('message', told)
    this.#worker.on('error', died)
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        if (!this.#mayEnd) died(new Error(`the ${name} ended`))
        resolve()
      })
    })
  }

  post(message: To): void {
    this.#worker.postMessage(message)
  }

  /** Its last message: it ends by itself once it has done all it was told before. */
  async finish(message: To): Promise<void> {
    this.#mayEnd = true
    this.post(message)
    await this.ended
  }

  /** Ends it at once, wherever it is. */
  async stop(): Promise<void> {
    this.#mayEnd = true
    await this.#worker.terminate()
  }
}
