import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { asLongWork, ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { openFilesJournal } from '@quipu/broker/journal/files.ts'
import { JournalDamaged } from '@quipu/broker/journal/journal.ts'
import { openMemoryJournal } from '@quipu/broker/journal/memory.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { storedEntry } from '@quipu/broker/journal/stored-event.ts'
import { emptyFolder } from '@quipu/broker/journal/testing/journal.ts'
import type { AccountId, AddedSymbol, OrderId, Ticker } from '@quipu/core'
import { localReader } from './reader.ts'
import { at, minutes, newClient, newWorld, text } from './testing/pages.ts'
import { logged, openThreads, workers } from './testing/threads.ts'

test('a thread returns the bytes that the main thread returns, of each world and after each change', async () => {
  const threads = openThreads(1)
  const [one, other] = [newWorld('one'), newWorld('other')]
  const query = minutes(['SOFI', 'TSLA'], 800)
  const pages: string[] = []
  for (const { world, symbols } of [one, other, one]) {
    pages.push(text(await threads.read(world, query)))
    assert.equal(pages.at(-1), text(await localReader.read(world, query)))
    symbols.set('SOFI' as Ticker, { symbol: 'SOFI' as Ticker } as AddedSymbol)
  }
  assert.equal(new Set(pages).size, 3)
})

test('more worlds than a thread keeps are read in turn', async () => {
  const threads = openThreads(1)
  const worlds = Array.from({ length: 12 }, (_, number) => newWorld(`many-${number}`).world)
  for (let round = 0; round < 2; round++)
    for (const world of worlds)
      assert.equal(
        text(await threads.read(world, minutes(['AAPL'], 3))),
        text(await localReader.read(world, minutes(['AAPL'], 3))),
      )
})

const acknowledged = Array.from({ length: 30 }, (_, number) =>
  storedEntry({
    kind: 'orderAcknowledged',
    at: at('2026-01-05T15:00:00Z'),
    accountId: (number % 3 ? 'ada' : 'bob') as AccountId,
    orderId: `order ${number} – ½` as OrderId,
  }),
)
const journalPage = { list: 'events', format: 'json', limit: 20, scanMax: 100, filter: {} } as const

test('a page of a stored journal is read in a thread, with the bytes of the main thread', async () => {
  const threads = openThreads(1)
  const before = workers.length
  const journal = await openFilesJournal(emptyFolder())
  for (const entry of acknowledged) await journal.append([entry])
  for (const query of [
    { ...journalPage, after: 0 },
    { ...journalPage, after: 25 },
    { ...journalPage, after: 30 },
    {
      ...journalPage,
      after: 5,
      filter: { accountId: 'bob' as AccountId, kinds: new Set(['orderAcknowledged']) },
    },
    { ...journalPage, after: 0, list: 'postings', format: 'csv', filter: { leg: { asset: 'USD' } } },
  ] as const)
    assert.deepEqual(await threads.readJournal(journal, query), await localReader.readJournal(journal, query))
  assert.equal(workers.length, before + 1)
  await journal.close()
})

test('a page of a journal in memory is read here', async () => {
  const threads = openThreads(1)
  const before = workers.length
  const journal = openMemoryJournal()
  await journal.append(acknowledged)
  const { bytes, upTo, next } = await threads.readJournal(journal, { ...journalPage, after: 5 })
  assert.match(text(bytes), /"order_id":"order 5 – ½"/)
  assert.deepEqual([upTo, next], [25, '25'])
  assert.equal(workers.length, before)
})

test('a journal that the thread cannot read gives the error of the main thread', async () => {
  const threads = openThreads(1)
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder)
  await journal.append(acknowledged)
  await rm(folder, { recursive: true })
  await assert.rejects(threads.readJournal(journal, { ...journalPage, after: 0 }), JournalDamaged)
})

test('threads start on demand, up to the maximum', async () => {
  const before = workers.length
  const threads = openThreads(2)
  const { world } = newWorld('demand')
  assert.equal(workers.length, before)
  await threads.read(world, minutes(['AAPL']))
  await threads.read(world, minutes(['MSFT']))
  assert.equal(workers.length, before + 1)
  await Promise.all(['AAPL', 'MSFT', 'NVDA', 'TSLA'].map((name) => threads.read(world, minutes([name]))))
  assert.equal(workers.length, before + 2)
})

test('a page of a market without inputs, and a page without symbols, are read here', async () => {
  const before = workers.length
  const threads = openThreads(1)
  const { world } = newWorld('here')
  const { assets, history, pricesAt, schedule } = world.market
  const upstream = { ...world, market: { assets, history, pricesAt, schedule } }
  const query = minutes(['AAPL'], 5)
  assert.equal(text(await threads.read(upstream, query)), text(await localReader.read(world, query)))
  assert.equal(text(await threads.read(world, minutes([]))), '{"bars":{},"next_page_token":null}')
  assert.equal(workers.length, before)
})

test('pages of a thread that ends are refused, and the next page has a new thread', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('ending')
  await threads.read(world, minutes(['AAPL'], 5))
  const waiting = [1, 2, 3].map((days) =>
    threads.read(world, minutes(['AAPL', 'MSFT'], 9000, `2025-0${days}-01T00:00:00Z`)),
  )
  const refused = Promise.all(
    waiting.map((page) => assert.rejects(page, (error) => (error as NotApplied).reason === 'readerStopped')),
  )
  await workers.at(-1)!.terminate()
  await refused
  assert.deepEqual(logged.splice(0), ['a history thread ended'])
  assert.match(text(await threads.read(world, minutes(['AAPL'], 5))), /^\{"bars":\{"AAPL":/)
})

test('after an error in a thread, the read on the main thread gives the error', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('failing')
  const query = { ...minutes(['AAPL'], 5), to: 'never' as never }
  await assert.rejects(() => threads.read(world, query), TypeError)
})

test('a page ends with its client, and a client that stays has no listener left', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('client')
  const [leaving, staying] = [newClient(), newClient()]
  const read = (client: ReturnType<typeof newClient>) =>
    asLongWork('key', client, () => threads.read(world, minutes(['AAPL', 'MSFT', 'NVDA'], 10_000)))
  const [left, stayed] = [read(leaving), read(staying)]
  leaving.close()
  await assert.rejects(left, ClientDisconnected)
  await assert.rejects(read(leaving), ClientDisconnected)
  assert.ok((await stayed).length > 500_000)
  assert.equal(staying.listeners.size, 0)
})

test('many pages of one key do not delay a page of another', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('fair')
  const done: string[] = []
  const read = (key: string, names: readonly string[], limit: number) =>
    asLongWork(key, newClient(), () => threads.read(world, minutes(names, limit))).then(() => done.push(key))
  const busy = Array.from({ length: 12 }, () => read('busy', ['AAPL', 'MSFT', 'NVDA', 'TSLA'], 10_000))
  const other = read('other', ['AAPL'], 100)
  await other
  assert.ok(done.length <= 6, `${done.length} pages of the busy key came first`)
  await Promise.all(busy)
})

test('closing refuses the pages in progress and ends the threads', async () => {
  const threads = openThreads(1)
  const { world } = newWorld('closing')
  await threads.read(world, minutes(['AAPL'], 5))
  const page = assert.rejects(threads.read(world, minutes(['AAPL', 'MSFT'], 9000)), NotApplied)
  await threads.close()
  await page
  assert.equal(workers.at(-1)!.threadId, -1)
  assert.deepEqual(logged, [])
  assert.match(text(await threads.read(world, minutes(['AAPL'], 5))), /^\{"bars":/)
})
