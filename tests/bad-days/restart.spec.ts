import assert from 'node:assert/strict'
import { appendFileSync, cpSync, globSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { middleOf } from '../store/sample-folder.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'
import { Random, seed } from '../support/random.ts'
import {
  type AccountState,
  accountStateOf,
  assertAcknowledged,
  assertBalances,
  assertSound,
  callWithRetry,
  type Head,
  settledOrders,
} from './checks.ts'
import { type ClientRecords, load, newClientRecords } from './load.ts'

/** A data folder with some history after a clean stop. */
const original = newFolder()
const records: ClientRecords = newClientRecords()
let expected: AccountState
let head: Head
let refusedId: string
let explained: Body

/** What explains the refused order, without what would have been, which depends on the time. */
async function explainRefused(broker: Broker): Promise<Body> {
  const path = `/sim/v1/worlds/main/requests/${refusedId}/explain`
  const { status, body } = await callAsOperator(broker, 'GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  const { outcome, summary, steps } = body
  return { outcome, summary, steps }
}

before(async () => {
  const broker = await startBroker(['--data', original])
  const random = new Random(seed, 'restart')
  await load({ broker, random, records, name: 'kept' }, 16, () => records.orders.size > 100)
  await settledOrders(broker)
  const order = { symbol: 'BTC/USD', qty: '1000000', side: 'buy', type: 'market', time_in_force: 'gtc' }
  const { status, headers } = await call(broker, 'POST', '/v2/orders', order)
  assert.equal(status, 403)
  refusedId = headers.get('x-request-id')!
  explained = await explainRefused(broker)
  expected = await accountStateOf(broker)
  head = await assertSound(broker)
  assert.equal(await broker.stop(), 0)
})

function copyOfOriginal(): string {
  const folder = newFolder()
  cpSync(original, folder, { recursive: true })
  return folder
}

function flip(file: string, offset: number): void {
  const bytes = readFileSync(file)
  bytes[offset] = bytes[offset]! ^ 0x10
  writeFileSync(file, bytes)
}

const queryTables = (folder: string) => join(folder, 'query-tables.sqlite')
const snapshots = (folder: string) => globSync(join(folder, 'snapshots', '*.snapshot'))
function eachSnapshot(folder: string, use: (file: string) => void): void {
  for (const file of snapshots(folder)) use(file)
}

const middle = (file: string) => Math.floor(readFileSync(file).length / 2)

/** Damage that the next start repairs, with the same account state. */
const faults: readonly (readonly [fault: string, damage: (folder: string) => void])[] = [
  [
    'query tables full of noise',
    (folder) => writeFileSync(queryTables(folder), new Random(seed).bytes(50_000)),
  ],
  ['snapshots with a flipped byte', (folder) => eachSnapshot(folder, (one) => flip(one, middle(one)))],
  [
    'neither tables nor snapshots',
    (folder) => {
      rmSync(queryTables(folder))
      rmSync(join(folder, 'snapshots'), { recursive: true })
    },
  ],
  ['missing query tables', (folder) => rmSync(queryTables(folder))],
  ['query tables cut in half', (folder) => truncateSync(queryTables(folder), middle(queryTables(folder)))],
  ['query tables with a page of noise', (folder) => noisePage(queryTables(folder))],
  ['query tables with an unreadable position', (folder) => noisePage(queryTables(folder), 'progress')],
  ['empty snapshots', (folder) => eachSnapshot(folder, (one) => truncateSync(one, 0))],
]

/** The first page of a table, or one in the middle of the file. */
function noisePage(file: string, table?: string): void {
  const bytes = readFileSync(file)
  const at = table === undefined ? Math.floor(middle(file) / 4096) * 4096 : startOf(file, table)
  new Random(seed).bytes(4096).copy(bytes, at)
  writeFileSync(file, bytes)
}

function startOf(file: string, table: string): number {
  const database = new DatabaseSync(file)
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  database.close()
  return (Number(found!['rootpage']) - 1) * 4096
}

for (const [fault, damage] of casesOf(faults, 2))
  test(`${fault}: the start rebuilds them, and the account is unchanged (SEED=${seed})`, async (t) => {
    const folder = copyOfOriginal()
    assert(snapshots(folder).length > 0, 'a stop writes a snapshot')
    damage(folder)
    const broker = await startBroker(['--data', folder])
    t.after(broker.kill)
    assert.deepEqual(await accountStateOf(broker), expected)
    assert.deepEqual(await assertSound(broker), head)
    const usedId = expected.orders[0].client_order_id
    const again = { ...records.orders.get(usedId)!.request }
    assert.equal((await callWithRetry(broker, 'POST', '/v2/orders', again)).status, 422)
  })

test('an unfinished write at the end of the journal is cut off, and the ready line and the log report its bytes', async (t) => {
  const folder = copyOfOriginal()
  // Query tables and snapshots never follow a group before it is acknowledged.
  rmSync(queryTables(folder))
  rmSync(join(folder, 'snapshots'), { recursive: true })
  const [file] = globSync(join(folder, 'journal', '*.qj'))
  const bytes = readFileSync(file!)
  let end = bytes.length
  while (bytes[end - 1] === 0) end--
  truncateSync(file!, end - 7)
  const { head: sound, tornBytes } = await verifyJournal(join(folder, 'journal'))
  assert(tornBytes > 0 && sound.seq < head.seq)
  const { code, stdout, stderr } = await quipu([
    'start',
    '--detach',
    '--json',
    '--port',
    '0',
    '--data',
    folder,
  ])
  t.after(() => command(['stop', '--data', folder]))
  assert.equal(code, 0, stderr)
  const { events, cutBytes } = JSON.parse(stdout).recovered
  assert.deepEqual([events, cutBytes], [sound.seq, tornBytes])
  const log = readFileSync(join(folder, 'server.log'), 'utf8')
  assert.match(log, new RegExp(`"level":"warn",.*unfinished write.*"cutBytes":${tornBytes}}`))
})

test('foreign bytes after the last group are cut off', async (t) => {
  const folder = copyOfOriginal()
  const [file] = globSync(join(folder, 'journal', '*.qj'))
  appendFileSync(file!, new Random(seed, 'tail').bytes(300))
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  assert.deepEqual(await accountStateOf(broker), expected)
  assert.deepEqual(await explainRefused(broker), explained, 'a refused order is still explained')
})

test('a flipped byte in the middle of the journal: the start fails and names the first damaged event', async () => {
  const folder = copyOfOriginal()
  const [file] = globSync(join(folder, 'journal', '*.qj'))
  flip(file!, middleOf(readFileSync(file!)))
  const { damage } = await verifyJournal(join(folder, 'journal'))
  assert(damage && damage.from > 1 && damage.from < head.seq)
  const { code, stderr } = await quipu(['start', '--port', '0', '--data', folder])
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^quipu: journal damaged from event ${damage.from} on: `))
})

// kill.spec.ts and stop.spec.ts start an undamaged folder again in each run.
test('repeated restarts of an undamaged folder change nothing', { skip: !hasAllCases }, async (t) => {
  const folder = copyOfOriginal()
  for (let round = 0; round < 2; round++) {
    const broker = await startBroker(['--data', folder])
    t.after(broker.kill)
    const current = await settledOrders(broker)
    assertAcknowledged(records, current)
    await assertBalances(broker, current)
    assert.deepEqual(await assertSound(broker), head)
    assert.equal(await broker.stop(), 0)
  }
})
