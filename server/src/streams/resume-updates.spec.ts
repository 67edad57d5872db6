import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId } from '@quipu/core'
import { resumeUpdates } from './resume-updates.ts'
import type { StreamSocket } from './socket.ts'

// Such as after the promotion of a standby that was not synchronous.
test('a client that has received more updates than the journal has is disconnected', () => {
  const closed: string[] = []
  const world = { storage: { journal: { head: () => ({ seq: 5 }) } } } as unknown as World
  const socket = { close: (reason: string) => closed.push(reason) } as unknown as StreamSocket
  resumeUpdates({ world, socket, accountId: 'any' as AccountId, after: 6, failed: () => undefined })
  assert.deepEqual(closed, ['internal'])
})
