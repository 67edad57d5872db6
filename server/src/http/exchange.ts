import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { itemAt } from '@quipu/core/values'
import type { HttpConnection } from './connection/connections.ts'
import type { Context } from './context.ts'
import { originForm } from './logged-text.ts'

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

/** The parts of the response that are known before it is sent. */
type ResponseDraft = {
  /** Header names and values, flat, of any response. */
  readonly headers: string[]
  /** The rate limit headers of the caller; undefined if the request did not count. */
  rateHeaders?: readonly string[]
  /** How caches may store the response. Default: not at all. */
  cacheControl?: string | undefined
  /** The code and reason of a refusal. */
  refusal?: { readonly code?: unknown; readonly reason?: unknown }
}

/** A request and its response. The steps of a request add their fields; these are known to any response. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: HttpConnection
  readonly progress: RequestProgress
  readonly requestId = nextRequestId()
  readonly startedMs = performance.now()
  /** The parts of the URL before and after the question mark. */
  readonly url: { readonly path: string; readonly query: string }
  /** The name of the operation, after routing. */
  operation = 'none'
  context: Context | undefined
  /** The body, after it was read. */
  body: Buffer | undefined
  readonly draft: ResponseDraft = { headers: [] }
  /** The fault that changes the response. */
  fault: MetFault | undefined

  constructor(request: IncomingMessage, response: ServerResponse, connection: HttpConnection) {
    this.request = request
    this.response = response
    this.connection = connection
    this.progress = new RequestProgress(response, connection)
    const url = originForm(request.url ?? '/')
    const mark = url.indexOf('?')
    this.url = mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
  }
}

/** The counts that a request is in, from its beginning to its end. */
class RequestProgress {
  readonly #response: ServerResponse
  readonly #connection: HttpConnection
  #isWorking = false
  #counted: Counted[] = []

  constructor(response: ServerResponse, connection: HttpConnection) {
    this.#response = response
    this.#connection = connection
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
    this.#connection.working += 1
  }

  /** Ends the request: now, or after its response of `bytes` is sent. */
  end(bytes?: number): void {
    this.uncount()
    if (this.#isWorking) this.#connection.working -= 1
    this.#isWorking = false
    if (bytes === undefined) this.#connection.end()
    else this.#connection.endAfter(this.#response, bytes)
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
