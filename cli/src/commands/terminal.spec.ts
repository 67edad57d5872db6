import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@quipu/broker/log/log.ts'
import { readConfig } from '@quipu/server/config/config.ts'
import { startQuipu } from '@quipu/server/start/start.ts'
import { commands } from './commands.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-terminal-'))
let server: Awaited<ReturnType<typeof startQuipu>>
before(async () => {
  const flags = new Map([
    ['data', 'memory'],
    ['port', '0'],
  ])
  const { config } = readConfig({ flags, env: {}, readText: () => '' })
  server = await startQuipu(config, createLog({ level: 'silent', readable: true, write: () => {} }), {})
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a line as on a terminal, with these responses. */
async function runLine(line: string, responses: string[] = [], more: Record<string, string> = {}) {
  const { brokerKey = '', brokerSecret = '' } = server.credentials
  const env = {
    QUIPU_URL: server.url,
    QUIPU_BROKER_KEY: brokerKey,
    QUIPU_BROKER_SECRET: brokerSecret,
    ...more,
  }
  const lines: string[] = []
  const questions: string[] = []
  const exit = await run({
    line: line.split(' '),
    env,
    print: (text) => lines.push(text),
    note: (text) => lines.push(text),
    width: 80,
    isTerminal: true,
    async prompt(question) {
      questions.push(question)
      return responses.shift() ?? assert.fail(`unexpected question: ${question}`)
    },
  })
  return { exit, text: lines.join('\n'), questions }
}

test('world delete asks once on a terminal, and deletes nothing without a yes', async () => {
  await runLine('world create friday')
  for (const response of ['', 'n', 'no', 'friday']) {
    const kept = await runLine('world delete friday', [response])
    assert.deepEqual([kept.exit, kept.text], [1, 'quipu: nothing was deleted'], response)
    assert.match(kept.questions.join(), /^Delete the world friday with 1 account and \d+ events\? \[y\/N\] $/)
  }
  assert.equal((await runLine('world show friday')).exit, 0)
  assert.deepEqual(await runLine('world delete friday', ['y']).then(({ text }) => text), 'friday is deleted')
  await runLine('world create friday')
  const { exit, questions } = await runLine('world delete friday --yes')
  assert.deepEqual([exit, questions], [0, []])
})

test('every list fits on a terminal of 80 columns', async () => {
  await runLine('order place sell MSFT 1 --stop 300.25 --limit 299.75 --tif gtc')
  await runLine('order place buy AAPL 1')
  await runLine('user create somebody-with-a-long-name@broker.example.org --paper')
  await runLine('action create cash_dividend KO 2030-11-20 --rate 0.5')
  await runLine('market-event create halt AAPL --from 2030-01-02T15:00:00Z --to 2030-01-02T16:00:00Z')
  const lists = commands.filter(({ name }) => name.endsWith(' list')).map(({ name }) => name)
  for (const line of [...lists, 'order list --status all', 'issuer accounts', 'events', 'audit-log --all']) {
    const { exit, text } = await runLine(line)
    assert.equal(exit, 0, text)
    assert.deepEqual(
      text.split('\n').filter(({ length }) => length > 80),
      [],
      line,
    )
  }
})

test('open starts the browser with a link that signs in', async () => {
  const [opened, browser] = [join(folder, 'opened'), join(folder, 'browser')]
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 })
  const { exit, text } = await runLine('open', [], { BROWSER: browser })
  assert.equal(exit, 0, text)
  while (textIn(opened) === '') await sleep(50)
  assert.equal(textIn(opened), text)
  assert.match(text, /\/oauth\/sign-in\?once=/)
  const printed = await runLine('open --print', [], { BROWSER: '/nowhere/browser' })
  assert(!printed.text.includes('\n'), printed.text)
  const failed = await runLine('open', [], { BROWSER: '/nowhere/browser' })
  assert.equal(failed.exit, 0)
  assert.match(failed.text, /\n\/nowhere\/browser did not start: open the link above/)
})

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
