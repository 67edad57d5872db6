import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, newFolder, newWorld } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { journalOf, startUntilEnd, trade } from '../worlds/durable.ts'
import { callerOf, sim } from '../worlds/files.ts'
import { middleOf, runStore, store } from './sample-folder.ts'

test('a backup has the durable worlds; kill -9, verify and restore bring them back, with data and keys', async (t) => {
  const [data, backup, restored] = [newFolder(), join(newFolder(), 'backup'), join(newFolder(), 'data')]
  const first = await startUntilEnd(t, ['--data', data])
  await runOn(data, 'import', barsFile)
  const { created: kept } = await newWorld(first, { world: 'kept', durable: true })
  const replay = { market: 'replay', symbols: ['ZQXW'], start: '2025-03-10T15:00:00Z' }
  const { created: replayed } = await newWorld(first, { world: 'replayed', durable: true, ...replay })
  await newWorld(first, { world: 'renewed', durable: true })
  assert.equal((await sim(first, 'POST', 'renewed/reset', {})).status, 200)
  await newWorld(first, { world: 'passing' })
  const head = await trade(first, kept)
  const taken = await runStore('backup', backup, '--data', data, '--with-credentials')
  assert.deepEqual(
    [taken.format, taken.worlds.map(({ world }: { world: string }) => world)],
    [2, ['kept', 'renewed', 'replayed']],
  )
  assert.deepEqual(taken.worlds[0], { world: 'kept', ...head })
  await trade(first, kept)
  assert.deepEqual((await runStore('verify', '--data', data)).worlds.length, 3)
  await first.kill()
  assert.deepEqual((await runStore('verify', backup)).worlds, taken.worlds)
  assert.deepEqual((await runStore('restore', backup, '--data', restored)).worlds, taken.worlds)

  const second = await startUntilEnd(t, ['--data', restored])
  assert.deepEqual(await journalOf(second, kept), head)
  assert.equal((await call(callerOf(second, kept), 'GET', '/v2/positions')).body[0].qty, '10')
  const bars = '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-11&limit=5'
  assert.equal((await call(callerOf(second, replayed), 'GET', bars)).body.bars.length, 5)
  assert.equal((await sim(second, 'GET', 'kept/audit')).body.sound, true)
  assert.equal(await second.stop(), 0)

  // A damaged world is found, and not restored.
  flipIn(join(backup, 'worlds', 'kept.1'))
  const refused = await store('restore', backup, '--data', join(newFolder(), 'other'))
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is damaged: world kept: the journal is damaged from event \d+ on/)
  flipIn(join(restored, 'worlds', 'kept.1'))
  const { code, stdout } = await store('verify', '--data', restored)
  assert.equal(code, 1)
  assert.match(JSON.parse(stdout).problems[0], /^world kept: the journal is damaged/)
})

/** Changes a byte of an event in the middle of a journal. */
function flipIn(journal: string): void {
  const file = join(journal, readdirSync(journal)[0]!)
  const bytes = readFileSync(file)
  const offset = middleOf(bytes)
  bytes[offset] = bytes[offset]! ^ 1
  writeFileSync(file, bytes)
}
