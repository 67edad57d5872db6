import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { seedWorld } from '../../access/issue-keys.ts'
import { RENEW_MS } from '../../journal/lease.ts'
import { syntheticMarket } from '../../market/synthetic/synthetic.ts'
import { migrate } from '../../postgres/migrations.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { openMemoryQueryTables } from '../../query-tables/memory.ts'
import { MONDAY, plainSettings } from '../../world/testing/world.ts'
import type { World } from '../../world/world.ts'
import type { DurableRecord, DurableStorage } from '../durable-storage.ts'
import { MAIN, type MainStore, Worlds, type WorldsParts } from '../worlds.ts'
import { durablePostgres } from './durable-postgres.ts'
import { PostgresServer } from './postgres-server.ts'
import { postgresStore } from './postgres-store.ts'

// Opening a world fails after each of its steps. Its lease must end, and nothing of it may remain.

const cluster = await Cluster.common()
after(() => cluster.stop())

/** After which step of opening a world this process fails, or stalls until its lease may be over. */
type Fault =
  | 'journal'
  | 'queryTables'
  | 'snapshot'
  | 'market'
  | 'stall'
  | 'credentials'
  | 'list'
  | 'record'
  | 'deletion'

const INJECTED = new Error('injected')

/** A node whose worlds fail to open. `opened` counts the openings of journals. */
async function openNode(name: string) {
  const url = await cluster.database(name)
  await migrate(url)
  const queryTables = {
    start: () => undefined,
    open: async ({ journal }: Opening) => openMemoryQueryTables(journal),
  }
  const server = new PostgresServer(url, { queryTables })
  server.address = 'http://127.0.0.1:1'
  const state: { fault?: Fault | undefined; opened: number } = { opened: 0 }
  const fail = (fault: Fault): void => {
    if (state.fault === fault) throw INJECTED
  }
  const faulty = <Store extends Omit<MainStore, 'access'>>(store: Store): Store => ({
    ...store,
    async openJournal() {
      state.opened += 1
      const journal = await store.openJournal()
      fail('journal')
      // A process that was stopped finds its lease over.
      return Object.assign(journal, state.fault === 'stall' && { isCurrentHolder: () => false })
    },
    async openQueryTables(...args: Parameters<MainStore['openQueryTables']>) {
      fail('queryTables')
      return store.openQueryTables(...args)
    },
    async snapshot(...args: Parameters<MainStore['snapshot']>) {
      fail('snapshot')
      return store.snapshot(...args)
    },
  })
  const durable = durablePostgres(server, { warn: () => undefined })
  const storage: DurableStorage = {
    ...durable,
    store: (journal) => faulty(durable.store(journal)),
    openJournal: (journal) => faulty(durable.store(journal)).openJournal(),
    async storeRecord(...args) {
      fail('record')
      return durable.storeRecord(...args)
    },
    async deleteRecord(...args) {
      fail('deletion')
      return durable.deleteRecord(...args)
    },
  }
  const parts: WorldsParts = {
    market: (...args) => {
      fail('market')
      return syntheticMarket(args[0])
    },
    runJob: async () => undefined,
    ...{ queueMax: 99, queryTablesLagMax: 99, queryTablesWaitMs: 99, worldsMax: 99, durableWorldsMax: 99 },
    durable: storage,
    failed: () => undefined,
    codesOfMain: async () => new Set(),
  }
  const store = faulty(postgresStore(server, { warn: () => undefined }))
  const worlds = new Worlds(parts, { settings: plainSettings, store, durable: true })
  const { changes } = worlds
  const { credentials } = worlds.access
  const [add, publish] = [credentials.worlds.add, changes.publish]
  credentials.worlds.add = (...args) => {
    fail('credentials')
    return add.apply(credentials.worlds, args)
  }
  changes.publish = (change) => {
    if (change.kind === 'world') fail('list')
    publish.call(changes, change)
  }
  const leased = async () =>
    (await cluster.run('SELECT world FROM quipu_journals WHERE expires_at > clock_timestamp()', url)).map(
      ({ world }) => String(world).replace(/\.\d+$/, ''),
    )
  return { worlds, durable, state, leased, url }
}

type Opening = Parameters<PostgresServer['queryTables']['open']>[0]

const complete = async (world: World) => {
  await seedWorld(world, { accounts: ['paper'], cash: plainSettings.startingCash })
}

