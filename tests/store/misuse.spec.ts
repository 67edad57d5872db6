import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

/** A data folder with an empty journal. */
const data = newFolder()
await (await openFilesJournal(join(data, 'journal'))).close()
const none = join(data, 'none')

test('an unreachable PostgreSQL is reported in one line', async () => {
  const env = { QUIPU_STORE: 'postgres://127.0.0.1:1/books' }
  for (const line of [['backup', join(data, 'b')], ['verify'], ['rebuild']]) {
    const done = await command(['store', ...line, '--data', data], { env })
    assert.equal(done.code, 1)
    assert.match(done.stderr, /^quipu: PostgreSQL at 127.0.0.1:1, database books cannot be used/m)
  }
})

const misuses: readonly (readonly [line: readonly string[], code: number, error: RegExp])[] = [
  [['backup'], 2, /store backup: expected DIR/],
  [['backup', data, '--data', data], 1, /already exists; choose a new folder/],
  [['backup', 'b', '--data', 'memory'], 2, /a server in memory has no folder/],
  [['backup', 'b', '--data', data, '--world', 'friday'], 1, /has no durable world friday/],
  [['backup', 'b', '--data', none], 1, /has no journal: set the data folder/],
  [['restore', none, '--data', join(data, 'new')], 1, /is not a backup: it has no backup.json/],
  [['rebuild', '--data', none], 1, /has no journal/],
]

for (const [line, code, error] of misuses)
  test(`quipu store ${line[0]} ${line.slice(2).join(' ').replaceAll(data, 'DATA')}: exit ${code}, ${error}`, async () => {
    const done = await command(['store', ...line])
    assert.equal(done.code, code)
    assert.match(done.stderr, error)
    assert.equal(done.stdout, '')
  })
