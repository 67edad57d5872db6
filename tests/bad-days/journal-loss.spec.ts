import assert from 'node:assert/strict'
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { rebuildStore } from '../../broker/src/backup/rebuild.ts'
import { SEGMENT_EVENTS } from '../../broker/src/journal/chain.ts'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { storedEntry } from '../../broker/src/journal/stored-event.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { contentOf, copyOf, firstFile, journalOf } from '../store/sample-folder.ts'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'

const LOST_RECORDS = 200

/** A folder after a first start and some more events, with query tables and a snapshot of all of them. */
const original = newFolder()
let seq: number

before(async () => {
  const broker = await startBroker(['--data', original])
  assert.equal(await broker.stop(), 0)
  seq = await addEvents(original, LOST_RECORDS + 50, 1)
})

/** Adds records with `size` events each; the events change no account. */
async function addEvents(folder: string, records: number, size: number): Promise<number> {
  const at = (BigInt(Date.now()) * 1_000_000n) as Instant
  const entry = storedEntry({ kind: 'failedAttemptLimitReached', at, where: 'signIn' })
  const journal = await openFilesJournal(journalOf(folder))
  for (let record = 0; record < records; record++) await journal.append(Array(size).fill(entry))
  await journal.close()
  return (await rebuildStore(folder)).seq
}

const removeJournal = (folder: string) => rmSync(journalOf(folder), { recursive: true })
const removeQueryTables = (folder: string) => rmSync(join(folder, 'query-tables.sqlite'))
const removeSnapshots = (folder: string) => rmSync(join(folder, 'snapshots'), { recursive: true })

/** The offset in the only file at which its last `records` records begin. */
function offsetOf(folder: string, records: number): number {
  const text = readFileSync(firstFile(folder), 'latin1')
  return [...text.matchAll(/\x1equipu /g)].at(-records)!.index
}

const cutRecords = (folder: string) => truncateSync(firstFile(folder), offsetOf(folder, LOST_RECORDS))

function zeroRecords(folder: string): void {
  const bytes = readFileSync(firstFile(folder))
  writeFileSync(firstFile(folder), bytes.fill(0, offsetOf(folder, LOST_RECORDS)))
}

/** The first four differ in the file that proves the loss and in the event number of the end. */
const faults: readonly (readonly [string, end: () => number, proof: RegExp, (folder: string) => void])[] = [
  ['no journal', () => 0, /query-tables\.sqlite/, removeJournal],
  [
    'only the credentials of a finished first start',
    () => 0,
    /credentials\.json/,
    (folder) => {
      removeJournal(folder)
      removeQueryTables(folder)
      removeSnapshots(folder)
    },
  ],
  [
    'the last 200 records cut, without query tables',
    () => seq - LOST_RECORDS,
    /snapshots\/\d{16}\.snapshot/,
    (folder) => {
      cutRecords(folder)
      removeQueryTables(folder)
    },
  ],
  [
    'the last record torn, though it was acknowledged',
    () => seq - 1,
    /query-tables\.sqlite/,
    (folder) => truncateSync(firstFile(folder), offsetOf(folder, 1) + 90),
  ],
  ['the last 200 records cut', () => seq - LOST_RECORDS, /query-tables\.sqlite/, cutRecords],
  ['the last 200 records zeroed', () => seq - LOST_RECORDS, /query-tables\.sqlite/, zeroRecords],
  [
    'the last 200 records cut, without snapshots',
    () => seq - LOST_RECORDS,
    /query-tables\.sqlite/,
    (folder) => {
      cutRecords(folder)
      removeSnapshots(folder)
    },
  ],
  [
    'an empty journal folder',
    () => 0,
    /query-tables\.sqlite/,
    (folder) => {
      removeJournal(folder)
      mkdirSync(journalOf(folder))
    },
  ],
]

for (const [fault, endOf, proof, damage] of casesOf(faults, 4))
  test(`${fault}: the start fails and names both event numbers, and no file changes`, async () => {
    const folder = copyOf(original)
    damage(folder)
    await assertReported(folder, endOf(), endOf() === 0 && proof.test('credentials.json') ? 1 : seq, proof)
  })

test('a missing last file: the start fails and names both event numbers, and no file changes', {
  skip: !hasAllCases,
}, async () => {
  const folder = copyOf(original)
  const last = await addEvents(folder, 40, 2_000)
  const files = globSync(join(journalOf(folder), '*.qj')).sort()
  assert.equal(files.length, 2)
  rmSync(files[1]!)
  const { head } = await verifyJournal(journalOf(folder))
  assert.ok(head.seq >= SEGMENT_EVENTS && head.seq < last)
  await assertReported(folder, head.seq, last, /query-tables\.sqlite/)
})

