import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, LedgerId, WorldId } from '@quipu/core'
import { Fenced, isLostForGood } from '../journal/journal.ts'
import { DurableWorld } from './durable.ts'
import type { DurableRecord, DurableStorage } from './durable-storage.ts'

const record: DurableRecord = {
  world: 'friday' as WorldId,
  code: 'AB',
  ledgerId: 'ledger' as LedgerId,
  journal: 'friday.1',
  now: 1n as Instant,
  origin: { at: 1n as Instant, seq: 0 },
}

// A node would open a record without a journal as an empty world.
test('the record of a world is deleted before its journal', async () => {
  const deleted: string[] = []
  const storage: Partial<DurableStorage> = {
    deleteRecord: async () => void deleted.push('record'),
    deleteJournal: async (name) => void deleted.push(name),
  }
  await DurableWorld.reopen(storage as DurableStorage, record).delete(assert.ifError)
  assert.deepEqual(deleted, ['record', 'friday.1'])
})

test('a world is deleted with its record, also if its journal cannot be deleted now', async () => {
  const storage: Partial<DurableStorage> = {
    deleteRecord: async () => undefined,
    deleteJournal: () => Promise.reject(new Fenced('friday.1', 'another node')),
  }
  const failures: Error[] = []
  await DurableWorld.reopen(storage as DurableStorage, record).delete((error) => failures.push(error))
  // A final error of the world would end it, or the next one with the same name.
  assert.deepEqual(failures.map(isLostForGood), [false])
  assert.match(failures[0]!.message, /friday\.1 was not deleted.*taken over by another node/)
})

/** Storage in which storing a record takes until `release`. `changes` lists what was stored and deleted, in order. */
function slowStorage() {
  const changes: string[] = []
  const stored = Promise.withResolvers<void>()
  const storage: Partial<DurableStorage> = {
    newJournalName: () => 'friday.2',
    async storeRecord({ journal, now }) {
      await stored.promise
      changes.push(`${journal} at ${now}`)
    },
    deleteRecord: async () => void changes.push('deleted'),
    deleteJournal: async () => undefined,
  }
  return { world: DurableWorld.reopen(storage as DurableStorage, record), changes, release: stored.resolve }
}

test('a clock that still moves does not store a deleted world again', async () => {
  const { world, changes, release } = slowStorage()
  const moves = [2n, 3n].map((now) => world.moved(now as Instant, false))
  const deleted = world.delete(assert.ifError)
  release()
  await Promise.all([...moves, deleted, world.moved(4n as Instant, false)])
  await world.moved(5n as Instant, false)
  assert.equal(changes.at(-1), 'deleted')
})

test('a clock that still moves does not undo a reset', async () => {
  const { world, changes, release } = slowStorage()
  const moves = [2n, 3n].map((now) => world.moved(now as Instant, false))
  const created = world.successor().created({ at: 1n as Instant, seq: 0 })
  release()
  await Promise.all([...moves, created, world.moved(4n as Instant, false)])
  await world.moved(5n as Instant, false)
  assert.equal(changes.at(-1), 'friday.2 at 1')
})
