import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { pathWithQuipu, quipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const tutorial = readFileSync(join(root, 'docs', 'tutorial.md'), 'utf8')
const blocks = [...tutorial.matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm)].map(([, language, body]) => ({
  language: language!,
  body: body!,
}))

/** Saves the programs of the tutorial, then runs its commands in one shell. The year is shortened to 25 days. */
test('every step of the tutorial works', async (t) => {
  const folder = newFolder()
  t.after(() => quipu(['stop', '--data', join(folder, 'broker')]))
  for (const { language, body } of blocks)
    if (language === 'js')
      writeFileSync(join(folder, /^\/\/ (\S+)\n/.exec(body)![1]!), body.replace('day < 250', 'day < 25'))
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ body }) => `${body}echo =====\n`)
  const shell = spawn('sh', ['-ec', commands.join('').replace('--detach', '--detach --port 0')], {
    cwd: folder,
    env: plainEnvironment({ PATH: pathWithQuipu }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await text(shell.stdout)
  if (shell.exitCode === null) await once(shell, 'exit')
  assert.equal(shell.exitCode, 0, output)
  const [started, first, explained, , live, , crash, year] = output.split('=====\n')
  assert.match(started!, /^ready +true$/m)
  assert.match(first!, /buy 1 AAPL market[\s\S]*^AAPL +1 /m)
  assert.match(explained!, /buy 5 AAPL at 1 or better[\s\S]*waits[\s\S]*is canceled/)
  assert.equal(live, 'nothing to do\n'.repeat(3))
  assert.match(crash!, /buy 10 TSLA market +filled[\s\S]*orderFilled/)
  assert.match(year!, /pass 1$/m)
})
