import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Instant, WorldId } from '@quipu/core'
import { MAIN_CODE, worldCodes } from '../access/world-code.ts'
import { entry } from '../journal/testing/entries.ts'
import { migrate } from '../postgres/migrations.ts'
import { Cluster } from '../postgres/testing/server.ts'
import { type DurableStorage, type DurableWorld, openDurable } from '../worlds/durable.ts'
import { durableFiles } from './durable-files.ts'
import { durablePostgres } from './durable-postgres.ts'
import { PostgresServer } from './postgres-server.ts'

const cluster = await Cluster.start()
const folders: string[] = []
after(async () => {
  await cluster.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const inPostgres = (url: string) => durablePostgres(new PostgresServer(url), { warn: () => undefined })

/** Opens empty storage. `again` opens the same storage as another process does. */
const storages: readonly (readonly [string, (name: string) => Promise<() => DurableStorage>])[] = [
  [
    'files',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quipu-durable-'))
      folders.push(folder)
      return () => durableFiles(folder)
    },
  ],
  [
    'PostgreSQL',
    async (name) => {
      const url = await cluster.database(name)
      await migrate(url)
      return () => inPostgres(url)
    },
  ],
]

const ORIGIN = { at: 1n as Instant, seq: 0 }
const named = (name: string) => ({ world: name as WorldId })
type Refused = () => Promise<ReadonlySet<string>>
const allBut =
  (...codes: readonly string[]): Refused =>
  async () =>
    new Set(worldCodes.filter((code) => !codes.includes(code)))
const none: Refused = async () => new Set()

/** Creates a world without events, and returns its code. */
const create = (storage: DurableStorage, name: string, refused = none): Promise<string> =>
  openDurable(storage, named(name), refused, async (durable) => {
    await (await storage.openJournal(`${name}.1`)).close()
    await durable!.created(ORIGIN)
    return durable!.code
  })

for (const [kind, open] of storages) {
  test(`${kind}: each world gets another code, which its record keeps`, async () => {
    const again = await open('each')
    const storage = again()
    const names = Array.from({ length: 10 }, (_, number) => `world-${number}`)
    const codes = await Promise.all(names.map((name) => create(storage, name)))
    assert.equal(new Set(codes).size, names.length)
    assert.equal(codes.includes(MAIN_CODE), false)
    const records = await again().list()
    assert.deepEqual(
      records.map(({ world, code }) => [world, code]),
      names.map((name, number) => [name, codes[number]]),
    )
  })

  test(`${kind}: no world gets a refused code; without an unused one, none is created`, async () => {
    const storage = (await open('refused'))()
    assert.equal(await create(storage, 'first', allBut('Q7')), 'Q7')
    await assert.rejects(create(storage, 'second', allBut('Q7')), { reason: 'worldCodesUsed' })
    assert.deepEqual([...(await storage.usedCodes())], ['Q7'])
    await storage.deleteRecord('first' as WorldId)
    assert.equal(await create(storage, 'second', allBut('Q7')), 'Q7')
  })

  test(`${kind}: a world that cannot be opened leaves no code; a restart drops reserved ones`, async () => {
    const again = await open('unopened')
    const storage = again()
    const failing = openDurable(storage, named('failing'), none, async () => {
      throw new Error('not opened')
    })
    await assert.rejects(failing, /not opened/)
    assert.equal((await storage.usedCodes()).size, 0)
    assert.equal(await storage.reserveCode('interrupted' as WorldId, 'Q7'), 'reserved')
    const restarted = again()
    assert.deepEqual(await restarted.list(), [])
    assert.equal((await restarted.usedCodes()).size, 0)
  })

  test(`${kind}: the successor of a world after a reset has the same code`, async () => {
    const storage = (await open('successor'))()
    const world = await openDurable(storage, named('reset'), none, async (durable) => durable as DurableWorld)
    assert.equal(world.successor().code, world.code)
  })
}

test('PostgreSQL: a crash blocks the name of a world for ten minutes, and leaves no event behind', async () => {
  const url = await cluster.database('interrupted')
  await migrate(url)
  const [crashed, running] = [inPostgres(url), inPostgres(url)]
  await crashed.reserveCode('friday' as WorldId, 'Q7')
  const journal = await crashed.openJournal('friday.1')
  await journal.append([entry('an event')])
  await journal.close()
  await assert.rejects(create(running, 'friday'), { reason: 'worldNameTaken' })
  await cluster.run("UPDATE quipu_worlds SET reserved_at = now() - interval '11 minutes'", url)
  await create(running, 'friday')
  assert.deepEqual(await cluster.run('SELECT seq FROM quipu_events', url), [])
})

test('PostgreSQL: two processes never give the same code, nor the same name', async () => {
  const url = await cluster.database('processes')
  await migrate(url)
  const processes = [inPostgres(url), inPostgres(url)]
  const left = worldCodes.slice(0, 24)
  const refused = allBut(...left)
  const codes = await Promise.all(
    left.map((_, number) => create(processes[number % 2]!, `world-${number}`, refused)),
  )
  assert.deepEqual([...codes].sort(), left)
  const [first, second] = processes
  assert.equal(await first!.reserveCode('same' as WorldId, 'ZA'), 'reserved')
  assert.equal(await second!.reserveCode('other' as WorldId, 'ZA'), 'codeTaken')
  await assert.rejects(create(second!, 'same'), { reason: 'worldNameTaken' })
})
