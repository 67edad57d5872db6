import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Where an open answer is written to. */
export type Sink = {
  /** Rings when the client has gone, or the server ends the answer. */
  readonly signal: AbortSignal
  /** Resolves once there is room for more. A client that leaves it unread for long is cut off by the server. */
  write(text: string): Promise<void>
}

/** An answer that stays open and goes on as things happen, as server-sent events. */
export class LiveAnswer {
  /** Writes until the signal rings, or resolves where there is an end. */
  readonly follow: (sink: Sink) => Promise<void>

  constructor(follow: LiveAnswer['follow']) {
    this.follow = follow
  }
}

/** A live answer in the place of an output. */
export const live = <Output>(follow: LiveAnswer['follow']): Output =>
  new LiveAnswer(follow) as unknown as Output

/** One message. `id` is what a client that comes again says it has seen last. */
export function sseMessage(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}

/** Something must be sent now and then, so that both sides notice when the other is gone. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = ':\n\n'

/** Every answer that is open. They end with the server, not when their clients like. */
export class LiveAnswers {
  readonly #most: number
  readonly #open = new Set<AbortController>()
  #isClosing = false

  constructor(most: number) {
    this.#most = most
  }

  get most(): number {
    return this.#most
  }

  get size(): number {
    return this.#open.size
  }

  get isFull(): boolean {
    return this.#open.size >= this.#most
  }

  /** Runs an answer whose head has been written, until either side ends it. Never rejects. */
  async run(
    answer: LiveAnswer,
    response: ServerResponse,
    failed: (error: unknown) => void,
    ending = new AbortController(),
  ): Promise<void> {
    this.#open.add(ending)
    const heart = setInterval(() => {
      if (response.writableLength === 0) response.write(HEARTBEAT)
    }, HEARTBEAT_MS).unref()
    // A response behind another one does not learn that its connection is closed.
    const { socket } = response.req
    socket.once('close', () => ending.abort())
    // No event reports a connection that is closed by now.
    if (!socket.writable) ending.abort()
    try {
      await answer.follow({ signal: ending.signal, write: (text) => write(response, text, ending.signal) })
    } catch (error) {
      if (!ending.signal.aborted) failed(error)
      // What is cut off is not over: some clients come again only after a broken connection.
      response.destroy()
    } finally {
      clearInterval(heart)
      this.#open.delete(ending)
      if (this.#isClosing) response.destroy()
      else response.end()
    }
  }

  /** Ends all of them: their clients come again, elsewhere or later. */
  close(): void {
    this.#isClosing = true
    for (const ending of this.#open) ending.abort()
  }
}

async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.write(text)) return
  await once(response, 'drain', { signal }).catch(() => undefined)
}
