import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, newWorld } from '../support/broker.ts'
import { broker as memoryBroker } from '../support/shared-broker.ts'
import { assertDurable, startUntilEnd } from './durable.ts'
import { sim } from './files.ts'

test('durable worlds survive kill -9 and a stop, with clock, keys, data and origin; deletion removes their files', async (t) => {
  const folder = newFolder()
  await assertDurable(t, folder, [])
  assert.deepEqual(readdirSync(join(folder, 'worlds')), [])
  assert.deepEqual(readdirSync(join(folder, 'market', 'pins')), [])
})

test('a server without a data folder refuses durable worlds', async () => {
  const { status, body } = await sim(memoryBroker, 'POST', '', { world: 'kept', durable: true })
  assert.deepEqual([status, body.reason], [422, 'nothingDurable'])
  assert.equal((await sim(memoryBroker, 'GET', 'kept')).status, 404)
})

test('a damaged durable world stops no other, keeps its name, and can be deleted; leftovers are removed', async (t) => {
  const folder = newFolder()
  const flags = ['--data', folder, '--durable-worlds-max', '2']
  const first = await startUntilEnd(t, flags)
  for (const world of ['damaged', 'sound']) await newWorld(first, { world, durable: true })
  const { status, body } = await sim(first, 'POST', '', { durable: true })
  assert.deepEqual([status, body.reason], [403, 'durableLimitReached'])
  await first.kill()
  const journal = join(folder, 'worlds', 'damaged.1')
  const file = join(journal, readdirSync(journal)[0]!)
  const bytes = readFileSync(file)
  bytes[bytes.indexOf('worldOpened') + 300]! ^= 0xff
  bytes[400]! ^= 0xff
  writeFileSync(file, bytes)
  mkdirSync(join(folder, 'worlds', 'unfinished.1'))

  const second = await startUntilEnd(t, flags)
  assert.equal((await sim(second, 'GET', 'sound/audit')).body.sound, true)
  assert.match(second.log(), /damaged/)
  assert.equal((await sim(second, 'GET', 'damaged')).status, 404)
  assert.equal((await sim(second, 'POST', '', { world: 'damaged' })).body.reason, 'worldNameTaken')
  assert.equal(existsSync(join(folder, 'worlds', 'unfinished.1')), false)
  assert.equal((await sim(second, 'DELETE', 'damaged')).status, 204)
  assert.deepEqual(readdirSync(join(folder, 'worlds')), ['sound.1', 'sound.json'])
  assert.equal((await sim(second, 'POST', '', { world: 'damaged', durable: true })).status, 201)
  await second.stop()
})
