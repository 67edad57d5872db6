import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { apply, auditFaults, emptyState, type Order } from '@quipu/core'
import { diskOperations } from '../data-folder/file-operations.ts'
import { Cause, onBehalfOf } from '../journal/cause.ts'
import { type Committed, committedOf } from '../journal/committed.ts'
import { openFilesJournal } from '../journal/files.ts'
import { AppendFailed, type Journal, JournalShortened } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { causeOf, eventOf, storedRecord } from '../journal/stored-event.ts'
import { openMemoryQueryTables } from '../query-tables/memory.ts'
import { OutcomeUnknown } from './submitted.ts'
import { buy, decided, openTestWorld, type TestWorld } from './testing/world.ts'
import type { WorldParts } from './world.ts'

async function place(
  testWorld: TestWorld,
  ...order: [symbol: string, quantity: string, limit?: string]
): Promise<Order> {
  const { value } = await testWorld.world.commands.submit(
    buy(testWorld.account, ...order),
    (view, decision) => {
      assert.ok(decision.ok, decision.ok ? '' : decision.reason.code)
      const [event] = decision.value
      return view.orders.get((event as { order: Order }).order.id)!
    },
  )
  return value
}
for (const [name, fault, error] of [
  ['a write that certainly failed', 'write', NotApplied],
  ['a sync with an unknown outcome', 'datasync', OutcomeUnknown],
] as const)
  test(`after ${name} the world is rebuilt from its journal and continues`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-world-'))
    let broken = false
    const operations = {
      ...diskOperations,
      [fault]: async (...args: never[]) => {
        if (broken) {
          broken = false
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        }
        return (diskOperations[fault] as unknown as (...args: never[]) => Promise<never>)(...args)
      },
    }
    const testWorld = await openTestWorld({ journal: () => openFilesJournal(folder, { operations }) })
    const published: Committed[] = []
    const startSeq = testWorld.world.view.seq
    testWorld.world.publisher.listen((committed) => published.push(...committed))
    await onBehalfOf(causeFor('b'), () => place(testWorld, 'AAPL', '1'))
    const { seq, hash } = testWorld.world.storage.journal.head()
    broken = true
    const { engine } = testWorld.world
    await assert.rejects(
      onBehalfOf(causeFor('c'), () => place(testWorld, 'AAPL', '1')),
      error,
    )
    await assert.rejects(engine.untilDurable(engine.view.seq), NotApplied, 'a later waiter is rejected too')
    while (testWorld.failures.length === 0 || !isUp(testWorld)) await sleep(5)
    if (fault === 'write') {
      assert.deepEqual(testWorld.world.storage.journal.head(), { seq, hash })
      const all = { accountId: testWorld.account.id, status: 'all', limit: 9, direction: 'asc' } as const
      assert.equal((await testWorld.world.storage.queryTables.orders(all)).length, 1)
    }
    await place(testWorld, 'AAPL', '2')
    assert.deepEqual(auditFaults(testWorld.world.view), [])
    assert.equal(testWorld.failures.length, 1)
    assert.deepEqual(published, await committedIn(testWorld, startSeq))
    assert.equal(
      testWorld.world.clients.outcomes.eventsOf('c'.repeat(32)) !== undefined,
      fault === 'datasync',
    )
    await testWorld.world.close()
    rmSync(folder, { recursive: true })
  })

const causeFor = (digit: string): Cause =>
  new Cause({
    requestId: digit.repeat(32),
    operation: 'placeOrder',
    actor: () => ({ kind: 'key', key: 'PK1' }),
    from: () => '20260105-0123456789abcdef',
  })

/** The events that an undisturbed world would have published after an event number. */
async function committedIn({ world }: TestWorld, after: number): Promise<readonly Committed[]> {
  const state = emptyState()
  const all: Committed[] = []
  for await (const entries of world.storage.journal.read(0))
    for (const entry of entries) {
      const event = eventOf(entry)
      all.push(committedOf(state, event, apply(state, event), causeOf(entry), storedRecord(entry)))
    }
  return all.slice(after)
}

