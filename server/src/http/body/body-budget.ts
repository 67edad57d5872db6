import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, holderOf } from '@quipu/broker/access/caller.ts'
import { networkOf } from '@quipu/broker/access/failed-attempts.ts'
import { RateLimiter } from '@quipu/broker/access/rate-limits.ts'
import type { Operation } from '@quipu/contract'
import { type Refused, refuse } from '../../wire/refusal.ts'
import { clientAddress } from '../connection/client-address.ts'
import type { HttpConnection } from '../connection/connections.ts'
import { forwardedOf } from '../forwarding/peer.ts'

/**
 * How this works: bodies of up to 16 KiB, which nearly all requests have, are not counted. A larger body counts against
 * the budget of its key, or of its address if it has no key, before it is read, even if it is too large. When the budget
 * is used up, nothing more is read: the 429 waits for a second, and then the connection closes.
 */
export const SMALL_BYTES = 16 * 1024

/** Bytes of a body above the limit that are read and dropped, so that a client that sends before it reads gets its 413. */
export const DRAIN_BYTES = 16 * 1024 * 1024

/** A client that sends large bodies without pause sends one per second then. */
const HOLD_MS = 1000

/** The bytes of large bodies that each key and each address may send in a minute; 0: any number. */
export class BodyBudget {
  readonly limit: number
  readonly #limiter: RateLimiter | undefined

  constructor(bytesPerMinute: number) {
    this.limit = bytesPerMinute
    this.#limiter = bytesPerMinute === 0 ? undefined : new RateLimiter(bytesPerMinute)
  }

  /** Counts bytes. Returns the seconds to wait if the budget is used up: then it counts none. */
  take(holder: string, bytes: number): number {
    if (this.#limiter === undefined || this.#limiter.take(holder, bytes).allowed) return 0
    return this.#limiter.waitSeconds(holder)
  }
}

/** The parts of a request, and of the process, that this needs. */
type Exchange = {
  readonly request: IncomingMessage
  readonly connection: HttpConnection
  readonly context: { readonly caller: Caller | undefined } | undefined
}
type Services = {
  readonly connections: { readonly bodyBudget: BodyBudget }
  readonly settings: { readonly trustProxy: boolean }
}

/** Counts bytes of a body while they arrive. The refusal if the budget is used up. */
export type CountBytes = (bytes: number) => Refused | undefined

/**
 * Counts the announced bytes of a body before it is read. A body without a length is counted while it arrives. Operators
 * send the largest bodies, such as saved worlds, which do not count: they control the server anyway.
 */
export function admitBody(
  services: Services,
  exchange: Exchange,
  { bodySize, bodyKind }: Operation,
  maxBytes: number,
): Promise<CountBytes | undefined> | CountBytes | undefined {
  const bytes = announcedBytes(exchange.request)
  const isOfOperators =
    bodySize === 'large' ||
    (bodyKind === 'bytes' && bodySize === undefined) ||
    isRunOfOperator(exchange, bodySize)
  if ((bytes !== undefined && bytes <= SMALL_BYTES) || isOfOperators) return undefined
  const count = counterOf(services, exchange)
  if (count === undefined || bytes === undefined) return count
  const refusal = count(Math.min(bytes, maxBytes + DRAIN_BYTES))
  return refusal && sleep(HOLD_MS).then(() => Promise.reject(refusal))
}

/** The runs of many seeds arrive one after the other. */
const isRunOfOperator = ({ context }: Exchange, bodySize: Operation['bodySize']): boolean =>
  bodySize === 'run' && context?.caller?.kind === 'partner' && context.caller.operator

/**
 * Whether the response to a request whose body is not read must close the connection. Otherwise Node reads the body
 * to its end, for the next request.
 */
export function leavesBody(services: Services, exchange: Exchange): boolean {
  const { request, connection } = exchange
  const bytes = announcedBytes(request)
  const isUnread = !request.complete && bytes !== undefined && bytes > SMALL_BYTES
  if (connection.reading.isStopped || !isUnread || counted.has(request)) return connection.reading.isStopped
  counted.add(request)
  if (bytes > DRAIN_BYTES) connection.reading.stop()
  else counterOf(services, exchange)?.(bytes)
  return connection.reading.isStopped
}

/** Unread requests whose bodies are counted. */
const counted = new WeakSet<IncomingMessage>()

/** The promise to wait for before a refusal, if the body of the request is neither read nor within the budget. */
export function holdRefusal(services: Services, exchange: Exchange): Promise<void> | undefined {
  // The refusal of `admitBody` has waited.
  if (exchange.connection.reading.isStopped) return undefined
  return leavesBody(services, exchange) ? sleep(HOLD_MS) : undefined
}

function counterOf(services: Services, exchange: Exchange): CountBytes | undefined {
  const { request, context, connection } = exchange
  // The node that accepted the request has counted it.
  if (forwardedOf(request)) return undefined
  const { bodyBudget } = services.connections
  const caller = context?.caller
  const holder = caller ? holderOf(caller) : networkOf(clientAddress(request, services.settings.trustProxy))
  return (bytes) => {
    const waitSeconds = bodyBudget.take(holder, bytes)
    if (waitSeconds === 0) return undefined
    connection.reading.stop()
    return refuse({ code: 'tooManyBodyBytes', limit: bodyBudget.limit }, ['Retry-After', String(waitSeconds)])
  }
}

/** Undefined for a body in chunks, and without a body. */
function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
