import { once } from 'node:events'
import type { ConnectionFault, FaultyConnection } from '@quipu/broker/faults/connection.ts'
import type { Sink } from '../../event-stream.ts'

/** The output of an event stream. A fault of its connection delays messages, drops them or ends the stream. */
export class FaultyOutput implements FaultyConnection<string> {
  fault: ConnectionFault<string> | undefined
  readonly bytesMax: number
  /** Resolves when the client may be sent more. */
  written: Promise<void> = Promise.resolve()
  readonly #sink: Sink
  readonly #timers = new Set<NodeJS.Timeout>()
  #wake: (() => void) | undefined

  constructor(sink: Sink, bytesMax: number) {
    this.#sink = sink
    this.bytesMax = bytesMax
  }

  send(text: string): void {
    if (this.fault === undefined) this.sendNow(text)
    else this.fault.send(text)
  }

  sendNow(text: string): void {
    this.written = this.#sink.write(text)
  }

  bytesOf(text: string): number {
    return Buffer.byteLength(text)
  }

  schedule(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
      if (this.#timers.size === 0) this.#wake?.()
    }, ms).unref()
    this.#timers.add(timer)
  }

  closeWith(): void {
    this.#sink.end()
  }

  closeSlow(): void {
    this.#sink.end()
  }

  /** The client sends nothing on an event stream. */
  ignoreClient(): void {
    this.#sink.stopHeartbeats()
  }

  /** Resolves when delayed messages are sent. A half-open stream does not end by itself. */
  async finish(): Promise<void> {
    const { signal } = this.#sink
    if (signal.aborted) return
    const ended = once(signal, 'abort').then(() => undefined)
    if (this.fault?.isMute) return ended
    if (this.#timers.size > 0)
      await Promise.race([ended, new Promise<void>((resolve) => (this.#wake = resolve))])
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