/** No lease is held, also after the next renewals, and no journal is opened again. */
async function assertEnded(
  { state, leased }: Awaited<ReturnType<typeof openNode>>,
  kept: readonly string[] = [],
) {
  state.fault = undefined
  assert.deepEqual(await leased(), kept)
  const { opened } = state
  await sleep(1.5 * RENEW_MS)
  assert.deepEqual(await leased(), kept)
  assert.equal(state.opened, opened)
}

test('a stored world that fails to open holds no lease, whatever has begun', async (t) => {
  const node = await openNode('stored')
  const { worlds, state, durable } = node
  t.after(() => worlds.close())
  const faults: readonly Fault[] = [
    'journal',
    'queryTables',
    'snapshot',
    'market',
    'stall',
    'credentials',
    'list',
  ]
  const records = new Map<Fault, DurableRecord>()
  for (const fault of faults) {
    await worlds.lifecycle.create(fault as string as WorldId, plainSettings, MONDAY, {
      isDurable: true,
      complete,
    })
    await worlds.holding.release(fault as string as WorldId)
    records.set(fault, (await durable.stored!(fault as string as WorldId))!.record!)
  }
  for (const [fault, record] of records) {
    state.fault = fault
    await assert.rejects(worlds.holding.openDurable(record), fault)
    assert.equal(worlds.get(record.world), undefined)
  }
  await assertEnded(node)
  for (const record of records.values())
    assert.equal((await worlds.holding.openDurable(record)).status.isUp, true)
})

test('main that fails to open holds no lease', async (t) => {
  const node = await openNode('main_world')
  const { worlds, state } = node
  t.after(() => worlds.close())
  for (const fault of ['journal', 'queryTables', 'market', 'stall', 'credentials', 'list'] as const) {
    state.fault = fault
    await assert.rejects(worlds.holding.openMain(), fault)
    assert.equal(worlds.get(MAIN), undefined)
  }
  await assertEnded(node)
  assert.equal((await worlds.holding.openMain()).status.isUp, true)
})

test('a new world that fails to open holds no lease, and nothing of it is stored', async (t) => {
  const node = await openNode('new_world')
  const { worlds, state, url } = node
  t.after(() => worlds.close())
  for (const fault of [
    'journal',
    'queryTables',
    'market',
    'stall',
    'credentials',
    'record',
    'list',
  ] as const) {
    state.fault = fault
    const creating = worlds.lifecycle.create(fault as string as WorldId, plainSettings, MONDAY, {
      isDurable: true,
      complete,
    })
    await assert.rejects(creating, fault)
  }
  await assertEnded(node)
  for (const table of ['worlds', 'journals', 'events'])
    assert.deepEqual(await cluster.run(`SELECT world FROM quipu_${table}`, url), [], table)
})

test('a world whose reset or deletion fails holds no lease', async (t) => {
  const node = await openNode('reset_world')
  const { worlds, state, durable } = node
  t.after(() => worlds.close())
  for (const fault of ['journal', 'queryTables', 'market', 'record', 'stall', 'list'] as const) {
    const id = fault as string as WorldId
    const entry = await worlds.lifecycle.create(id, plainSettings, MONDAY, { isDurable: true, complete })
    state.fault = fault
    await assert.rejects(worlds.lifecycle.reset({ ...entry, origin: entry.origin! }), fault)
    state.fault = undefined
    assert.equal(worlds.get(id), undefined)
  }
  const id = 'deletion' as WorldId
  await worlds.lifecycle.create(id, plainSettings, MONDAY, { isDurable: true, complete })
  state.fault = 'deletion'
  await assert.rejects(worlds.lifecycle.delete(id))
  await assertEnded(node)
  assert.ok(await durable.stored!(id))
  const { record } = (await durable.stored!('journal' as WorldId))!
  assert.equal((await worlds.holding.openDurable(record!)).status.isUp, true)
})

test('a world that is being opened, created or reset when the process closes holds no lease afterwards', async () => {
  const node = await openNode('closing')
  const { worlds, durable } = node
  const create = (world: string) =>
    worlds.lifecycle.create(world as WorldId, plainSettings, MONDAY, { isDurable: true, complete })
  await create('stored')
  await worlds.holding.release('stored' as WorldId)
  const { record } = (await durable.stored!('stored' as WorldId))!
  const entry = await create('reset')
  const begun = [
    worlds.holding.openDurable(record!),
    create('new'),
    worlds.lifecycle.reset({ ...entry, origin: entry.origin! }),
  ]
  const ended = Promise.allSettled(begun)
  await worlds.close()
  await ended
  await assertEnded(node)
  await assert.rejects(worlds.holding.openDurable(record!), 'nothing is opened after the end')
})
