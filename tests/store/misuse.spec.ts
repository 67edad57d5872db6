import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFilesJournal } from '../../server/src/journal/files.ts'
import { newFolder } from '../broker.ts'
import { quipu } from '../quipu-process.ts'

/** A data folder with an empty journal is enough to be asked for the wrong thing. */
const data = newFolder()
await (await openFilesJournal(join(data, 'journal'))).close()
const none = join(data, 'none')

test('books in PostgreSQL are left to PostgreSQL', async () => {
  const env = { QUIPU_STORE: 'postgres://localhost/books' }
  for (const line of [['backup', 'b'], ['restore', 'b'], ['verify'], ['rebuild']]) {
    const done = await quipu(['store', ...line, '--data', data], { env })
    assert.equal(done.code, 2)
    assert.match(done.stderr, /^quipu: the books are in PostgreSQL: back them up with its own tools/m)
  }
})

const misuses: readonly (readonly [line: readonly string[], code: number, says: RegExp])[] = [
  [['backup'], 2, /store backup: expected DIR/],
  [['backup', data, '--data', data], 1, /is there already: name a folder that is not/],
  [['backup', 'b', '--data', 'memory'], 2, /what is in memory has no folder/],
  [['backup', 'b', '--data', data, '--world', 'friday'], 2, /only main is kept on the disk/],
  [['backup', 'b', '--data', none], 1, /has no journal: name the data folder/],
  [['restore', none, '--data', join(data, 'new')], 1, /is no backup: it has no backup.json/],
  [['rebuild', '--data', none], 1, /has no journal/],
]

for (const [line, code, says] of misuses)
  test(`quipu store ${line[0]} ${line.slice(2).join(' ').replaceAll(data, 'DATA')}: exit ${code}, ${says}`, async () => {
    const done = await quipu(['store', ...line])
    assert.equal(done.code, code)
    assert.match(done.stderr, says)
    assert.equal(done.stdout, '')
  })
