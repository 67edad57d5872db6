import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  fstatSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ClientOrderId, forget, type Order } from '@quipu/core'
import { stateText } from '../../../core/src/testing/state-text.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { buy, decided, type TestWorld } from '../world/testing/world.ts'
import { rebuildQueryTables } from './rebuild.ts'
import { QueryTablesFolder, WORLD } from './testing/query-tables-folder.ts'
import { openOnDisk, place } from './testing/world-on-disk.ts'

const PAGE_BYTES = 4096
const KILLS = process.env['KILLS'] === undefined ? 1 : 4
const taken = { ok: false, reason: { code: 'clientOrderIdTaken' } }
const names = Array.from({ length: 25 }, (_, index) => `order ${index}`)

/** Orders that filled, and one that stays open. */
async function trade(testWorld: TestWorld): Promise<void> {
  await decided(testWorld.world, {
    ...buy(testWorld.account, 'MSFT', '1', '1'),
    clientOrderId: 'open' as ClientOrderId,
  })
  for (const name of names) {
    assert.ok((await place(testWorld, name)).ok)
    await testWorld.world.storage.queryTables.reached(testWorld.world.engine.durable)
  }
}

async function ordersIn({ world, account }: TestWorld): Promise<readonly Order[]> {
  await world.storage.queryTables.reached(world.engine.durable)
  return world.storage.queryTables.orders({
    accountId: account.id,
    status: 'all',
    limit: 500,
    direction: 'asc',
  })
}

/** The state without orders that may already be out of memory. */
function stateOf({ world }: TestWorld): string {
  const state = structuredClone(world.view) as never
  forget(state, world.view.seq)
  return stateText(state)
}

test('closed orders leave memory, are still found, and keep their client order ids reserved', async () => {
  const folder = new QueryTablesFolder()
  const testWorld = await openOnDisk(folder)
  await trade(testWorld)
  assert.ok(testWorld.world.view.orders.size <= 4, `${testWorld.world.view.orders.size} orders are in memory`)
  assert.ok(testWorld.world.view.clientOrderIds.get(testWorld.account.id)!.size <= 4)
  assert.equal((await ordersIn(testWorld)).length, names.length + 1)
  for (const name of names) assert.deepEqual(await place(testWorld, name), taken, name)
  assert.deepEqual(await place(testWorld, 'open'), taken)
  await testWorld.world.close()
  assert.deepEqual(testWorld.failures, [])
})

/** A world with trades that was closed. Tests open copies of its folder. */
const closed = (async () => {
  const folder = new QueryTablesFolder()
  const testWorld = await openOnDisk(folder)
  await trade(testWorld)
  const [orders, state] = [await ordersIn(testWorld), stateOf(testWorld)]
  await testWorld.world.close()
  assert.deepEqual(testWorld.failures, [])
  return { path: folder.path, orders, state }
})()

/** `npm run test:long` runs all of them, `npm test` the first four. */
const openings: readonly (readonly [what: string, between: (folder: QueryTablesFolder) => void])[] = [
  ['after a clean close', () => undefined],
  ['with damaged snapshots', spoilSnapshots],
  // The rows after that position already exist; this is detected only when they are written again.
  [
    'with query tables whose position is too low',
    (folder) => run(folder, 'UPDATE progress SET position = 9'),
  ],
  [
    'with neither',
    (folder) => {
      rmSync(folder.snapshots(), { recursive: true })
      rmSync(folder.file())
    },
  ],
  ['without snapshots', (folder) => rmSync(folder.snapshots(), { recursive: true })],
  ['without query tables', (folder) => rmSync(folder.file())],
  ['with a header of query tables that no SQLite knows', (folder) => spoilPage(folder, 1, 44, 4)],
  [
    'with query tables whose position can not be read',
    (folder) => spoilPage(folder, pageOf(folder, 'progress')),
  ],
]

