import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldId } from '@quipu/core'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'
import { forward } from './forward.ts'

test('a node that reads that a world was deleted does not wait', async () => {
  let looks = 0
  const cluster = {
    moves: { isMoving: () => false },
    // The last look at the table found this node as holder, which has deleted the world since.
    locations: { holderOf: () => undefined, isHere: () => false },
    view: {
      row: () => (looks === 0 ? {} : undefined),
      refresh: async () => {
        looks += 1
      },
    },
  }
  const services = { cluster } as unknown as Services
  const exchange = { request: { method: 'GET' }, connection: { isClosed: false } } as unknown as Exchange
  let isOver = false
  const outcome = forward(services, exchange, { world: 'deleted' as WorldId, begin: () => false })
  void outcome.then(() => {
    isOver = true
  })
  // A timer would need longer, unless this process stands still.
  for (let turns = 10; turns > 0 && !isOver; turns--) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isOver, true)
  assert.equal(await outcome, 'deleted')
  assert.equal(looks, 1)
})
