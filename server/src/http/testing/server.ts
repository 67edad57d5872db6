import { type FailedAttemptLimits, limitFailedAttempts } from '@quipu/broker/access/failed-attempts.ts'
import { issueKey, type KeyPair, seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { SealingKey } from '@quipu/broker/access/sealing-key.ts'
import type { VirtualClock } from '@quipu/broker/clock/virtual.ts'
import { openMemoryJournal } from '@quipu/broker/journal/memory.ts'
import { createLog } from '@quipu/broker/log/log.ts'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import { openMemoryQueryTables } from '@quipu/broker/query-tables/memory.ts'
import { openServer, type Worlds, type WorldsParts } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type Handlers, type OperationName, operations } from '@quipu/contract'
import type { AccountId, Instant, Money, WorldId, WorldSettings } from '@quipu/core'
import { readConfig } from '../../config/config.ts'
import { localReader } from '../../history/reader.ts'
import { recordFailedAttempts } from '../../start/failed-attempt-notices.ts'
import { BodyBudget } from '../body/body-budget.ts'
import { OpenSockets } from '../connection/open-sockets.ts'
import type { Context } from '../context.ts'
import { pageCache } from '../data/page-cache.ts'
import { EventStreams } from '../event-stream.ts'
import { makeHandlers, type OtherNames } from '../handlers.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { RequestLog } from '../request-log.ts'
import { type Binding, type Serving, serve, type Upgrade } from '../serve.ts'
import type { RequestSettings, Security, Services } from '../services.ts'
import { Unsent } from '../unsent.ts'
import { WebFiles } from '../web/web-files.ts'
import { request } from './request.ts'

/** A server on a real socket, with a world in memory whose clock is frozen until the test advances it. */
export type TestServer = {
  readonly services: Services
  readonly serving: Serving
  readonly url: string
  readonly world: World
  readonly clock: VirtualClock
  readonly accountId: AccountId
  readonly key: KeyPair
  readonly otherKey: KeyPair
  readonly partnerKey: KeyPair
  readonly operatorKey: KeyPair
  /** The log lines. */
  readonly lines: string[]
  close(): Promise<void>
}

export type TestSetup = {
  readonly limits?: Partial<Services['limits']>
  readonly binding?: Partial<Binding>
  readonly handlers?: Partial<Handlers<Context>>
  readonly settings?: Partial<RequestSettings>
  readonly security?: Partial<Security>
  readonly market?: Partial<Services['market']>
  readonly services?: Partial<Services>
  readonly upgrade?: Upgrade
  /** Default: no limits. */
  readonly failedAttempts?: Partial<FailedAttemptLimits>
  /** Settings of the world that differ from the default. */
  readonly world?: Partial<WorldSettings>
  /** Default: jobs are not run. */
  readonly runJob?: WorldsParts['runJob']
}

/** Monday 2 November 2026, 10:00 in New York. */
export const OPEN_MONDAY = 1_793_631_600_000_000_000n as Instant
const CASH = 100_000_000_000_000n as Money
const settings: WorldSettings = {
  seed: 'http',
  hours: 'nyse',
  fillSize: 'unlimited',
  latencyNs: 1_000_000n,
  startingCash: CASH,
}

/** The settings and limits of a server that was given none. */
export const { config: defaultSettings } = readConfig({ flags: new Map(), env: {}, readText: () => '' })

