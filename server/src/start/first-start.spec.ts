import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Money } from '@quipu/core'
import { amount, decided, openTestWorld } from '../world/testing/world.ts'
import type { World } from '../world/world.ts'
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

async function deleteApps(world: World): Promise<void> {
  for (const { owner, clientId } of world.view.apps.values())
    assert.ok((await decided(world, { kind: 'deleteApp', partnerId: owner, clientId })).ok)
  assert.equal(world.view.apps.size, 0)
}
