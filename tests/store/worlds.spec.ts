import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Body, call, newFolder, newWorld } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { command } from '../support/quipu-command.ts'
import { journalOf, startUntilEnd, trade } from '../worlds/durable.ts'
import { callerOf, sim } from '../worlds/files.ts'
import { copyOf, middleOf, runStore, store } from './sample-folder.ts'

const database = await Cluster.common()
after(() => database.stop())

const stores = [
  ['a data folder', async () => ({ QUIPU_DATA: newFolder() })],
  [
    'PostgreSQL',
    async () => ({ QUIPU_DATA: newFolder(), QUIPU_STORE: await database.database('one_world') }),
  ],
] as const

type Env = { readonly QUIPU_DATA: string; readonly QUIPU_STORE?: string }

const flagsOf = ({ QUIPU_DATA, QUIPU_STORE }: Env): readonly string[] => [
  '--data',
  QUIPU_DATA,
  ...(QUIPU_STORE ? ['--store', QUIPU_STORE] : []),
]

async function run(env: Env & { readonly QUIPU_WORLD?: string }, ...line: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await command(['store', ...line, '--json'], { env })
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

async function assertRefused(env: Env, expected: RegExp, ...line: readonly string[]): Promise<void> {
  const { code, stderr } = await command(['store', ...line], { env })
  assert.notEqual(code, 0)
  assert.match(stderr, expected)
}

for (const [name, open] of stores)
  test(`backup, verify, restore and rebuild of one world in ${name}`, async (t) => {
    const env: Env = await open()
    const [one, all] = [join(newFolder(), 'one'), join(newFolder(), 'all')]
    const first = await startUntilEnd(t, flagsOf(env))
    const { created: kept } = await newWorld(first, { world: 'kept', durable: true })
    const { created: other } = await newWorld(first, { world: 'other', durable: true })
    const ofKept = { world: 'kept', ...(await trade(first, kept)) }
    const ofOther = { world: 'other', ...(await journalOf(first, other)) }
    const ledger = (await sim(first, 'GET', 'kept/audit')).body.ledger_id
    assert.partialDeepStrictEqual(await run(env, 'backup', one, '--world', 'kept'), ofKept)
    // Only the flag limits a backup.
    const taken = await run({ ...env, QUIPU_WORLD: 'kept' }, 'backup', all)
    assert.deepEqual([taken.world, taken.worlds], ['main', [ofKept, ofOther]])
    for (const [backup, world] of [
      [one, 'kept'],
      [all, 'kept'],
      [all, 'other'],
    ] as const)
      assert.equal((await run(env, 'verify', backup, '--world', world)).world, world)
    assert.equal((await run(env, 'verify', one)).world, 'kept')
    assert.equal((await run(env, 'verify', '--world', 'kept')).seq, ofKept.seq)
    assert.equal((await run(env, 'verify', '--world', 'main')).worlds, undefined)
    await assertRefused(env, /has no durable world missing/, 'backup', `${one}-2`, '--world', 'missing')
    await assertRefused(env, /has no durable world missing/, 'verify', '--world', 'missing')
    await assertRefused(env, /belongs to main/, 'backup', `${one}-2`, '--world', 'kept', '--with-credentials')
    await assertRefused(
      { QUIPU_DATA: join(newFolder(), 'new') },
      /has only world kept: add --world kept/,
      'restore',
      one,
    )
    // Lost after the backup.
    await trade(first, kept)
    assert.equal(await first.stop(), 0)
    await assertRefused(env, /has no world other/, 'restore', one, '--world', 'other')
    await assertRefused(env, /already has a world kept: delete it first/, 'restore', one, '--world', 'kept')

    const second = await startUntilEnd(t, flagsOf(env))
    assert.equal((await sim(second, 'DELETE', 'kept')).status, 204)
    assert.equal(await second.stop(), 0)
    await assertRefused(env, /which world other/, 'restore', withCodeOf(one, all), '--world', 'kept')
    assert.partialDeepStrictEqual(await run(env, 'restore', one, '--world', 'kept'), ofKept)
    if (env.QUIPU_STORE)
      assert.deepEqual({ world: 'kept', ...(await run(env, 'rebuild', '--world', 'kept')) }, ofKept)
    else await assertRefused(env, /there is nothing to rebuild/, 'rebuild', '--world', 'kept')
    assert.equal((await run(env, 'verify')).worlds.length, 2)

    const third = await startUntilEnd(t, flagsOf(env))
    for (const [world, head] of [
      [kept, ofKept],
      [other, ofOther],
    ] as const)
      assert.deepEqual({ world: head.world, ...(await journalOf(third, world)) }, head)
    assert.equal((await call(callerOf(third, kept), 'GET', '/v2/positions')).body[0].qty, '10')
    // Other worlds do not take its next journals for those that they received after the backup.
    assert.notEqual((await sim(third, 'GET', 'kept/audit')).body.ledger_id, ledger)
    assert.equal(await third.stop(), 0)

    const fresh = { QUIPU_DATA: join(newFolder(), 'main') }
    assert.equal((await run(fresh, 'restore', all, '--world', 'main')).worlds, undefined)
    assert.equal((await run(fresh, 'verify')).worlds, undefined)
  })

/** A copy of a backup of `kept` with the code of `other`. */
function withCodeOf(backup: string, all: string): string {
  const copy = copyOf(backup)
  const [file, ofOther] = [join(copy, 'worlds', 'kept.json'), join(all, 'worlds', 'other.json')]
  const { code } = JSON.parse(readFileSync(ofOther, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), code }))
  return copy
}

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
