import { request as send } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Handlers, type OperationName, operations } from '@quipu/contract'
import type { AccountId } from '@quipu/core'
import { Addresses } from '../../../server/src/access/addresses.ts'
import type { Caller } from '../../../server/src/access/caller.ts'
import { limitFailedAttempts } from '../../../server/src/access/failed-attempts.ts'
import { openMemoryAccess } from '../../../server/src/access/memory.ts'
import type { Context } from '../../../server/src/http/context.ts'
import { EventStreams } from '../../../server/src/http/event-stream.ts'
import { makeHandlers, type OtherNames } from '../../../server/src/http/handlers.ts'
import { RequestLog } from '../../../server/src/http/request-log.ts'
import { serve } from '../../../server/src/http/serve.ts'
import { defaultHttpLimits, type Services } from '../../../server/src/http/services.ts'
import { Unsent } from '../../../server/src/http/unsent.ts'
import { createLog } from '../../../server/src/process/log.ts'
import { createMetrics } from '../../../server/src/process/metrics.ts'
import type { World } from '../../../server/src/world/world.ts'
import { breath } from '../faults/tick.ts'

const OPERATOR = 'operator'

export type Asked = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Whose key it is; that of an operator where it is left out. */
  readonly accountId?: AccountId
  readonly body?: object
  /** Turns that the second half of the body is late. */
  readonly late?: number
}

/** `closed`: the connection was, and nothing was said. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly seq: number | undefined
      readonly body: unknown
    }
  | { readonly kind: 'closed' }

/**
 * The real HTTP server, with connections that lead through memory: bytes, headers and broken connections are real, and
 * come in the seed's order. One for the process; it leads into whichever world was set last.
 */
export class Door {
  readonly #take: (socket: Duplex) => void
  readonly #open = new Set<Duplex>()
  #world: World | undefined
  static #only: Promise<Door> | undefined

  private constructor(take: (socket: Duplex) => void) {
    this.#take = take
  }

  static open(): Promise<Door> {
    Door.#only ??= openDoor((take) => new Door(take))
    return Door.#only
  }

  lead(world: World): void {
    this.#world = world
  }

  get world(): World | undefined {
    return this.#world
  }

  /** Who calls: the key's name is the account's. */
  callerOf(key: string): Caller | undefined {
    if (!this.#world) return undefined
    if (key === OPERATOR)
      return {
        kind: 'partner',
        world: this.#world,
        partnerId: OPERATOR as never,
        credentialId: key,
        operator: true,
      }
    return { kind: 'account', world: this.#world, accountId: key as AccountId, credentialId: key }
  }

  /** Every connection breaks. */
  hangUp(): void {
    for (const socket of this.#open) socket.destroy()
  }

  ask({ method, path, accountId = OPERATOR as AccountId, body, late = 0 }: Asked): Promise<Reply> {
    const [socket, server] = duplexPair()
    this.#connect(socket, server)
    const bytes = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'apca-api-key-id': accountId,
      'apca-api-secret-key': 'any',
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(bytes) }),
    }
    return new Promise((resolve) => {
      const request = send({ method, path, headers, createConnection: () => socket })
      request.on('error', () => resolve({ kind: 'closed' }))
      request.on('response', async (response) => {
        const seq = response.headers['x-quipu-seq']
        const told = await text(response).catch(() => undefined)
        if (told === undefined) return resolve({ kind: 'closed' })
        resolve({
          kind: 'answered',
          status: response.statusCode!,
          seq: seq === undefined ? undefined : Number(seq),
          body: told === '' ? undefined : JSON.parse(told),
        })
      })
      const half = Math.floor(bytes.length / 2)
      if (late === 0) request.end(bytes)
      else {
        request.write(bytes.slice(0, half))
        void breath(late).then(() => request.end(bytes.slice(half)))
      }
    })
  }

  #connect(socket: Duplex, server: Duplex): void {
    this.#open.add(socket)
    socket.on('error', () => undefined)
    server.on('error', () => undefined)
    socket.once('close', () => {
      this.#open.delete(socket)
      server.destroy()
    })
    // What was said before is read first.
    server.once('close', () => void breath(2).then(() => socket.destroy()))
    this.#take(server)
  }
}

async function openDoor(make: (take: (socket: Duplex) => void) => Door): Promise<Door> {
  const log = createLog({ level: 'error', readable: false, write: (line) => console.error(line) })
  const worlds = {
    all: () => [],
    places: () => [],
    main: {} as World,
    get: () => door.world,
    addresses: new Addresses(openMemoryAccess()),
    keyUses: { record: () => undefined },
  }
  const services = {
    limits: defaultHttpLimits,
    worlds,
    requests: new RequestLog(worlds, 10),
    eventStreams: new EventStreams(1),
    unsent: new Unsent(defaultHttpLimits.unsentMaxBytes),
    credentials: {
      byKey: (key: string) => door.callerOf(key),
      knows: () => true,
      chosenKey: () => undefined,
    },
    log,
    metrics: createMetrics(),
    version: 'simulated',
    startedAt: 0,
    serverState: { phase: 'ready', url: '' },
    cors: 'off',
    sim: false,
    failedAttempts: limitFailedAttempts({}),
    trustProxy: false,
  } as unknown as Services
  const { server } = await serve(services, makeHandlers(absent), { host: '127.0.0.1', port: 0 })
  server.unref()
  const door = make((socket) => void server.emit('connection', socket))
  return door
}

/** Only orders and corporate actions are asked for here. */
const absent = Object.fromEntries(
  (Object.keys(operations) as OperationName[]).map((name) => [name, () => undefined]),
) as unknown as Handlers<Context, OtherNames>
