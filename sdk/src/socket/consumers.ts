import { StreamError } from '../errors.ts'

/** Passes messages to callbacks and loops. Messages before the first consumer are kept for it. */
export class Consumers<Message> {
  readonly #queueMax: number
  readonly #callbacks = new Set<(message: Message) => void>()
  readonly #loops = new Set<Loop<Message>>()
  #kept: Message[] = []
  #hasConsumer = false
  #ended: { readonly error: Error | undefined } | undefined

  constructor(queueMax: number) {
    this.#queueMax = queueMax
  }

  push(message: Message): void {
    if (!this.#hasConsumer) {
      if (this.#kept.length < this.#queueMax) this.#kept.push(message)
      return
    }
    for (const callback of this.#callbacks) callback(message)
    for (const loop of this.#loops) loop.push(message)
  }

  onMessage(callback: (message: Message) => void): () => void {
    this.#callbacks.add(callback)
    for (const message of this.#take()) callback(message)
    return () => this.#callbacks.delete(callback)
  }

  loop(): AsyncGenerator<Message, undefined> {
    const loop = new Loop(this.#take(), this.#queueMax)
    if (this.#ended) loop.end(this.#ended.error)
    else this.#loops.add(loop)
    return loop.messages(() => this.#loops.delete(loop))
  }

  end(error: Error | undefined): void {
    this.#ended = { error }
    for (const loop of this.#loops) loop.end(error)
  }

  #take(): Message[] {
    const kept = this.#kept
    this.#kept = []
    this.#hasConsumer = true
    return kept
  }
}

class Loop<Message> {
  readonly #queueMax: number
  #queue: Message[]
  #ended: { readonly error: Error | undefined } | undefined
  #wake: () => void = () => undefined

  constructor(queue: Message[], queueMax: number) {
    this.#queue = queue
    this.#queueMax = queueMax
  }

  push(message: Message): void {
    if (this.#ended) return
    if (this.#queue.length >= this.#queueMax)
      return this.end(new StreamError(`the loop is ${this.#queueMax} messages behind`))
    this.#queue.push(message)
    this.#wake()
  }

  end(error: Error | undefined): void {
    this.#ended ??= { error }
    this.#wake()
  }

  async *messages(detach: () => void): AsyncGenerator<Message, undefined> {
    try {
      for (;;) {
        const queue = this.#queue
        this.#queue = []
        yield* queue
        if (this.#queue.length > 0) continue
        if (this.#ended?.error) throw this.#ended.error
        if (this.#ended) return undefined
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      detach()
    }
  }
}
