import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { lastIdIn } from './forwarding/event-messages.ts'

/** The output of an event stream. */
export type Sink = {
  /** Aborts when the client disconnects or the server ends the stream. */
  readonly signal: AbortSignal
  /** Resolves when the buffer has space. The server disconnects a client that does not read for long. */
  write(text: string): Promise<void>
  /** Ends the stream; its client reconnects. */
  end(): void
  stopHeartbeats(): void
}

/** Continues an event stream after an id at the node that took its world over. Returns false if no node did. */
export type ContinueEvents = (lastId: string | undefined, sink: Sink) => Promise<boolean>

/** A response that stays open and sends events as they happen (server-sent events). */
export class EventStream {
  /** Writes until the signal aborts, or resolves at the end of the events. */
  readonly follow: (sink: Sink) => Promise<void>

  constructor(follow: EventStream['follow']) {
    this.follow = follow
  }

  /** The same stream, also after another node took its world over. */
  continuedBy(continueEvents: ContinueEvents | undefined): EventStream {
    if (!continueEvents) return this
    return new EventStream(async (sink) => {
      let lastId: string | undefined
      const write = (text: string) => {
        lastId = lastIdIn(text) ?? lastId
        return sink.write(text)
      }
      try {
        await this.follow({ ...sink, write })
      } catch (error) {
        if (sink.signal.aborted || !(await continueEvents(lastId, sink))) throw error
      }
    })
  }
}

/** An event stream with the type of the operation's output. */
export const eventStream = <Output>(follow: EventStream['follow']): Output =>
  new EventStream(follow) as unknown as Output

/** One message. A client that reconnects sends the last `id` that it received. */
export function sseMessage(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}

/** Heartbeats let both sides notice a lost connection. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = ':\n\n'

/** All open event streams; closing ends them when the server stops. */
export class EventStreams {
  readonly max: number
  /** The limit of each owner. */
  readonly perOwner: number
  readonly #open = new Set<AbortController>()
  readonly #ofOwner = new Map<string, number>()
  #isClosing = false

  constructor(max: number, perOwner: number) {
    this.max = max
    this.perOwner = perOwner
  }

  get size(): number {
    return this.#open.size
  }

  get isFull(): boolean {
    return this.#open.size >= this.max
  }

  /** Whether one of these owners has as many streams as it may have. */
  isFullFor(owners: readonly string[]): boolean {
    return owners.some((owner) => (this.#ofOwner.get(owner) ?? 0) >= this.perOwner)
  }

  /** Runs a stream whose headers are written, until either side ends it. Never rejects. */
  async run(
    stream: EventStream,
    response: ServerResponse,
    failed: (error: unknown) => void,
    ending = new AbortController(),
    owners: readonly string[] = [],
  ): Promise<void> {
    this.#open.add(ending)
    this.#count(owners, 1)
    const heartbeat = setInterval(() => {
      if (response.writableLength === 0) response.write(HEARTBEAT)
    }, HEARTBEAT_MS).unref()
    // A pipelined response gets no close event, so the socket reports the disconnect.
    const { socket } = response.req
    socket.once('close', () => ending.abort())
    // A socket that is already closed sends no event.
    if (!socket.writable) ending.abort()
    try {
      await stream.follow({
        signal: ending.signal,
        write: (text) => writeText(response, text, ending.signal),
        end: () => ending.abort(),
        stopHeartbeats: () => clearInterval(heartbeat),
      })
    } catch (error) {
      if (!ending.signal.aborted) failed(error)
      // Some clients reconnect only after a broken connection, not after a regular end.
      response.destroy()
    } finally {
      clearInterval(heartbeat)
      this.#open.delete(ending)
      this.#count(owners, -1)
      if (this.#isClosing) response.destroy()
      else response.end()
    }
  }

  #count(owners: readonly string[], change: 1 | -1): void {
    for (const owner of owners) {
      const count = (this.#ofOwner.get(owner) ?? 0) + change
      if (count === 0) this.#ofOwner.delete(owner)
      else this.#ofOwner.set(owner, count)
    }
  }

  /** Ends all streams; their clients reconnect. */
  close(): void {
    this.#isClosing = true
    for (const ending of this.#open) ending.abort()
  }
}

/** Writes a part of an event stream. Resolves when the buffer has space. */
export async function writeText(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.write(text)) return
  await once(response, 'drain', { signal }).catch(() => undefined)
}
