import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountId,
  auditFaults,
  BOOK_TRANSFERS,
  type BookTransferId,
  type Instant,
  SECOND,
  type WorldId,
} from '@quipu/core'
import type { World } from '../world/world.ts'
import { gainOf, openDurableWorlds, send } from './testing/durable-worlds.ts'

/** The outcome of a book transfer: pending, executed, or the reason of the rejection. */
async function outcomeOf(world: World, id: string): Promise<string> {
  await world.commands.quiet()
  if ([...world.view.jobs.values()].some(({ bookTransfer }) => bookTransfer?.id === id)) return 'pending'
  await world.storage.queryTables.reached(world.view.seq)
  const led = (await world.storage.queryTables.callByKey(BOOK_TRANSFERS, id))?.led
  assert.equal(led?.kind, 'bookTransfer')
  const { bookTransfer } = led as Extract<typeof led, { readonly kind: 'bookTransfer' }>
  return bookTransfer.reason ?? bookTransfer.status ?? 'executed'
}

test('worlds of another partner, deleted worlds and worlds in memory refuse, and the money returns', async (t) => {
  const { worlds, add, stranger, partnerId, foreign, account } = await openDurableWorlds(t)
  const a = await add('a')
  const [other, memory] = [await add('other', stranger), await add('memory', partnerId, false)]
  for (const [to, accountId, outcome] of [
    ['other', other.accountId, 'world not found'],
    ['nowhere', other.accountId, 'world not found'],
    ['memory', memory.accountId, 'world is not durable'],
    ['main', foreign, 'account not found'],
    ['main', account, 'executed'],
  ] as const)
    assert.equal(await outcomeOf(a.world, await send(worlds, a, to, accountId)), outcome, to)
  assert.equal(gainOf(a), -10n)
  assert.equal(gainOf({ world: worlds.main, accountId: account }), 10n)
  // From main, the partner of the account counts.
  const ofStranger = { world: worlds.main, accountId: foreign }
  assert.equal(
    await outcomeOf(worlds.main, await send(worlds, ofStranger, 'a', a.accountId)),
    'world not found',
  )
  assert.equal(
    await outcomeOf(worlds.main, await send(worlds, ofStranger, 'other', other.accountId)),
    'executed',
  )
  for (const world of worlds.all()) assert.deepEqual(auditFaults(world.view), [], world.id)
})

test("a world that cannot be asked is asked again after a pause by the sender's clock", async (t) => {
  const { worlds, network, add } = await openDurableWorlds(t)
  const [a, b] = [await add('a'), await add('b')]
  network.isDown = true
  const id = await send(worlds, a, 'b', b.accountId)
  assert.equal(await outcomeOf(a.world, id), 'pending')
  const { clock } = worlds.entry('a')!
  await clock!.advance((clock!.now() + 60n * SECOND) as Instant)
  const [job] = a.world.view.jobs.values()
  assert.ok(job!.attempts > 3)
  assert.equal(job!.problem, 'the network is down')
  network.isDown = false
  await clock!.advance((clock!.now() + 300n * SECOND) as Instant)
  assert.equal(await outcomeOf(a.world, id), 'executed')
  assert.deepEqual([gainOf(a), gainOf(b)], [-10n, 10n])
})

test('requests that arrive twice, at once or after memory dropped the response, get one response and post once', async (t) => {
  const { worlds, add, partnerId } = await openDurableWorlds(t)
  const b = await add('b')
  const request = (number: number, to: AccountId) =>
    worlds.holding.answer('b' as WorldId, {
      transitId: `ledger/${number}` as never,
      partnerId,
      fromWorld: 'a' as WorldId,
      from: b.accountId,
      to,
      what: { kind: 'cash', amount: 5_000_000_000n as never },
    })
  for (const [number, to] of [b.accountId, 'nobody' as AccountId].entries()) {
    const all = await Promise.all([1, 2, 3].map(() => request(number, to)))
    await b.world.storage.queryTables.reached(b.world.view.seq)
    await b.world.commands.submit({ kind: 'addPartner', name: 'p' }, () => undefined)
    assert.equal(b.world.view.keyedCalls.size, 0, 'memory dropped the response')
    assert.deepEqual([...all.slice(1), await request(number, to)], [all[0], all[0], all[0]])
  }
  assert.equal(gainOf(b), 5n)
})

test('a copy of a world asks nobody: the money of a pending book transfer returns in the copy only', async (t) => {
  const { worlds, network, add, partnerId } = await openDurableWorlds(t)
  const [a, b] = [await add('a'), await add('b')]
  network.isDown = true
  const id = await send(worlds, a, 'b', b.accountId)
  network.isDown = false
  for (const isDurable of [true, false]) {
    const name = `copy-${isDurable}` as WorldId
    const { world, clock } = await worlds.lifecycle.fork(worlds.entry('a')!, name, {
      isDurable,
      partner: partnerId,
    })
    await clock!.advance((clock!.now() + 5n * SECOND) as Instant)
    assert.equal(await outcomeOf(world, id), 'a copy of a world does not ask other worlds')
    assert.equal(gainOf({ world, accountId: a.accountId }), 0n)
    assert.deepEqual(auditFaults(world.view), [])
  }
  assert.deepEqual([gainOf(a), gainOf(b)], [-10n, 0n])
  const { clock } = worlds.entry('a')!
  await clock!.advance((clock!.now() + 5n * SECOND) as Instant)
  assert.equal(await outcomeOf(a.world, id), 'executed')
  assert.deepEqual([gainOf(a), gainOf(b)], [-10n, 10n])
})

test('a new world with an old name repeats the ids of its book transfers, and they still move money', async (t) => {
  const { worlds, add } = await openDurableWorlds(t)
  const b = await add('b')
  const ids: string[] = []
  for (const _ of [1, 2]) {
    const a = await add('a')
    const id = await send(worlds, a, 'b', b.accountId)
    assert.equal(await outcomeOf(a.world, id), 'executed')
    ids.push(id)
    await worlds.lifecycle.delete('a' as WorldId)
  }
  assert.equal(ids[0], ids[1] as BookTransferId)
  assert.equal(gainOf(b), 20n)
  const a = await add('a')
  await worlds.lifecycle.delete('b' as WorldId)
  assert.equal(await outcomeOf(a.world, await send(worlds, a, 'b', b.accountId)), 'world not found')
})

test('a request that comes due while the worlds are opened waits for the other world', async (t) => {
  const { worlds, reopen, network, add, account } = await openDurableWorlds(t)
  const b = await add('b')
  network.isDown = true
  const id = await send(worlds, { world: worlds.main, accountId: account }, 'b', b.accountId)
  const again = await reopen()
  assert.equal(await outcomeOf(again.main, id), 'executed')
  assert.equal(gainOf({ ...b, world: again.get('b')! }), 10n)
})
