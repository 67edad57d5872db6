import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { itemAt } from '@quipu/core/values'
import type { HttpConnection } from './connection/connections.ts'
import type { Context } from './context.ts'
import type { ContinueEvents } from './event-stream.ts'
import { loggedPathOf, originForm } from './logged-text.ts'

/** A count of the requests that have begun and not ended. */
type Counted = { begin(): void; end(): void }

/** The fault that a request has met. */
type MetFault = {
  /** The number of its rule. */
  readonly id: string
  /** Only half of the response is sent. */
  readonly truncates: boolean
  /** The request is applied although its client has gone. */
  readonly isLate: boolean
  /** The error that takes the place of another one. */
  errorFor(error: unknown): Promise<unknown>
}

/** A request and its response. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId = nextRequestId()
  readonly startedMs = performance.now()
  readonly path: string
  /** The path for the log: shortened, and without a secret. */
  readonly loggedPath: string
  /** The part after the question mark. */
  readonly query: string
  /** The name of the operation, after routing. */
  operation = 'none'
  /** The caller, after its credentials were checked. */
  lookedUp: { readonly caller: Caller | undefined } | undefined
  context: Context | undefined
  credentialId: string | undefined
  /** The body, after it was read. */
  body: Buffer | undefined
  /** The code and reason of a refusal. */
  refusal: { readonly code?: unknown; readonly reason?: unknown } | undefined
  /** Header names and values, flat, of any response. */
  readonly extraHeaders: string[] = []
  /** The rate limit headers of the caller; undefined if the request did not count. */
  rateHeaders: readonly string[] | undefined
  /** How caches may store the response. Default: not at all. */
  cacheControl: string | undefined
  /** The fault that changes the response. */
  fault: MetFault | undefined
  continueEvents: ContinueEvents | undefined
  readonly connection: HttpConnection
  #isWorking = false
  #counted: Counted[] = []

  constructor(request: IncomingMessage, response: ServerResponse, connection: HttpConnection) {
    this.request = request
    this.response = response
    this.connection = connection
    const url = originForm(request.url ?? '/')
    const mark = url.indexOf('?')
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.loggedPath = loggedPathOf(this.path)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
  }

  /** Counts the request until its response is written. */
  countIn(requests: Counted): void {
    this.#counted.push(requests)
    requests.begin()
  }

  /** The rest of the response is an event stream, which has no end. */
  uncount(): void {
    for (const requests of this.#counted.splice(0)) requests.end()
  }

  /** Marks that the handler begins. */
  work(): void {
    this.#isWorking = true
    this.connection.working += 1
  }

  /** Ends the exchange after its response of `bytes` is sent. */
  endAfterResponse(bytes: number): void {
    this.#stopWork()
    this.connection.endAfter(this.response, bytes)
  }

  /** Ends the exchange now. */
  end(): void {
    this.#stopWork()
    this.connection.end()
  }

  #stopWork(): void {
    this.uncount()
    if (this.#isWorking) this.connection.working -= 1
    this.#isWorking = false
  }
}

const PREFIX_BYTES = 14
const PER_PREFIX = 65_536
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let prefix = ''
let used = PER_PREFIX

/** 32 hex digits: a random prefix for 65,536 ids, then a number, because random bytes per id need a system call. */
export function nextRequestId(): string {
  if (used === PER_PREFIX) {
    prefix = randomBytes(PREFIX_BYTES).toString('hex')
    used = 0
  }
  const number = used++
  return prefix + itemAt(pairs, number >> 8) + itemAt(pairs, number & 255)
}
