import { Ring } from '../process/ring.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { RawAnswered } from './raw-answer.ts'

/** A request as it was answered. Neither its query nor its body nor its message is kept: they may hold secrets. */
export type LoggedRequest = {
  readonly requestId: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly atMs: number
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly operation: string
  /** Absent where the connection was closed without an answer. */
  readonly status: number | undefined
  readonly code: number | undefined
  readonly reason: string | undefined
  readonly keyId: string | undefined
  readonly accountId: string | undefined
  /** The journal number of the state the answer saw. */
  readonly seq: number | undefined
}

/** The last requests of each world. What belongs to no world is kept with `main`'s. */
export class RequestLog {
  readonly #worlds: Pick<Worlds, 'main'>
  readonly #kept: number
  readonly #rings = new WeakMap<World, Ring<LoggedRequest>>()

  constructor(worlds: Pick<Worlds, 'main'>, kept: number) {
    this.#worlds = worlds
    this.#kept = kept
  }

  note(world: World | undefined, request: LoggedRequest): void {
    this.of(world ?? this.#worlds.main).push(request)
  }

  /** A request that was answered before it could be read, or led on to a handler. */
  noteRaw(method: string, path: string, { status, requestId, code, reason }: RawAnswered): void {
    this.note(undefined, {
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

  of(world: World): Ring<LoggedRequest> {
    let ring = this.#rings.get(world)
    if (!ring) this.#rings.set(world, (ring = new Ring(this.#kept)))
    return ring
  }
}
