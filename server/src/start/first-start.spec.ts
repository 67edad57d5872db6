import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import { amount, decided, openTestWorld } from '@quipu/broker/world/testing/world.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Money } from '@quipu/core'
import { bootstrapMain } from './first-start.ts'

const settings = {
  keyId: undefined,
  secretKey: undefined,
  brokerKey: undefined,
  brokerSecret: undefined,
  cash: amount<Money>('100000'),
}

test('an owner who deleted the last app does not get another first start', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bootstrap-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { world } = await openTestWorld()
  t.after(() => world.close())
  await deleteApps(world)
  const first = await bootstrapMain(world, settings, folder)
  assert.ok(first.isFirstStart)
  await deleteApps(world)
  const { seq } = world.view

  const second = await bootstrapMain(world, settings, folder)
  assert.equal(second.isFirstStart, false)
  assert.deepEqual(second.credentials, first.credentials)
  assert.equal(world.view.seq, seq)
})

test('a start writes the configured keys into the file of the owner, but none that main refuses', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bootstrap-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { world } = await openTestWorld()
  t.after(() => world.close())
  await deleteApps(world)
  const { credentials } = await bootstrapMain(world, settings, folder)
  const next = {
    brokerKey: 'CK-NEXT',
    brokerSecret: 'b'.repeat(40),
    keyId: 'PK-NEXT',
    secretKey: 'k'.repeat(40),
  }
  await bootstrapMain(world, { ...settings, ...next }, folder)
  assert.deepEqual(readCredentials(folder), { ...credentials, ...next })

  // The key of an account is no operator key, and an existing key keeps its secret.
  for (const refused of [
    { brokerKey: next.keyId, brokerSecret: next.secretKey },
    { brokerKey: next.brokerKey, brokerSecret: 'another'.repeat(8) },
    { keyId: next.brokerKey, secretKey: next.brokerSecret },
  ])
    await bootstrapMain(world, { ...settings, ...refused }, folder)
  assert.deepEqual(readCredentials(folder), { ...credentials, ...next })
})

async function deleteApps(world: World): Promise<void> {
  for (const { owner, clientId } of world.view.apps.values())
    assert.ok((await decided(world, { kind: 'deleteApp', partnerId: owner, clientId })).ok)
  assert.equal(world.view.apps.size, 0)
}
