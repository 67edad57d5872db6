import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, LedgerId, WorldId } from '@quipu/core'
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
  await DurableWorld.reopen(storage as DurableStorage, record).delete()
  assert.deepEqual(deleted, ['record', 'friday.1'])
})
