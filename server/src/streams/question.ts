import { fieldsIn } from '@quipu/core/values'
/** Asks a client whether it is done, one question at a time. */
export class Question {
  #number = 0
  #resolve: (() => void) | undefined
  #closed = false

  /** Whether a response is awaited. */
  get isOpen(): boolean {
    return this.#resolve !== undefined
  }

  /** Resolves with the response to this question, or when the client is disconnected. */
  ask(send: (number: number) => void): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#number += 1
    return new Promise((resolve) => {
      this.#resolve = resolve
      send(this.#number)
    })
  }

  /** Ignores responses to earlier questions. */
  answer(number: number): void {
    if (number === this.#number) this.cancel()
  }

  /** Ends the wait for the response. */
  cancel(): void {
    this.#resolve?.()
    this.#resolve = undefined
  }

  /** The client is disconnected. */
  close(): void {
    this.#closed = true
    this.cancel()
  }
}

/** The response in a message of a client; undefined for other messages. */
export function participantResponse(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { action, step } = fieldsIn(message)
  return action === 'acknowledge' && typeof step === 'number' ? step : undefined
}