test('a failed rebuild is retried until it works; a closed world stops retrying', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-world-'))
  let isFull = false
  const full = async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const operations = {
    ...diskOperations,
    write: (...args: Parameters<typeof diskOperations.write>) =>
      isFull ? full() : diskOperations.write(...args),
  }
  const testWorld = await openTestWorld({ journal: () => openFilesJournal(folder, { operations }) })
  await place(testWorld, 'AAPL', '1')
  const { seq, hash } = testWorld.world.storage.journal.head()
  isFull = true
  await assert.rejects(place(testWorld, 'AAPL', '1'), NotApplied)
  while (testWorld.failures.length < 3) await new Promise((resume) => setTimeout(resume, 10))
  await assert.rejects(place(testWorld, 'AAPL', '1'), NotApplied)
  isFull = false
  while (!isUp(testWorld)) await new Promise((resume) => setTimeout(resume, 10))
  assert.deepEqual(testWorld.world.storage.journal.head(), { seq, hash })
  await place(testWorld, 'AAPL', '2')
  assert.deepEqual(auditFaults(testWorld.world.view), [])

  isFull = true
  await assert.rejects(place(testWorld, 'AAPL', '1'), NotApplied)
  await testWorld.world.close()
  const { length } = testWorld.failures
  isFull = false
  await new Promise((resume) => setTimeout(resume, 600))
  assert.equal(testWorld.failures.length, length)
  assert(!isUp(testWorld))
  rmSync(folder, { recursive: true })
})

function isUp({ world }: TestWorld): boolean {
  try {
    return world.view.settings !== undefined
  } catch {
    return false
  }
}

test('a group that is stored while the query tables fail is published once the query tables work again', async () => {
  const waiting: (() => void)[] = []
  const stored = openMemoryJournal()
  let isHeld = false
  const journal = async (): Promise<Journal> => ({
    append: async (entries) => {
      if (isHeld) await new Promise<void>((resume) => waiting.push(resume))
      await stored.append(entries)
    },
    isCurrentHolder: () => stored.isCurrentHolder(),
    read: (after) => stored.read(after),
    head: () => stored.head(),
    hashAt: (seq) => stored.hashAt(seq),
    fork: (at) => stored.fork(at),
    close: async () => undefined,
  })
  let fail: (error: unknown) => void = () => undefined
  const openQueryTables: WorldParts['openQueryTables'] = (from, failed) => {
    fail = failed
    return openMemoryQueryTables(from)
  }
  const testWorld = await openTestWorld({ journal, parts: { openQueryTables } })
  const { world } = testWorld
  const published: Committed[] = []
  const startSeq = world.view.seq
  world.publisher.listen((committed) => {
    assert.ok(world.view.seq >= committed.at(-1)!.seq)
    published.push(...committed)
  })
  isHeld = true
  const placed = place(testWorld, 'AAPL', '1')
  while (waiting.length === 0) await new Promise((resume) => setImmediate(resume))
  fail(new Error('the database is unavailable'))
  isHeld = false
  for (const resume of waiting) resume()
  await placed
  while (!isUp(testWorld)) await sleep(5)
  await place(testWorld, 'AAPL', '2')
  assert.deepEqual(published, await committedIn(testWorld, startSeq))
  assert.equal(testWorld.failures.length, 1)
})

test('a command that waits for failing query tables is not applied', async () => {
  const { world, account } = await openTestWorld()
  const fail = () => Promise.reject(new Error('the database is unavailable'))
  Object.assign(world.storage.queryTables, { position: () => -1_000_000, reached: fail })
  const { seq } = world.view
  await assert.rejects(
    decided(world, buy(account, 'KO', '1')),
    (error) => error instanceof NotApplied && error.reason === 'worldRestarting',
  )
  assert.equal(world.view.seq, seq)
})

// Such as after the promotion of a standby that was not synchronous.
test('a world whose journal lost published events stays down, because clients have received them', async () => {
  const stored = openMemoryJournal()
  const append = async (group: Parameters<Journal['append']>[0]): Promise<void> => {
    if (isCut) throw new AppendFailed(false, 'the connection broke')
    await stored.append(group)
  }
  let isCut = false
  const open = async (): Promise<Journal> => {
    if (isCut) return stored.fork(stored.head().seq - 1)
    const { read, head, hashAt, fork, isCurrentHolder } = stored
    const methods = Object.entries({ read, head, hashAt, fork, isCurrentHolder })
    const bound = Object.fromEntries(methods.map(([name, method]) => [name, method.bind(stored)]))
    return { ...bound, append, close: async () => undefined } as unknown as Journal
  }
  const testWorld = await openTestWorld({ journal: open })
  await place(testWorld, 'AAPL', '1')
  const { seq } = stored.head()
  isCut = true
  await assert.rejects(place(testWorld, 'AAPL', '1'), OutcomeUnknown)
  const isFound = () => testWorld.failures.some((error) => error instanceof JournalShortened)
  for (let left = 2_000; left > 0 && !isFound(); left--) await sleep(5)
  assert.match(
    String(testWorld.failures.at(-1)),
    new RegExp(`last event is ${seq - 1}, .* after event ${seq}$`),
  )
  // Longer than a restart takes after any other failure.
  await sleep(700)
  assert.equal(testWorld.world.status.isUp, false)
  await testWorld.world.close()
})
