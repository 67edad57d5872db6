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
