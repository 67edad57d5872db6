import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, LedgerId, WorldId } from '@quipu/core'
import { Fenced, isFinal } from '../journal/journal.ts'
import { type DurableStorage, DurableWorld, type WorldRecord } from './durable.ts'

const record: WorldRecord = {
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
  assert.deepEqual(failures.map(isFinal), [false])
  assert.match(failures[0]!.message, /friday\.1 was not deleted.*taken over by another node/)
})