for (const [what, between] of openings.slice(0, process.env['CASES'] === 'all' ? undefined : 4))
  test(`reopened ${what}, a world returns the same data`, async () => {
    const { path, orders, state } = await closed
    const folder = new QueryTablesFolder()
    cpSync(path, folder.path, { recursive: true })
    between(folder)
    const second = await openOnDisk(folder)
    assert.equal(stateOf(second), state)
    assert.deepEqual(
      [...second.world.view.orders.values()].map(({ status }) => status),
      ['new'],
    )
    assert.deepEqual(await ordersIn(second), orders)
    for (const name of [...names, 'open']) assert.deepEqual(await place(second, name), taken, name)
    assert.ok((await place(second, 'new')).ok)
    await second.world.close()
    assert.deepEqual(second.failures, [])
  })

test('when its query tables fail, a world is rebuilt with new query tables and continues', async () => {
  const folder = new QueryTablesFolder()
  const testWorld = await openOnDisk(folder)
  await trade(testWorld)
  const orders = await ordersIn(testWorld)
  for (const path of [folder.file(), `${folder.file()}-wal`]) overwrite(path)
  await assert.rejects(async () => {
    await place(testWorld, 'later')
    await ordersIn(testWorld)
  }, NotApplied)
  while (!isUp(testWorld)) await sleep(5)
  const after = await ordersIn(testWorld)
  assert.deepEqual(
    after.filter(({ clientOrderId }) => clientOrderId !== 'later'),
    orders,
  )
  for (const name of names) assert.deepEqual(await place(testWorld, name), taken, name)
  assert.equal(testWorld.failures.length, 1)
  await testWorld.world.close()
})

const tradeForever = fileURLToPath(new URL('testing/trade-forever.child.ts', import.meta.url))

/** Runs a process that trades, kills it after some orders, and returns the client order ids that it acknowledged. */
async function tradeAndKill(folder: string, round: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [tradeForever, folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.split('\n').length > round * 23) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  return printed.split('\n').slice(0, -1)
}

test('after kill -9 the query tables match the journal, and client order ids stay reserved', async () => {
  const folder = new QueryTablesFolder()
  const acknowledged: string[] = []
  for (let round = 1; round <= KILLS; round++) {
    acknowledged.push(...(await tradeAndKill(folder.path, round)))
    const testWorld = await openOnDisk(folder)
    for (const name of acknowledged) assert.deepEqual(await place(testWorld, name), taken, name)
    const { world } = testWorld
    const head = world.storage.journal.head()
    await world.close()
    assert.deepEqual(testWorld.failures, [])
    assert.deepEqual(folder.logged, [])
    const rows = folder.rows()
    const { journalFolder, file } = folder
    await rebuildQueryTables({ world: WORLD, file: file(), journalFolder: journalFolder(), head })
    assert.deepEqual(folder.rows(), rows)
  }
  assert.ok(readdirSync(folder.snapshots()).some((name) => name.endsWith('.snapshot')))
})

/** Overwrites everything after the header of the file. */
function overwrite(path: string): void {
  const file = openSync(path, 'r+')
  const size = fstatSync(file).size - 100
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, 100)
  closeSync(file)
}

/** Overwrites bytes of a page of the tables. Pages are numbered from 1. */
function spoilPage(folder: QueryTablesFolder, page: number, from = 0, length = PAGE_BYTES): void {
  const file = openSync(folder.file(), 'r+')
  writeSync(file, Buffer.alloc(length, 0xff), 0, length, (page - 1) * PAGE_BYTES + from)
  closeSync(file)
}

function pageOf(folder: QueryTablesFolder, table: string): number {
  const database = new DatabaseSync(folder.file())
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  database.close()
  return Number(found!['rootpage'])
}

function run(folder: QueryTablesFolder, sql: string): void {
  const database = new DatabaseSync(folder.file())
  database.exec(sql)
  database.close()
}

function spoilSnapshots(folder: QueryTablesFolder): void {
  for (const name of readdirSync(folder.snapshots())) writeFileSync(join(folder.snapshots(), name), 'x\n')
}

function isUp({ world }: TestWorld): boolean {
  try {
    return world.view.settings !== undefined
  } catch {
    return false
  }
}
