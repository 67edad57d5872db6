import { StreamError } from '../errors.ts'

/** Passes messages to callbacks and loops. Messages before the first consumer are kept for it. */
export class Consumers<Message> {
  readonly #queueMax: number
  readonly #callbacks = new Set<(message: Message) => unknown>()
  readonly #loops = new Set<Loop<Message>>()
  #kept: Message[] = []
  #hasConsumer = false
  #working = 0
  #changes: (() => void)[] = []
  #ended: { readonly error: Error | undefined } | undefined

  constructor(queueMax: number) {
    this.#queueMax = queueMax
  }

  push(message: Message): void {
    if (!this.#hasConsumer) {
      if (this.#kept.length < this.#queueMax) this.#kept.push(message)
      return
    }
    for (const callback of this.#callbacks) this.#call(callback, message)
    for (const loop of this.#loops) loop.push(message)
  }

  onMessage(callback: (message: Message) => unknown): () => void {
    this.#callbacks.add(callback)
    for (const message of this.#take()) this.#call(callback, message)
    return () => this.#callbacks.delete(callback)
  }

  loop(): AsyncGenerator<Message, undefined> {
    const loop = new Loop(this.#take(), this.#queueMax, () => this.#changed())
    if (this.#ended) loop.end(this.#ended.error)
    else this.#loops.add(loop)
    return loop.messages(() => this.#loops.delete(loop))
  }

  end(error: Error | undefined): void {
    this.#ended = { error }
    for (const loop of this.#loops) loop.end(error)
  }

  /** Resolves when all callbacks and their promises have ended, and all loops wait for the next message. */
  async done(): Promise<void> {
    while (this.#working > 0 || [...this.#loops].some(({ isBusy }) => isBusy))
      await new Promise<void>((resolve) => this.#changes.push(resolve))
  }

  #call(callback: (message: Message) => unknown, message: Message): void {
    const result = callback(message)
    if (!(result instanceof Promise)) return
    this.#working += 1
    void result.finally(() => {
      this.#working -= 1
      this.#changed()
    })
  }

  #changed(): void {
    for (const resolve of this.#changes.splice(0)) resolve()
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
  readonly #onChange: () => void
  #wake: () => void = () => undefined
  #hasStarted = false
  #isWaiting = false

  constructor(queue: Message[], queueMax: number, onChange: () => void) {
    this.#queue = queue
    this.#queueMax = queueMax
    this.#onChange = onChange
  }

  /** Whether the body of the loop runs, or will run. */
  get isBusy(): boolean {
    return this.#hasStarted && !(this.#isWaiting && this.#queue.length === 0)
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
    this.#hasStarted = true
    try {
      for (;;) {
        this.#isWaiting = false
        const queue = this.#queue
        this.#queue = []
        yield* queue
        if (this.#queue.length > 0) continue
        if (this.#ended?.error) throw this.#ended.error
        if (this.#ended) return undefined
        await new Promise<void>((resolve) => {
          this.#wake = resolve
          this.#isWaiting = true
          this.#onChange()
        })
      }
    } finally {
      detach()
      this.#onChange()
    }
  }
}
