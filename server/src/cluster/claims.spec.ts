import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { createLog } from '../process/log.ts'
import { Claims } from './claims.ts'
import type { WorldRow } from './table.ts'
import type { TableView } from './table-view.ts'

const WORLD = 'friday' as WorldId
const row: WorldRow = { world: WORLD, isLate: false, seq: 0, fence: 0 }
const log = createLog({ level: 'error', readable: true, write: () => undefined })

function newClaims(state: { isOpen: boolean; isLive: boolean }) {
  const calls: string[] = []
  const parts = {
    ...{ name: 'a', log, isOpen: () => state.isOpen, isLive: () => state.isLive },
    open: async () => {
      calls.push('open')
      await new Promise(setImmediate)
    },
    release: async () => {
      calls.push('release')
    },
  }
  return { calls, claims: new Claims(parts, {} as TableView) }
}

test('a late request to claim a world that this node answers for changes nothing', async () => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: true })
  await claims.open(row)
  assert.deepEqual(calls, [])
})

test('a request to claim a world that this node opens waits for it', async () => {
  const { calls, claims } = newClaims({ isOpen: false, isLive: false })
  await Promise.all([claims.open(row), claims.open(row)])
  assert.deepEqual(calls, ['open'])
  assert.equal(claims.isOpening(WORLD), false)
})

test('a world that is in the list and does not answer is given up before it is opened again', async () => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: false })
  await claims.open(row)
  assert.deepEqual(calls, ['release', 'open'])
})
