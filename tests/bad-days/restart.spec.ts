import assert from 'node:assert/strict'
import { appendFileSync, cpSync, globSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { newFolder, startBroker } from '../broker.ts'
import { quipu } from '../quipu-process.ts'
import { Random, seed } from '../random.ts'
import { assertBooks, assertRemembered, assertSound, type Head, patientCall, settled } from './checks.ts'
import { load, type Memory, newMemory } from './load.ts'
import { type Picture, pictureOf } from './picture.ts'

/** A folder with some history, left in order. */
const kept = newFolder()
const memory: Memory = newMemory()
let was: Picture
let head: Head

before(async () => {
  const broker = await startBroker(['--data', kept])
  const random = new Random(seed, 'restart')
  await load({ broker, random, memory, name: 'kept' }, 16, () => memory.orders.size > 250)
  await settled(broker)
  was = await pictureOf(broker)
  head = await assertSound(broker)
  assert.equal(await broker.stop(), 0)
})

function copyOfKept(): string {
  const folder = newFolder()
  cpSync(kept, folder, { recursive: true })
  return folder
}

function flip(file: string, place: number): void {
  const bytes = readFileSync(file)
  bytes[place] = bytes[place]! ^ 0x10
  writeFileSync(file, bytes)
}

const views = (folder: string) => join(folder, 'views.sqlite')
const snapshots = (folder: string) => globSync(join(folder, 'snapshots', '*.snapshot'))
function eachSnapshot(folder: string, use: (file: string) => void): void {
  for (const file of snapshots(folder)) use(file)
}

const middle = (file: string) => Math.floor(readFileSync(file).length / 2)

/** What the next start finds; it must come up all the same, with the same books. */
const rows: readonly (readonly [given: string, damage: (folder: string) => void])[] = [
  ['query tables that are gone', (folder) => rmSync(views(folder))],
  ['query tables full of noise', (folder) => writeFileSync(views(folder), new Random(seed).bytes(50_000))],
  ['query tables cut in half', (folder) => truncateSync(views(folder), middle(views(folder)))],
  ['query tables with a page of noise', (folder) => noisePage(views(folder))],
  ['query tables whose position can not be read', (folder) => noisePage(views(folder), 'progress')],
  ['snapshots with a flipped byte', (folder) => eachSnapshot(folder, (one) => flip(one, middle(one)))],
  ['empty snapshots', (folder) => eachSnapshot(folder, (one) => truncateSync(one, 0))],
  [
    'neither tables nor snapshots',
    (folder) => {
      rmSync(views(folder))
      rmSync(join(folder, 'snapshots'), { recursive: true })
    },
  ],
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

for (const [given, damage] of rows)
  test(`${given}: the start rebuilds them, and everything is as it was (SEED=${seed})`, async (t) => {
    const folder = copyOfKept()
    assert(snapshots(folder).length > 0, 'a stop leaves a snapshot')
    damage(folder)
    const broker = await startBroker(['--data', folder])
    t.after(broker.kill)
    assert.deepEqual(await pictureOf(broker), was)
    assert.deepEqual(await assertSound(broker), head)
    const taken = was.orders[0].client_order_id
    const again = { ...memory.orders.get(taken)!.asked }
    assert.equal((await patientCall(broker, 'POST', '/v2/orders', again)).status, 422)
  })

test('a group that was being written is cut off, and the ready line and the log report its bytes', async (t) => {
  const folder = copyOfKept()
  // Views and snapshots never follow a group before it is acknowledged.
  rmSync(views(folder))
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
  t.after(() => quipu(['stop', '--data', folder]))
  assert.equal(code, 0, stderr)
  const { events, cutBytes } = JSON.parse(stdout).recovered
  assert.deepEqual([events, cutBytes], [sound.seq, tornBytes])
  const log = readFileSync(join(folder, 'server.log'), 'utf8')
  assert.match(log, new RegExp(`"level":"warn",.*unfinished write.*"cutBytes":${tornBytes}}`))
})

test('bytes after the last group that are none of ours are cut off as well', async (t) => {
  const folder = copyOfKept()
  const [file] = globSync(join(folder, 'journal', '*.qj'))
  appendFileSync(file!, new Random(seed, 'tail').bytes(300))
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  assert.deepEqual(await pictureOf(broker), was)
})

test('a flipped byte in the middle of the journal: no start, and the first event that is lost', async () => {
  const folder = copyOfKept()
  const [file] = globSync(join(folder, 'journal', '*.qj'))
  const text = readFileSync(file!, 'latin1')
  const place = text.indexOf('"orderFilled"', Math.floor(text.lastIndexOf('"orderFilled"') / 2))
  flip(file!, place)
  const { damage } = await verifyJournal(join(folder, 'journal'))
  assert(damage && damage.from > 1 && damage.from < head.seq)
  const { code, stderr } = await quipu(['start', '--port', '0', '--data', folder])
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^quipu: journal damaged from event ${damage.from} on: `))
})

test('a healthy folder starts again as it was, however often', async (t) => {
  const folder = copyOfKept()
  for (let round = 0; round < 2; round++) {
    const broker = await startBroker(['--data', folder])
    t.after(broker.kill)
    const seen = await settled(broker)
    assertRemembered(memory, seen)
    await assertBooks(broker, seen)
    assert.deepEqual(await assertSound(broker), head)
    assert.equal(await broker.stop(), 0)
  }
})
