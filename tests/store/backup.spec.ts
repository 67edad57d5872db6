import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SealingKey } from '../../broker/src/access/sealing-key.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { allOrders, assertSound } from '../bad-days/checks.ts'
import { type ClientRecords, load, newClientRecords } from '../bad-days/load.ts'
import { type Broker, call, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { Random, seed } from '../support/random.ts'
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
  const restored = join(newFolder(), 'restored')
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  const records = newClientRecords()
  let isOver = false
  const client = { broker, random: new Random(seed, 'load'), records, name: 'load' }
  const loading = load(client, 8, () => isOver, PAUSE_MS)
  while (records.orders.size < 150) await sleep(5)
  const { to, taken, acknowledged } = await backUpUnderLoad(folder, records)
  isOver = true
  await loading
  assert.ok(taken.seq <= records.seq)
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

const PAUSE_MS = 20
const BACKUPS_MAX = 5

/** Repeats the backup if the load did not continue during it: on a busy machine it may wait for its turn. */
async function backUpUnderLoad(folder: string, records: ClientRecords) {
  for (let attempt = 1; attempt <= BACKUPS_MAX; attempt++) {
    const to = join(newFolder(), 'backup')
    const [acknowledged, seqBefore] = [acknowledgedIn(records), records.seq]
    const taken = await runStore('backup', to, '--data', folder, '--with-credentials')
    assert.ok(taken.seq >= seqBefore)
    if (records.seq > seqBefore) return { to, taken, acknowledged }
  }
  return assert.fail('no order was acknowledged during a backup')
}

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
  const data = copyOf(sample.data)
  const sealed = new SealingKey({ kind: 'folder', folder: data }).seal('a secret of an app', 'p')
  const full = join(newFolder(), 'full')
  await runStore('backup', full, '--data', data, '--with-credentials')
  const opened = new SealingKey({ kind: 'folder', folder: full }).open(sealed, 'p')
  assert.equal(opened, 'a secret of an app')
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

// Other specs of the process run commands that find the only server, so this one stops before them.
suite('on a server with its own data folder,', () => {
  let served: { readonly folder: string; readonly broker: Broker }
  before(async () => {
    const folder = newFolder()
    served = { folder, broker: await startBroker(['--data', folder]) }
  })
  after(() => served.broker.kill())

  test('a backup is made and listed over HTTP; the store has its sizes, last audit and last backup', async () => {
    const { broker, folder } = served
    const operator = (method: string, path: string, body?: object) =>
      callAsOperator(broker, method, `/sim/v1/${path}`, body)
    const main = async () => (await operator('GET', 'worlds/main/store')).body
    const before = await main()
    assert.deepEqual(
      [before.stored_in, before.last_audit, before.last_backup],
      ['files', undefined, undefined],
    )
    for (const part of ['journal', 'query_tables', 'disk_free'])
      assert.ok(before[`${part}_bytes`] > 0, `${part} ${before[`${part}_bytes`]}`)
    assert.deepEqual((await operator('GET', 'backups')).body, [])

    const audit = (await operator('GET', 'worlds/main/audit')).body
    const { sound, seq, problems } = audit
    const { at, ...last } = (await main()).last_audit
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 3_600_000)
    assert.deepEqual(last, { sound, seq, problems })

    const made = await operator('POST', 'backups', { name: 'monday' })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.body.folder, join(folder, 'backups', 'monday'))
    const head = (await operator('GET', 'worlds/main/journal')).body
    assert.deepEqual([made.body.seq, made.body.hash], [head.seq, head.hash])
    assert.deepEqual((await operator('GET', 'backups')).body, [made.body])
    assert.deepEqual((await main()).last_backup, made.body)
    assert.ok(made.body.bytes > statSync(join(made.body.folder, 'backup.json')).size)
    const verified = await runStore('verify', made.body.folder)
    assert.deepEqual([verified.sound, verified.hash], [true, head.hash])
    assert.ok(!existsSync(join(made.body.folder, 'credentials.json')))

    const named = (await operator('POST', 'backups', {})).body
    assert.match(named.name, /^\d{8}-\d{6}$/)
    const elsewhere = join(newFolder(), 'tuesday')
    await runStore('backup', elsewhere, '--data', folder)
    assert.deepEqual((await main()).last_backup.folder, elsewhere, 'also one of the command line')
    const refused = [
      [{ name: 'monday' }, 409, /backup monday already exists/],
      [{ name: '../monday' }, 422, /name/],
      [{ name: 7 }, 422, /name/],
    ] as const
    for (const [body, status, message] of refused) {
      const response = await operator('POST', 'backups', body)
      assert.equal(response.status, status, JSON.stringify(response.body))
      assert.match(response.body.message, message)
    }
    assert.equal((await operator('GET', 'backups')).body.length, 2)
    const both = await Promise.all([
      operator('POST', 'backups', { name: 'a' }),
      operator('POST', 'backups', { name: 'b' }),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
    assert.equal((await call(broker, 'POST', '/sim/v1/backups', {})).status, 403)
  })

  test('a durable world has a size; a world in memory has none; a damaged journal is not backed up', async () => {
    const { broker, folder } = served
    for (const [durable, expected] of [
      [true, 'files'],
      [false, 'memory'],
    ] as const) {
      const world = await newWorld(broker, { durable })
      const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/store`)
      assert.deepEqual([body.stored_in, body.journal_bytes > 0], [expected, durable])
    }
    flip(folder)
    const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/backups', { name: 'damaged' })
    assert.deepEqual([status, body.code], [500, 50010000])
    assert.match(body.message, /^the backup failed: journal damaged from event/)
    assert.ok(!readdirSync(join(folder, 'backups')).some((name) => name.startsWith('damaged')))
  })

  test('a backup of a folder that is not the folder of the server is refused', async () => {
    const { broker } = served
    const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
    const parent = newFolder()
    const line = ['store', 'backup', join(parent, 'backup'), '--data', sample.data, '--url', broker.url]
    const { code, stderr } = await command(line, { env: operator })
    assert.equal(code, 1)
    assert.match(stderr, /has another journal than the server/)
    assert.deepEqual(readdirSync(parent), [])
  })
})
