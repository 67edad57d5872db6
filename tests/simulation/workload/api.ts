import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Handlers, type OperationName, operations } from '@quipu/contract'
import type { AccountId } from '@quipu/core'
import { openMemoryAccess } from '../../../broker/src/access/access-store.ts'
import { Addresses } from '../../../broker/src/access/addresses.ts'
import type { Caller } from '../../../broker/src/access/caller.ts'
import { Credentials } from '../../../broker/src/access/credentials.ts'
import { limitFailedAttempts } from '../../../broker/src/access/failed-attempts.ts'
import type { Entry } from '../../../broker/src/journal/journal.ts'
import { storedEntry } from '../../../broker/src/journal/stored-event.ts'
import { createLog } from '../../../broker/src/log/log.ts'
import type { World } from '../../../broker/src/world/world.ts'
import { BodyBudget } from '../../../server/src/http/body/body-budget.ts'
import type { Context } from '../../../server/src/http/context.ts'
import { EventStreams } from '../../../server/src/http/event-stream.ts'
import { makeHandlers, type OtherNames } from '../../../server/src/http/handlers.ts'
import { createMetrics } from '../../../server/src/http/metrics/metrics.ts'
import { RequestLog } from '../../../server/src/http/request-log.ts'
import { serve } from '../../../server/src/http/serve.ts'
import type { Services } from '../../../server/src/http/services.ts'
import { defaultSettings } from '../../../server/src/http/testing/server.ts'
import { Unsent } from '../../../server/src/http/unsent.ts'
import type { CheckerGrants } from '../checker/oauth-checks.ts'
import { tick } from '../faults/event-loop.ts'
import type { Clients } from './clients.ts'

const OPERATOR = 'operator'

export type ApiRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The account of the key; an operator key by default. */
  readonly accountId?: AccountId
  readonly body?: object
  /** Delay of the second half of the body, in turns of the event loop. */
  readonly late?: number
}

/** `closed`: the connection was closed without a response. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly seq: number | undefined
      readonly body: unknown
    }
  | { readonly kind: 'closed' }

/**
 * The real HTTP server with connections in memory: bytes, headers and broken connections are real, and their order
 * depends only on the seed. There is one server per process; it serves the world that was set last.
 */
export class SimulatedApi {
  readonly #take: (socket: Duplex) => void
  readonly #open = new Set<Duplex>()
  #world: World | undefined
  static #instance: Promise<SimulatedApi> | undefined

  private constructor(take: (socket: Duplex) => void) {
    this.#take = take
  }

  static open(): Promise<SimulatedApi> {
    SimulatedApi.#instance ??= openApi((take) => new SimulatedApi(take))
    return SimulatedApi.#instance
  }

  setWorld(world: World): void {
    this.#world = world
  }

  get world(): World | undefined {
    return this.#world
  }

