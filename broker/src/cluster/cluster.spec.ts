import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { waitUntil } from '@quipu/server/http/testing/wait-until.ts'
import { createLog } from '../log/log.ts'
import type { Queries } from '../postgres/connection.ts'
import { Cluster, type ClusterParts } from './cluster.ts'

const log = createLog({ level: 'error', readable: true, write: () => undefined })
const MAIN_ROW = {
  world: 'main',
  record: null,
  holder: null,
  address: null,
  taken_at: null,
  seq: '0',
  fence: '0',
}

test('a node that opens its first worlds for long stays in the table of nodes', async (t) => {
  let renewals = 0
  const query = async ({ name, text }: { readonly name?: string; readonly text: string }) => {
    if (text.includes('INSERT INTO quipu_nodes')) renewals += 1
    return { rows: name === 'worlds' ? [{ ...MAIN_ROW, held: false, lease: null, late: false }] : [] }
  }
  const opening = Promise.withResolvers<void>()
  const opened: WorldId[] = []
  const parts = {
    ...{ name: 'a', secret: 'any', log, queries: () => ({ query }) as unknown as Queries },
    ...{ isOpen: () => false, isUp: () => false, isLive: () => false, inMemory: () => [] },
    ...{ journals: () => new Map(), isChanged: () => false },
    open: ({ world }) => {
      opened.push(world)
      return opening.promise
    },
    select: async () => undefined,
    close: async () => undefined,
    endLease: async () => undefined,
  } as Partial<ClusterParts> as ClusterParts
  const cluster = new Cluster(parts)
  t.after(() => cluster.stop())
  const started = cluster.start('http://a')
  await waitUntil('renewals of the node', () => renewals > 2)
  opening.resolve()
  await started
  assert.deepEqual(opened, ['main'])
})
