/** A request that the broker refused. */
export type ObservedRefusal = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly message: string
  /** The name of the error in the response of the broker. */
  readonly reason?: string | undefined
  readonly requestId?: string | undefined
}

/** How the program saw the end of its request. */
export type ObservedResponse = {
  /** Absent: no response. */
  readonly status?: number | undefined
  /** The journal number of the state that the response shows. */
  readonly seq?: number | undefined
  /** Whether the whole response reached the program. */
  readonly isComplete: boolean
  /** The fault rule that changed the response. */
  readonly fault?: string | undefined
  /** Only for an observer that keeps responses. */
  readonly body?: string
}

/** Watches what passes the gateway. */
export type Observer = {
  readonly keepsResponses?: boolean
  /** Whether a message must be observed at its own time, not when a program that is ahead receives it. */
  readonly watchesMessages?: boolean
  /** Gives it the clock of the world. */
  useClock?(now: () => number): void
  /** A request begins. The returned function is called with its body and its end. */
  request(method: string, path: string): (body: string, response: ObservedResponse) => void
  /** A message of a stream is sent to the program. */
  message(path: string, data: Buffer): void
}

/** One observer that passes everything to these. */
export function observersOf(all: readonly (Observer | undefined)[]): Observer | undefined {
  const observers = all.filter((one) => one !== undefined)
  if (observers.length < 2) return observers[0]
  return {
    keepsResponses: observers.some((one) => one.keepsResponses),
    watchesMessages: observers.some((one) => one.watchesMessages),
    useClock: (now) => {
      for (const one of observers) one.useClock?.(now)
    },
    request: (method, path) => {
      const ends = observers.map((one) => one.request(method, path))
      return (body, response) => {
        for (const end of ends) end(body, response)
      }
    },
    message: (path, data) => {
      for (const one of observers) one.message(path, data)
    },
  }
}

const REFUSALS_MAX = 1000

/** What arrived from the program. It keeps no header and no key. */
export class Traffic {
  /** HTTP requests and WebSocket connections. */
  requests = 0
  /** Those on connections that do not belong to the run. Their keys are not replaced. */
  requestsOfOthers = 0
  /** Whether a key of the program was replaced by the key of the world. */
  keysReplaced = false
  readonly refusals: ObservedRefusal[] = []
  readonly observer: Observer | undefined

  constructor(observer?: Observer) {
    this.observer = observer
  }

  refused(refusal: ObservedRefusal): void {
    if (this.refusals.length < REFUSALS_MAX) this.refusals.push(refusal)
  }
}
