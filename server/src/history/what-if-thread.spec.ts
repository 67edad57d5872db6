import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { asLongWork, ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import type { Ticker } from '@quipu/core'
import { at, minutes, newClient, newWorld, text } from './testing/pages.ts'
import { logged, openThreads, workers } from './testing/threads.ts'
import type { WhatIfQuery } from './what-if.ts'

/** So many prices that sorting them takes longer than the limit, without a pause. */
const stuck = (maxMs: number): WhatIfQuery => ({
  kind: 'whatIf',
  symbol: 'AAPL' as Ticker,
  side: 'buy',
  quantity: 1_000_000_000n,
  fillSize: 'unlimited',
  spans: [{ from: at('2025-03-10T15:00:00Z'), to: at('2025-03-10T16:00:00Z') }],
  prices: Array.from({ length: 200_000 }, (_, index) => BigInt((index * 7919) % 200_003) * 1_000_000n + 1n),
  maxMs,
  head: {} as WhatIfQuery['head'],
})
const few = (maxMs = 60_000): WhatIfQuery => ({ ...stuck(maxMs), prices: [1_000_000_000_000n] })
const completeOf = (bytes: Uint8Array): boolean => JSON.parse(text(bytes)).complete
const ended = (worker: Worker): Promise<unknown> =>
  worker.threadId === -1 ? Promise.resolve() : once(worker, 'exit')

test('a what-if whose time is over ends its thread, and pages and later what-ifs go on', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('over')
  await threads.read(world, minutes(['AAPL'], 5))
  const pages = workers.at(-1)!
  assert.equal(completeOf(await threads.readWhatIf(world, few())), true)
  const first = workers.at(-1)!
  assert.notEqual(first, pages)
  const page = threads.read(world, minutes(['AAPL', 'MSFT'], 9000))
  const { fills, complete } = JSON.parse(text(await threads.readWhatIf(world, stuck(20))))
  assert.deepEqual([complete, fills.length, fills.at(-1).outcome], [false, 200_000, 'unknown'])
  await ended(first)
  assert.equal(completeOf(await threads.readWhatIf(world, few())), true)
  assert.notEqual(workers.at(-1), first)
  assert.ok((await page).length > 100_000)
  assert.notEqual(pages.threadId, -1)
  assert.deepEqual(logged, [])
})

test('a what-if whose client leaves frees its thread, at the latest when its time is over', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('left')
  await threads.readWhatIf(world, few())
  const first = workers.at(-1)!
  const leave = async (query: WhatIfQuery) => {
    const client = newClient()
    const left = asLongWork('key', client, () => threads.readWhatIf(world, query))
    client.close()
    await assert.rejects(left, ClientDisconnected)
  }
  await leave(few())
  assert.equal(completeOf(await threads.readWhatIf(world, few())), true)
  assert.equal(workers.at(-1), first)
  await leave(stuck(20))
  await ended(first)
  assert.equal(completeOf(await threads.readWhatIf(world, few())), true)
})

test('what_if_ms 0 computes nothing', async () => {
  const threads = openThreads(1)
  const before = workers.length
  assert.equal(completeOf(await threads.readWhatIf(newWorld('none').world, few(0))), false)
  assert.equal(workers.length, before)
})