/** `start` in a separate process and the commands that check a folder report the loss. */
async function assertReported(folder: string, end: number, lost: number, proof: RegExp): Promise<void> {
  const content = bytesOf(folder)
  const line = new RegExp(
    `the journal lost its end: its last event is ${end}, but [^:]*${proof.source} was written after event ${lost}`,
  )
  const started = await startBroker(['--data', folder]).then(killStarted, String)
  assert.match(
    started,
    new RegExp(`exited with 1: quipu: ${line.source}[^\\n]*--accept-journal-loss[^\\n]*\\n$`),
  )
  for (const words of [['audit'], ['store', 'verify']]) {
    const { code, stdout } = await command([...words, '--json', '--data', folder])
    const { sound, problems } = JSON.parse(stdout)
    assert.deepEqual([code, sound], [1, false], words.join(' '))
    assert.match(problems[0], line)
  }
  const backups = newFolder()
  for (const words of [['backup', join(backups, 'b')], ['rebuild']]) {
    const { code, stderr } = await command(['store', ...words, '--json', '--data', folder])
    assert.equal(code, 1)
    assert.match(stderr, line)
  }
  assert.deepEqual(readdirSync(backups), [])
  assert.deepEqual(bytesOf(folder), content)
}

async function killStarted(broker: Broker): Promise<string> {
  await broker.kill()
  return 'the broker started'
}

/** File contents, without the empty files that SQLite creates beside a database when it reads it. */
const bytesOf = (folder: string) =>
  new Map([...contentOf(folder)].filter(([file]) => !/-(wal|shm)$/.test(file)))

const lossFolderIn = (folder: string): string => {
  const [name, ...more] = readdirSync(folder).filter((one) => one.startsWith('journal-loss-'))
  assert.deepEqual(more, [])
  return join(folder, name!)
}

test('with --accept-journal-loss the broker starts, keeps the replaced files, and the next start needs no flag', async (t) => {
  const folder = copyOf(original)
  cutRecords(folder)
  const file = firstFile(folder)
  truncateSync(file, readFileSync(file).length - 7)
  const torn = readFileSync(file)
  const [queryTables, snapshot] = [
    'query-tables.sqlite',
    `snapshots/${String(seq).padStart(16, '0')}.snapshot`,
  ].map((name) => [name, readFileSync(join(folder, name))] as const)
  const broker = await startBroker(['--data', folder, '--accept-journal-loss'])
  t.after(broker.kill)
  const lossFolder = lossFolderIn(folder)
  assert.match(broker.log(), new RegExp(`"warn","message":"the journal lost its end: .*${lossFolder}`))
  for (const [name, bytes] of [queryTables!, snapshot!])
    assert.deepEqual(readFileSync(join(lossFolder, name)), bytes)
  assert.deepEqual(readFileSync(join(lossFolder, file.slice(journalOf(folder).length + 1))), torn)
  const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
  assert.equal(await broker.stop(), 0)
  const { code, stdout } = await command(['store', 'verify', '--json', '--data', folder])
  assert.deepEqual([code, JSON.parse(stdout).sound], [0, true])
  const again = await startBroker(['--data', folder])
  t.after(again.kill)
  assert.equal(again.accountId, broker.accountId)
  assert.equal((await call(again, 'GET', '/v2/orders?status=all')).body.length, 1)
})

test('with --accept-journal-loss and no journal the start creates a new account for the same key', async (t) => {
  const folder = copyOf(original)
  removeJournal(folder)
  const before = readFileSync(join(folder, 'credentials.json'))
  const broker = await startBroker(['--data', folder, '--accept-journal-loss'])
  t.after(broker.kill)
  assert.equal(broker.keyId, JSON.parse(String(before)).keyId)
  assert.deepEqual(readFileSync(join(lossFolderIn(folder), 'credentials.json')), before)
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
})

test('the next start finishes a first start that was interrupted before its first event', async (t) => {
  const folder = newFolder()
  cpSync(join(original, 'format.json'), join(folder, 'format.json'))
  const { accountId: _, ...planned } = JSON.parse(readFileSync(join(original, 'credentials.json'), 'utf8'))
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(planned))
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  assert.equal(broker.keyId, planned.keyId)
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
})
