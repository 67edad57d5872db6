import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { allOrders, assertSound } from '../bad-days/checks.ts'
import { load, type Memory, newMemory } from '../bad-days/load.ts'
import { newFolder, startBroker } from '../broker.ts'
import { command } from '../quipu-command.ts'
import { Random, seed } from '../random.ts'
import { answered, contentOf, copyOf, flip, journalOf, type Kept, keptFolder, store } from './kept.ts'

let kept: Kept
before(async () => {
  kept = await keptFolder()
})

test('a backup taken under load holds all that was acknowledged, and starts as a broker', async (t) => {
  const folder = newFolder()
  const [to, restored] = [join(newFolder(), 'backup'), join(newFolder(), 'restored')]
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  const memory = newMemory()
  let isOver = false
  const loading = load({ broker, random: new Random(seed, 'load'), memory, name: 'load' }, 8, () => isOver)
  while (memory.orders.size < 150) await sleep(5)
  const [acknowledged, seqBefore] = [acknowledgedIn(memory), memory.seq]
  const taken = await answered('backup', to, '--data', folder, '--with-credentials')
  const [seqAfter, sizeAfter] = [memory.seq, memory.orders.size]
  isOver = true
  await loading
  assert.ok(taken.seq >= seqBefore && taken.seq <= memory.seq)
  assert.ok(seqAfter > seqBefore && sizeAfter > acknowledged.size, 'the load went on meanwhile')
  await assertSound(broker)
  assert.equal(await broker.stop(), 0)
  const { seq, hash } = taken
  assert.deepEqual((await verifyJournal(journalOf(folder), { upTo: seq })).head, { seq, hash })

  await answered('restore', to, '--data', restored)
  const again = await startBroker(['--data', restored])
  t.after(again.kill)
  assert.equal(again.secretKey, broker.secretKey)
  const there = new Map((await allOrders(again)).map((order) => [order.client_order_id, order.id]))
  for (const [name, id] of acknowledged) assert.equal(there.get(name), id, `${name} was acknowledged`)
  await assertSound(again)
  assert.equal(await again.stop(), 0)
  assert.deepEqual((await verifyJournal(journalOf(restored), { upTo: seq })).head, { seq, hash })
})

const acknowledgedIn = ({ orders }: Memory): ReadonlyMap<string, string> =>
  new Map(
    [...orders]
      .filter(([, one]) => one.outcome === 'acknowledged')
      .map(([name, { order }]) => [name, order.id]),
  )

test('a backup says what it is, and has secrets only when asked for', async () => {
  const manifest = JSON.parse(readFileSync(join(kept.backup, 'backup.json'), 'utf8'))
  const { at, version, ...rest } = manifest
  assert.deepEqual(rest, { format: 1, world: 'main', ...kept.head })
  assert.ok(Math.abs(Date.parse(at) - statSync(kept.backup).mtimeMs) < 3_600_000)
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual(readdirSync(kept.backup).sort(), ['access', 'backup.json', 'format.json', 'journal'])
  for (const [file, content] of contentOf(kept.backup)) assert.ok(!content.includes(kept.secret), file)
  const full = join(newFolder(), 'full')
  await answered('backup', full, '--data', kept.data, '--with-credentials')
  assert.ok(readFileSync(join(full, 'credentials.json'), 'utf8').includes(kept.secret))
  assert.equal(statSync(join(full, 'credentials.json')).mode & 0o777, 0o600)
  assert.deepEqual(await answered('verify', full), {
    sound: true,
    ...JSON.parse(readFileSync(join(full, 'backup.json'), 'utf8')),
  })
})

test('a backup of a broken folder is none: nothing is left of it', async () => {
  const broken = copyOf(kept.data)
  flip(broken)
  const parent = newFolder()
  const { code, stderr } = await store('backup', join(parent, 'backup'), '--data', broken)
  assert.equal(code, 1)
  assert.match(stderr, /^quipu: journal damaged from event \d+ on: /)
  assert.deepEqual(readdirSync(parent), [])
})

test('a folder that is not the one of the server is not taken for it', async (t) => {
  const broker = await startBroker(['--data', newFolder()])
  t.after(broker.kill)
  const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
  const parent = newFolder()
  const line = ['store', 'backup', join(parent, 'backup'), '--data', kept.data, '--url', broker.url]
  const { code, stderr } = await command(line, { env: operator })
  assert.equal(code, 1)
  assert.match(stderr, /has another journal than the server/)
  assert.deepEqual(readdirSync(parent), [])
})
