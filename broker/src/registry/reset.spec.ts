import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { seedWorld } from '../access/issue-keys.ts'
import { Fenced, isLostForGood } from '../journal/journal.ts'
import { emptyFolder } from '../journal/testing/journal.ts'
import { syntheticMarket } from '../market/synthetic/synthetic.ts'
import { MONDAY, plainSettings } from '../world/testing/world.ts'
import type { DurableStorage } from './durable-storage.ts'
import { durableFiles } from './store/durable-files.ts'
import { filesStore } from './store/main-store.ts'
import { Worlds } from './worlds.ts'

const FRIDAY = 'friday' as WorldId

/** The worlds of a node, which opens a world when it claims it. */
function openNode(storage: DurableStorage) {
  const parts = {
    runJob: async () => undefined,
    queueMax: 9,
    queryTablesLagMax: 9,
    queryTablesWaitMs: 9,
    worldsMax: 9,
  }
  const store = filesStore(emptyFolder(), { warn: () => undefined, recovered: () => undefined })
  const failures: unknown[] = []
  const failed = (_: WorldId, error: unknown) => failures.push(error)
  const worlds = new Worlds(
    {
      ...parts,
      market: syntheticMarket,
      failed,
      durable: storage,
      durableWorldsMax: 9,
      codesOfMain: async () => new Set(),
    },
    { settings: plainSettings, store, durable: true },
  )
  return { worlds, failures }
}

for (const method of ['openJournal', 'storeRecord', 'deleteJournal'] as const)
  test(`after a reset in which ${method} fails, a node has the world as it is stored`, async (t) => {
    const files = durableFiles(emptyFolder())
    let fails = false
    const failing = async (...args: never[]): Promise<never> => {
      if (fails)
        throw method === 'deleteJournal' ? new Fenced('friday.1', 'another') : new Error('no space left')
      return (files[method] as (...values: never[]) => Promise<never>)(...args)
    }
    const { worlds, failures } = openNode({ ...files, [method]: failing })
    t.after(() => worlds.close())
    const complete = async (world: Parameters<typeof seedWorld>[0]) => {
      await seedWorld(world, { accounts: ['paper'], cash: plainSettings.startingCash })
    }
    const entry = await worlds.lifecycle.create(FRIDAY, plainSettings, MONDAY, { isDurable: true, complete })
    fails = true
    const reset = worlds.lifecycle.reset({ ...entry, origin: entry.origin! })
    const isDone = method === 'deleteJournal'
    if (isDone) await reset
    else await assert.rejects(reset, /no space left/)
    // A final error would make the node give up the world.
    assert.deepEqual(failures.map(isLostForGood), isDone ? [false] : [])
    assert.equal(worlds.get(FRIDAY)?.status.isUp, isDone ? true : undefined)
    fails = false
    // The node claims the world.
    const [record] = await files.list()
    if (!isDone) await worlds.holding.openDurable(record!)
    assert.equal(worlds.get(FRIDAY)?.status.isUp, true)
    assert.equal(worlds.get(FRIDAY)?.view.seq, entry.origin!.seq)
  })

/** Longer than the pause between two attempts to delete what a failed creation has stored. */
const RETRIED_MS = 1_500

// Otherwise it would delete a world that has acknowledged orders since.
test('a node that still has to undo the creation of a world does not open the world', async (t) => {
  const files = durableFiles(emptyFolder())
  let isLost = true
  const lost = () => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })
  const { worlds } = openNode({
    ...files,
    async storeRecord(record, earlier) {
      await files.storeRecord(record, earlier)
      throw lost()
    },
    async deleteRecord(record) {
      if (isLost) throw lost()
      await files.deleteRecord(record)
    },
  })
  t.after(() => worlds.close())
  await assert.rejects(worlds.lifecycle.create(FRIDAY, plainSettings, MONDAY, { isDurable: true }))
  // The node finds the world in the table, and claims it.
  const record = await files.record(FRIDAY)
  await worlds.holding.openDurable(record!).catch(() => undefined)
  const isOpen = worlds.get(FRIDAY)?.status.isUp === true
  isLost = false
  await sleep(RETRIED_MS)
  assert.equal((await files.record(FRIDAY)) !== undefined, isOpen, 'open and stored, or neither')
  assert.equal(isOpen, false)
})

// The world reports its failure itself. A clock would report it 200 times a second, such as while a database is away.
test('a running clock does not report that its world is down', async (t) => {
  const files = durableFiles(emptyFolder())
  const mended = Promise.withResolvers<void>()
  let isSlow = false
  const { worlds, failures } = openNode({
    ...files,
    async openJournal(name) {
      if (isSlow) await mended.promise
      return files.openJournal(name)
    },
  })
  t.after(() => worlds.close())
  const entry = await worlds.lifecycle.create(FRIDAY, plainSettings, MONDAY, { isDurable: true })
  isSlow = true
  const reset = worlds.lifecycle.reset({ ...entry, origin: entry.origin! })
  while (entry.world.status.isUp) await sleep(1)
  entry.clock!.run(1)
  await sleep(100)
  mended.resolve()
  await reset
  assert.deepEqual(failures, [])
})
