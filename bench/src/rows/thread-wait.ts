import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/** A turn of the event loop: what the thread had worked, and rested, when it began. */
type Mark = { readonly micros: number; readonly restedMs: number }

/**
 * How long requests of one key keep waiting for the thread that answers, by that thread's own CPU time, which no
 * neighbour on the machine can lengthen: all it worked from the turn in which a request may have come until its
 * answer was written.
 */
export class ThreadWait {
  readonly #keyId: string
  readonly #since = new WeakMap<IncomingMessage, number>()
  #waits: number[] = []
  #turns: readonly [earlier: Mark, latest: Mark] = [markNow(), markNow()]
  #isTurnSet = false

  constructor(keyId: string) {
    this.#keyId = keyId
    subscribe('http.server.request.start', (message) => this.#came((message as Message).request))
    subscribe('http.server.response.finish', (message) => this.#answered((message as Message).request))
  }

  /** The waits since it was last asked, in microseconds, ascending. */
  take(): readonly number[] {
    const waits = this.#waits.sort((a, b) => a - b)
    this.#waits = []
    return waits
  }

  #came(request: IncomingMessage): void {
    if (!this.#isTurnSet) {
      this.#isTurnSet = true
      setImmediate(() => {
        this.#isTurnSet = false
        this.#turns = [this.#turns[1], markNow()]
      })
    }
    if (request.headers['apca-api-key-id'] !== this.#keyId) return
    const [earlier, latest] = this.#turns
    const { micros, restedMs } = markNow()
    // If the loop has rested since, it was woken by this; else the request may have come when the turn before began.
    const isWoken = restedMs > latest.restedMs
    this.#since.set(request, isWoken ? micros : earlier.micros)
  }

  #answered(request: IncomingMessage): void {
    const since = this.#since.get(request)
    if (since !== undefined) this.#waits.push(markNow().micros - since)
  }
}

type Message = { readonly request: IncomingMessage }

function markNow(): Mark {
  const { user, system } = process.threadCpuUsage()
  return { micros: user + system, restedMs: performance.eventLoopUtilization().idle }
}
