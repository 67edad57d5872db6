import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { openStore } from './store.ts'

const ROUNDS = process.env['KILLS'] === undefined ? 2 : 5
const ROWS = 9_000
const importForever = fileURLToPath(new URL('testing/import-forever.child.ts', import.meta.url))

/** Runs a process that imports, kills it some milliseconds after its second import, and returns the last import that it printed. */
async function importAndKill(folder: string, laterMs: number): Promise<number> {
  const child = spawn(process.execPath, [importForever, folder, String(ROWS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', async (text: string) => {
    printed += text
    if (printed.split('\n').length !== 3) return
    await setTimeout(laterMs)
    child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  return Number(printed.split('\n').at(-2))
}

test('an import that is killed at any moment is stored completely or not at all', async () => {
  const folder = emptyFolder()
  for (let round = 0; round < ROUNDS; round++) {
    const printed = await importAndKill(folder, round * 5)
    const store = openStore(folder)
    const numbers = new Set(store.list().flatMap((series) => [...series.read({}, ROWS).numbers[0]!]))
    assert.deepEqual(
      store.list().map(({ rows }) => rows),
      [ROWS, ROWS],
    )
    assert.equal(numbers.size, 1, `bars of imports ${[...numbers]} are mixed`)
    const [number] = numbers
    assert.ok(number! >= printed, `import ${printed} was printed, import ${number} is stored`)
    store.close()
  }
})