  /** The caller of a key; the key id is the account id. */
  callerOf(key: string): Caller | undefined {
    if (!this.#world) return undefined
    if (key === OPERATOR)
      return {
        kind: 'partner',
        world: this.#world,
        partnerId: OPERATOR as never,
        credentialId: key,
        operator: true,
        auditor: false,
      }
    return { kind: 'account', world: this.#world, accountId: key as AccountId, credentialId: key }
  }

  /** Breaks every connection. */
  closeConnections(): void {
    for (const socket of this.#open) socket.destroy()
  }

  send({ method, path, accountId = OPERATOR as AccountId, body, late = 0 }: ApiRequest): Promise<Reply> {
    const [socket, server] = duplexPair()
    this.#connect(socket, server)
    const bytes = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'apca-api-key-id': accountId,
      'apca-api-secret-key': 'any',
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(bytes) }),
    }
    return new Promise((resolve) => {
      const request = httpRequest({ method, path, headers, createConnection: () => socket })
      request.on('error', () => resolve({ kind: 'closed' }))
      request.on('response', async (response) => {
        const seq = response.headers['x-quipu-seq']
        const responseText = await text(response).catch(() => undefined)
        if (responseText === undefined) return resolve({ kind: 'closed' })
        resolve({
          kind: 'answered',
          status: response.statusCode!,
          seq: seq === undefined ? undefined : Number(seq),
          body: responseText === '' ? undefined : JSON.parse(responseText),
        })
      })
      const half = Math.floor(bytes.length / 2)
      if (late === 0) request.end(bytes)
      else {
        request.write(bytes.slice(0, half))
        void tick(late).then(() => request.end(bytes.slice(half)))
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
    // Data sent before the close is read first.
    server.once('close', () => void tick(2).then(() => socket.destroy()))
    this.#take(server)
  }
}

async function openApi(make: (take: (socket: Duplex) => void) => SimulatedApi): Promise<SimulatedApi> {
  const log = createLog({ level: 'error', readable: false, write: (line) => console.error(line) })
  const worlds = {
    all: () => [],
    places: () => [],
    main: {} as World,
    get: () => api.world,
    access: { addresses: new Addresses(openMemoryAccess()), keyUses: { record: () => undefined } },
  }
  const services = {
    serverState: { version: 'simulated', startedAt: 0, phase: 'ready', url: '' },
    settings: { ...defaultSettings, sim: false },
    limits: defaultSettings,
    worlds,
    security: {
      credentials: {
        byKey: (key: string) => api.callerOf(key),
        knows: () => true,
        chosenKey: () => undefined,
      },
      failedAttempts: limitFailedAttempts({}),
    },
    connections: {
      eventStreams: new EventStreams(1, 1),
      unsent: new Unsent(defaultSettings.unsentMaxBytes),
      bodyBudget: new BodyBudget(defaultSettings.largeBodyBytesPerMinute),
    },
    monitoring: { metrics: createMetrics(), requests: new RequestLog(worlds, 10) },
    log,
  } as unknown as Services
  const { server } = await serve(services, makeHandlers(absent), { host: '127.0.0.1', port: 0 })
  server.unref()
  const api = make((socket) => void server.emit('connection', socket))
  return api
}

/** The simulation uses only orders and corporate actions. */
const absent = Object.fromEntries(
  (Object.keys(operations) as OperationName[]).map((name) => [name, () => undefined]),
) as unknown as Handlers<Context, OtherNames>

/** A stream of all events of a world that stays open, also while the world is rebuilt. */
export class OpenStream {
  /** The number of the last event that the stream has sent. */
  #upTo: number

  /** `show` gets each event as it was sent. */
  constructor(world: World, show: (seq: number, entry: Entry) => void) {
    this.#upTo = world.engine.durable
    world.publisher.listen((events) => {
      for (const { seq, event } of events) {
        assert.equal(seq, this.#upTo + 1, 'a stream skipped or repeated an event')
        this.#upTo = seq
        show(seq, storedEntry(event))
      }
    })
  }

  /** All events up to a number have been sent. */
  assertSent(seq: number): void {
    assert(this.#upTo >= seq, `a stream ended at event ${this.#upTo}, the journal has ${seq}`)
  }
}

/** Authenticates tokens like the process: loads the tokens of a world at its start and follows its events. */
export class TokenApi {
  #credentials = new Credentials()
  #world: World | undefined

  setWorld(world: World): void {
    this.#credentials = new Credentials()
    this.#credentials.worlds.add(world)
    this.#world = world
  }

  /**
   * A received token works until its expiry or revocation, also after crashes; a token whose revocation was acknowledged
   * never works again.
   */
  assertConsistent(grants: CheckerGrants, { tokens: { issued, revoked }, generator }: Clients): void {
    const { view, engine } = this.#world!
    const { now } = engine
    for (const digest of issued) {
      assert(grants.hasIssued(digest), 'a received token is in the journal')
      const caller = this.#credentials.byToken(generator.oauth.secrets.get(digest)!, 'paper')
      assert.equal(
        caller !== undefined,
        grants.isValid(digest, now),
        'a token works until its expiry or revocation',
      )
    }
    for (const id of revoked) assert(!view.tokens.has(id), 'a revoked token stays revoked')
  }
}
