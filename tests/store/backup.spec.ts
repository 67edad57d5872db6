import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { allOrders, assertSound } from '../bad-days/checks.ts'
import { type ClientRecords, load, newClientRecords } from '../bad-days/load.ts'
import { newFolder, startBroker } from '../broker.ts'
import { command } from '../quipu-command.ts'
import { Random, seed } from '../random.ts'
import {
  contentOf,
  copyOf,
  flip,
  journalOf,
  runStore,
  type SampleFolder,
  sampleFolder,
  store,
} from './sample-folder.ts'

let sample: SampleFolder
before(async () => {
  sample = await sampleFolder()
})

test('a backup taken under load has every acknowledged order, and a broker starts on it', async (t) => {
  const folder = newFolder()
  const [to, restored] = [join(newFolder(), 'backup'), join(newFolder(), 'restored')]
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  const records = newClientRecords()
  let isOver = false
  const loading = load({ broker, random: new Random(seed, 'load'), records, name: 'load' }, 8, () => isOver)
  while (records.orders.size < 150) await sleep(5)
  const [acknowledged, seqBefore] = [acknowledgedIn(records), records.seq]
  const taken = await runStore('backup', to, '--data', folder, '--with-credentials')
  const [seqAfter, sizeAfter] = [records.seq, records.orders.size]
  isOver = true
  await loading
  assert.ok(taken.seq >= seqBefore && taken.seq <= records.seq)
  assert.ok(seqAfter > seqBefore && sizeAfter > acknowledged.size, 'the load continued during the backup')
  await assertSound(broker)
  assert.equal(await broker.stop(), 0)
  const { seq, hash } = taken
  assert.deepEqual((await verifyJournal(journalOf(folder), { upTo: seq })).head, { seq, hash })

  await runStore('restore', to, '--data', restored)
  const again = await startBroker(['--data', restored])
  t.after(again.kill)
  assert.equal(again.secretKey, broker.secretKey)
  const restoredIds = new Map((await allOrders(again)).map((order) => [order.client_order_id, order.id]))
  for (const [name, id] of acknowledged) assert.equal(restoredIds.get(name), id, `${name} was acknowledged`)
  await assertSound(again)
  assert.equal(await again.stop(), 0)
  assert.deepEqual((await verifyJournal(journalOf(restored), { upTo: seq })).head, { seq, hash })
})

const acknowledgedIn = ({ orders }: ClientRecords): ReadonlyMap<string, string> =>
  new Map(
    [...orders]
      .filter(([, one]) => one.outcome === 'acknowledged')
      .map(([name, { order }]) => [name, order.id]),
  )

test('a backup has a manifest, and secrets only with --with-credentials', async () => {
  const manifest = JSON.parse(readFileSync(join(sample.backup, 'backup.json'), 'utf8'))
  const { at, version, ...rest } = manifest
  assert.deepEqual(rest, { format: 1, world: 'main', ...sample.head })
  assert.ok(Math.abs(Date.parse(at) - statSync(sample.backup).mtimeMs) < 3_600_000)
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual(readdirSync(sample.backup).sort(), ['access', 'backup.json', 'format.json', 'journal'])
  for (const [file, content] of contentOf(sample.backup)) assert.ok(!content.includes(sample.secret), file)
  const full = join(newFolder(), 'full')
  await runStore('backup', full, '--data', sample.data, '--with-credentials')
  assert.ok(readFileSync(join(full, 'credentials.json'), 'utf8').includes(sample.secret))
  assert.equal(statSync(join(full, 'credentials.json')).mode & 0o777, 0o600)
  assert.deepEqual(await runStore('verify', full), {
    sound: true,
    ...JSON.parse(readFileSync(join(full, 'backup.json'), 'utf8')),
  })
})

test('a backup of a damaged folder fails and leaves no files', async () => {
  const broken = copyOf(sample.data)
  flip(broken)
  const parent = newFolder()
  const { code, stderr } = await store('backup', join(parent, 'backup'), '--data', broken)
  assert.equal(code, 1)
  assert.match(stderr, /^quipu: journal damaged from event \d+ on: /)
  assert.deepEqual(readdirSync(parent), [])
})

test('a backup of a folder that is not the folder of the server is refused', async (t) => {
  const broker = await startBroker(['--data', newFolder()])
  t.after(broker.kill)
  const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
  const parent = newFolder()
  const line = ['store', 'backup', join(parent, 'backup'), '--data', sample.data, '--url', broker.url]
  const { code, stderr } = await command(line, { env: operator })
  assert.equal(code, 1)
  assert.match(stderr, /has another journal than the server/)
  assert.deepEqual(readdirSync(parent), [])
})
