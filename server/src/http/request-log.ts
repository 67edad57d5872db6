import type { IncomingHttpHeaders } from 'node:http'
import type { Erasure } from '@quipu/broker/access/access-store.ts'
import { dayAt } from '@quipu/broker/access/addresses.ts'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import { Ring } from '@quipu/broker/world/requests/ring.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { CLI_AGENT, type ClientKind } from '@quipu/contract'

/** A request and its outcome, without secrets and without the error message, which may repeat one. */
export type RequestEntry = {
  readonly requestId: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly atMs: number
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly operation: string
  /** Absent if the connection was closed without a response. */
  readonly status: number | undefined
  readonly code: number | undefined
  readonly reason: string | undefined
  readonly keyId: string | undefined
  readonly accountId: string | undefined
  /** The journal number of the state that the response is based on. */
  readonly seq: number | undefined
  /** The fault rule that changed the response. */
  readonly fault?: string | undefined
  readonly query?: string | undefined
  /** JSON text; only of a request that may change something. */
  readonly body?: string | undefined
  /** Absent after its erasure. */
  readonly address?: string | undefined
  readonly agent?: string | undefined
  /** The kind of program. Absent if the request was refused before routing. */
  readonly source?: ClientKind | undefined
}

/** The kind of program that sent a request. A page that signs in has no token yet, only the cookie of its session. */
export function clientKindOf(
  caller: Caller | undefined,
  { cookie, 'sec-fetch-mode': mode, 'user-agent': agent }: IncomingHttpHeaders,
): ClientKind {
  const isPage = !caller && (cookie !== undefined || mode === 'navigate')
  if (caller?.session || caller?.foreign?.session || isPage) return 'dashboard'
  const isApp = caller?.machine ?? (caller?.kind === 'account' ? caller.grantId : undefined)
  if (isApp !== undefined || caller?.foreign?.kind === 'app') return 'app'
  return agent?.startsWith(CLI_AGENT) ? 'cli' : 'program'
}

/** The response to a request that was refused before routing. */
export type RawAnswered = {
  readonly status: number
  readonly requestId: string
  readonly code: number
  readonly reason: string
}

/** The last requests of each world. Requests without a world are stored with those of `main`. */
export class RequestLog {
  readonly #worlds: Pick<Worlds, 'get'>
  readonly #size: number
  readonly #rings = new WeakMap<World, Ring<RequestEntry>>()

  constructor(worlds: Pick<Worlds, 'get'>, size: number) {
    this.#worlds = worlds
    this.#size = size
  }

  add(world: World | undefined, request: RequestEntry): void {
    // On a node of a cluster that does not hold `main`, a request without a world is only in the log.
    const of = world ?? this.#worlds.get(MAIN)
    if (of) this.of(of).push(request)
  }

  /** Adds a request that was refused before routing. */
  addRaw(method: string, path: string, { status, requestId, code, reason }: RawAnswered): void {
    this.add(undefined, {
      requestId,
      atMs: Date.now(),
      ms: 0,
      method,
      path,
      operation: 'none',
      status,
      code,
      reason,
      keyId: undefined,
      accountId: undefined,
      seq: undefined,
    })
  }

  /** Erases client addresses: one address, or those of requests before a day (UTC, `20260105`), or both. */
  erase(worlds: readonly World[], { address, before }: Erasure): void {
    for (const world of worlds)
      this.of(world).replace((request) =>
        (address === undefined || request.address === address) &&
        (before === undefined || dayAt(request.atMs) < before)
          ? { ...request, address: undefined }
          : request,
      )
  }

  of(world: World): Ring<RequestEntry> {
    let ring = this.#rings.get(world)
    if (!ring) this.#rings.set(world, (ring = new Ring(this.#size)))
    return ring
  }
}
