import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openFilesJournal } from './files.ts'
import { emptyFolder } from './testing/journal.ts'
import { collect } from './testing/journal-suite.ts'

const ROUNDS = process.env['KILLS'] === undefined ? 2 : 6
const SEGMENT_EVENTS = 64
const appendForever = fileURLToPath(new URL('testing/append-forever.child.ts', import.meta.url))

/** Runs a process that appends, kills it after some acknowledgements, and returns the last number that it printed. */
async function appendAndKill(folder: string, acknowledgements: number): Promise<number> {
  const child = spawn(process.execPath, [appendForever, folder, String(SEGMENT_EVENTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.split('\n').length > acknowledgements) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  return Number(printed.split('\n').at(-2))
}

test('after kill -9, every acknowledged event is stored, complete and in order', async () => {
  const folder = emptyFolder()
  let seen = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const acknowledged = await appendAndKill(folder, round * 17)
    assert.ok(acknowledged > seen)
    const journal = await openFilesJournal(folder, { segmentEvents: SEGMENT_EVENTS })
    seen = journal.head().seq
    assert.ok(seen >= acknowledged, `${acknowledged} was acknowledged, ${seen} is stored`)
    const numbers = (await collect(journal.read(0))).map(({ open }) => Number(open))
    assert.deepEqual(
      numbers,
      Array.from({ length: seen }, (_, index) => index + 1),
    )
    await journal.close()
  }
})