export async function openTestServer(setup: TestSetup = {}): Promise<TestServer> {
  const lines: string[] = []
  const log = createLog({ level: 'debug', readable: false, write: (text) => lines.push(text) })
  const failed = (error: unknown) => log.error('world failed', { error: String(error) })
  const worlds = await openWorlds(failed, setup.limits?.queryTablesWaitMs, setup.runJob)
  const { world, clock } = await worlds.lifecycle.create(
    'lab' as WorldId,
    { ...settings, ...setup.world },
    OPEN_MONDAY,
  )
  // Its operator has rights over the server, as if it were `main`: its clock is one that tests control.
  world.access.hasOperators = true
  const { accounts, partnerId, partnerKey } = await seedWorld(world, {
    accounts: ['paper', 'paper'],
    cash: CASH,
  })
  const operatorKey = await issueKey(world, { kind: 'partner', partnerId, operator: true })
  const limits = { ...defaultSettings, stopGraceMs: 1000, ...setup.limits }
  const services: Services = {
    serverState: { version: '0.0.0-test', startedAt: 0, phase: 'ready', url: '' },
    settings: { ...defaultSettings, ...setup.settings },
    limits,
    worlds,
    security: {
      credentials: worlds.access.credentials,
      failedAttempts: limitFailedAttempts(setup.failedAttempts ?? {}, recordFailedAttempts(worlds, log)),
      sealingKey: new SealingKey({ kind: 'memory' }),
      ...setup.security,
    },
    connections: {
      sockets: new OpenSockets(),
      eventStreams: new EventStreams(limits.eventStreamsMax, limits.eventStreamsPerKey),
      unsent: new Unsent(limits.unsentMaxBytes),
      bodyBudget: new BodyBudget(limits.largeBodyBytesPerMinute),
    },
    market: { history: localReader, pages: pageCache(limits.pageCacheBytes), ...setup.market },
    // A test does not depend on a build.
    web: new WebFiles('no-such-folder'),
    monitoring: { metrics: createMetrics(), requests: new RequestLog(worlds, 100) },
    log,
    ...setup.services,
  }
  const handlers = { ...makeHandlers(absent), ...setup.handlers }
  const binding = { host: '127.0.0.1', port: 0, ...setup.binding }
  const serving = await serve(services, handlers, binding, setup.upgrade)
  const [first, second] = [accounts[0]!, accounts[1]!]
  return {
    services,
    serving,
    url: serving.url,
    world,
    clock: clock!,
    accountId: first.account.id,
    key: first,
    otherKey: second,
    partnerKey,
    operatorKey,
    lines,
    async close() {
      services.connections.eventStreams.close()
      await serving.stop()
      await worlds.close()
      services.monitoring.metrics.close()
    },
  }
}

const openWorlds = (
  failed: (error: unknown) => void,
  queryTablesWaitMs = 1000,
  runJob: WorldsParts['runJob'] = async () => undefined,
): Promise<Worlds> =>
  openServer(
    {
      market: syntheticMarket,
      runJob,
      queueMax: 1000,
      queryTablesLagMax: 1000,
      queryTablesWaitMs,
      worldsMax: 10,
      failed: (_, error) => failed(error),
    },
    {
      settings,
      store: {
        openJournal: async () => openMemoryJournal(),
        openQueryTables: openMemoryQueryTables,
        snapshot: async () => undefined,
      },
      durable: false,
    },
  )

/** Operations outside server/src/http have no handler in these tests; a call is a bug of the test. */
const absent = Object.fromEntries(
  (Object.keys(operations) as OperationName[]).map((name) => [
    name,
    () => {
      throw new Error(`no handler for ${name} in this test`)
    },
  ]),
) as unknown as Handlers<Context, OtherNames>

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
type Json = any

export type Called = { readonly status: number; readonly headers: Headers; readonly body: Json }

export type CallOptions = {
  readonly key?: KeyPair | undefined
  readonly headers?: Record<string, string>
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
}

/** Sends one request and parses a JSON body. */
export async function call(
  { url }: { readonly url: string },
  route: string,
  { key, headers = {}, body }: CallOptions = {},
): Promise<Called> {
  const [method, path] = route.split(' ')
  const credentials = key ? { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey } : {}
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await request(`${url}${path}`, method!, { ...credentials, ...headers }, sent)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { ...response, body: isJson && response.text ? JSON.parse(response.text) : response.text }
}
