import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryJournal } from './memory.ts'
import { entry } from './testing/entries.ts'
import { journalSuite } from './testing/journal-suite.ts'

journalSuite('memory', async (options) => openMemoryJournal(options))

test('memory: a reader of many events lets other worlds run in between', async () => {
  const journal = openMemoryJournal()
  await journal.append(Array.from({ length: 1000 }, (_, number) => entry(String(number))))
  let [turns, isOver] = [0, false]
  const countTurn = (): void => {
    turns += 1
    if (!isOver) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  let read = 0
  for await (const entries of journal.read(0)) read += entries.length
  isOver = true
  await journal.close()
  assert.equal(read, 1000)
  assert.ok(turns >= 3, `turns of the event loop: ${turns}`)
})

test('memory: events are read from any number, before and after a page is complete, also by a fork', async () => {
  const sent = Array.from({ length: 700 }, (_, number) =>
    number % 3 === 0 ? entry(`${number}`, `sealed ${number}`) : entry(`${number}`),
  )
  const journal = openMemoryJournal()
  for (let start = 0; start < sent.length; start += 7) await journal.append(sent.slice(start, start + 7))
  const fork = await journal.fork(300)
  for (const one of sent.slice(300)) await fork.append([one])
  for (const reader of [journal, fork])
    for (const after of [0, 1, 255, 256, 257, 299, 300, 511, 512, 555, 556, 699, 700]) {
      const read: unknown[] = []
      for await (const entries of reader.read(after)) read.push(...entries)
      assert.deepEqual(read, sent.slice(after), `after ${after}`)
    }
  assert.deepEqual(fork.head(), journal.head())
})
