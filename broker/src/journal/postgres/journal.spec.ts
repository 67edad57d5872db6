import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresNewer } from '../../postgres/failures.ts'
import { HashChain, openBytes } from '../chain.ts'
import { type Entry, JournalDamaged } from '../journal.ts'
import { all, events, grouped, hashOf, journalSuite } from '../testing/journal-suite.ts'
import { openPostgresJournal } from './journal.ts'
import { cluster, newWorld, openWorld } from './testing/server.ts'

const SMALL = { segmentEvents: 4 }

journalSuite('postgres', (options) => openWorld(newWorld(), options))

test('a reopened journal continues across segments, with the same hash', async () => {
  const world = newWorld()
  let stored = 0
  for (const group of grouped(events(21), [3, 1, 4, 8, 1, 4])) {
    const journal = await openWorld(world, SMALL)
    assert.deepEqual(journal.head(), { seq: stored, hash: hashOf(stored) })
    await journal.append(group)
    stored += group.length
    await journal.close()
  }
  const journal = await openWorld(world, SMALL)
  assert.deepEqual(await all(journal), events(21))
  assert.equal(journal.head().hash, hashOf(21))
  await journal.close()
})

test('a journal continues a chain that was computed before, if the chain is of this journal', async () => {
  const world = newWorld()
  const written = await openWorld(world)
  await written.append(events(9))
  const position = written.head()
  const hashAt4 = await written.hashAt(4)
  await written.close()
  const chain = new HashChain()
  const [head, rest] = grouped(events(9), [6, 3]) as [Entry[], Entry[]]
  chain.update(openBytes(head), head.length)
  // A wrong hash shows that the journal knows it and did not read the events again.
  const ofThis = { chain, base: { seq: 4, hash: 'known' } }
  const ofAnother = { chain: new HashChain(), base: { seq: 4, hash: 'known' } }
  ofAnother.chain.update(openBytes(rest), rest.length)
  for (const [known, hash] of [
    [ofThis, 'known'],
    [ofAnother, hashAt4],
  ] as const) {
    const journal = await openWorld(world, { known })
    assert.deepEqual(journal.head(), position)
    assert.equal(await journal.hashAt(4), hash)
    await journal.close()
  }
})

test('worlds of one database are isolated', async () => {
  const [one, other] = [await openWorld(newWorld()), await openWorld(newWorld())]
  await one.append(events(3))
  await other.append(events(1))
  assert.deepEqual([(await all(one)).length, (await all(other)).length], [3, 1])
  await Promise.all([one.close(), other.close()])
})

for (const [what, sql, from] of [
  ['a changed event of the last segment', `UPDATE quipu_events SET open = '{}' WHERE seq = 6`, 5],
  ['a missing event', 'DELETE FROM quipu_events WHERE seq = 6', 5],
  ['a missing segment', 'DELETE FROM quipu_segments WHERE segment = 1', 1],
  ['a changed head', `UPDATE quipu_journals SET hash = repeat('0', 64)`, 5],
  ['an earlier head', 'UPDATE quipu_journals SET seq = 3', 1],
] as const)
  test(`a journal with ${what} does not open, and the error names the location`, async () => {
    const world = newWorld()
    const journal = await openWorld(world, SMALL)
    await journal.append(events(7))
    await journal.close()
    await cluster.run(`${sql} ${sql.includes('WHERE') ? 'AND' : 'WHERE'} world = '${world}'`)
    await assert.rejects(openWorld(world, SMALL), (error) => {
      assert.ok(error instanceof JournalDamaged)
      assert.equal(error.damage.from, from)
      assert.match(error.message, /^journal damaged from event \d+ on: table quipu_/)
      return true
    })
  })

test('tables of a newer version are rejected', async () => {
  const url = await cluster.database('newer')
  await (await openPostgresJournal({ url, world: 'main', marketModel: 1 })).close()
  await cluster.run('INSERT INTO quipu_meta (format) VALUES (999)', url)
  await assert.rejects(openPostgresJournal({ url, world: 'main', marketModel: 1 }), (error) => {
    assert.ok(error instanceof PostgresNewer)
    assert.match(error.message, /database newer has table format 999, this version reads up to \d+$/)
    return true
  })
})

test('several processes may create the tables at the same time', async () => {
  const url = await cluster.database('crowd')
  const journals = await Promise.all(
    ['a', 'b', 'c', 'd'].map((world) => openPostgresJournal({ url, world, marketModel: 1 })),
  )
  await Promise.all(journals.map((journal) => journal.close()))
})
