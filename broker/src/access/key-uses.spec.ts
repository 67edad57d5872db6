import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyId } from '@quipu/core'
import { MONDAY, openTestWorld } from '../world/testing/world.ts'
import { type AccessStore, openMemoryAccess } from './access-store.ts'
import { execute, issueKey } from './issue-keys.ts'
import { KeyUses } from './key-uses.ts'

test('uses are stored together, found by the next process, and deleted with their key', async () => {
  const { world, account } = await openTestWorld()
  const kept = openMemoryAccess()
  const stored: (readonly string[])[] = []
  let isFull = false
  const store: AccessStore = {
    ...kept,
    storeKeyUses: async (changed, all) => {
      if (isFull) throw new Error('no space left on device')
      stored.push([...changed.keys()])
      await kept.storeKeyUses(changed, all)
    },
  }
  const uses = new KeyUses(store)
  await uses.open(world)
  const owner = { kind: 'account', accountId: account.id } as const
  const [one, two] = [await issueKey(world, owner), await issueKey(world, owner)]
  uses.recordKey(world, one.keyId)
  await uses.store()
  uses.recordKey(world, one.keyId)
  uses.recordKey(world, two.keyId)
  isFull = true
  await assert.rejects(uses.store(), /no space/)
  isFull = false
  await execute(world, { kind: 'revokeKey', keyId: one.keyId as KeyId }, 'keyRevoked')
  await uses.close()
  assert.deepEqual(stored, [[one.keyId], [two.keyId]])
  const next = new KeyUses(store)
  await next.open(world)
  assert.equal(next.lastUse(world, two.keyId as KeyId), MONDAY)
  await next.close()
  await world.close()
})
