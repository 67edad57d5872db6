import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueryConfig } from 'pg'
import { connect } from '../../postgres/connection.ts'
import { Fenced, JournalClosed } from '../journal.ts'
import { all, events, isCertain } from '../testing/journal-suite.ts'
import { newHolder, takeLease } from './lease.ts'
import { cluster, lockRow, newWorld, openWorld } from './testing/server.ts'

test('of two engines on one world the older is rejected, and no event is written twice', async () => {
  const world = newWorld()
  const older = await openWorld(world)
  await older.append(events(2))
  const newer = await openWorld(world)
  await assert.rejects(older.append(events(4).slice(2)), (error) => error instanceof Fenced && error.certain)
  await assert.rejects(older.append(events(1)), isCertain)
  await newer.append(events(5).slice(2))
  assert.deepEqual(await all(newer), events(5))
  await newer.close()
})

test('an older engine that appends nothing also notices the takeover', async () => {
  const world = newWorld()
  const lost = Promise.withResolvers<unknown>()
  const older = await openWorld(world, { onLost: lost.resolve })
  const newer = await openWorld(world)
  const error = await lost.promise
  assert.ok(error instanceof Fenced)
  assert.match(error.message, new RegExp(`^the world ${world} was taken over by .* process ${process.pid} `))
  assert.throws(() => older.head(), JournalClosed)
  await assert.rejects(older.append(events(1)), Fenced)
  await newer.close()
})

test('a holder gets its world back after a failure, but not from a later holder', async () => {
  const world = newWorld()
  const holder = newHolder()
  await (await openWorld(world, { holder })).append(events(1))
  const again = await openWorld(world, { holder })
  await again.append(events(2).slice(1))
  const newer = await openWorld(world, { holder: newHolder() })
  await assert.rejects(openWorld(world, { holder }), Fenced)
  await newer.append(events(3).slice(2))
  await newer.close()
})

test('a first takeover that reaches the database late fails', async () => {
  const world = newWorld()
  const connection = await connect(cluster.url())
  const sent: QueryConfig[] = []
  const breaking = new Proxy(connection, {
    get: (target, name) =>
      name !== 'query'
        ? Reflect.get(target, name)
        : (query: string | QueryConfig, values: unknown[]) =>
            typeof query === 'string' ? target.query(query, values) : sent.push(query) && never,
  })
  const never = new Promise<never>(() => {})
  for (const isFirst of [true, false]) {
    void takeLease(breaking, { address: 'here', world, marketModel: 1 }, newHolder(), { waits: false })
    while (sent.length === 0) await new Promise(setImmediate)
    const journal = await openWorld(world)
    await connection.query(sent.pop()!)
    await journal.append(events(isFirst ? 1 : 2).slice(isFirst ? 0 : 1))
    await journal.close()
  }
  await connection.end()
})

test('a takeover waits for the running append', async () => {
  const world = newWorld()
  const older = await openWorld(world)
  await older.append(events(1))
  const busy = await lockRow(world)
  const append = older.append(events(2).slice(1))
  await busy.waiters(1)
  const opening = openWorld(world)
  await busy.waiters(2)
  await busy.release()
  await append
  const newer = await opening
  assert.equal(newer.head().seq, 2)
  await newer.close()
  await older.close()
})
