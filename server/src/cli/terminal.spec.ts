import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../config/config.ts'
import { createLog } from '../process/log.ts'
import { startQuipu } from '../start/start.ts'
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

/** Runs a line as on a terminal, with these answers. */
async function typed(line: string, answers: string[] = [], more: Record<string, string> = {}) {
  const { brokerKey = '', brokerSecret = '' } = server.credentials
  const env = {
    QUIPU_URL: server.url,
    QUIPU_BROKER_KEY: brokerKey,
    QUIPU_BROKER_SECRET: brokerSecret,
    ...more,
  }
  const lines: string[] = []
  const asked: string[] = []
  const exit = await run({
    line: line.split(' '),
    env,
    print: (text) => lines.push(text),
    note: (text) => lines.push(text),
    width: 80,
    isTerminal: true,
    async ask(question) {
      asked.push(question)
      return answers.shift() ?? assert.fail(`nobody expected: ${question}`)
    },
  })
  return { exit, text: lines.join('\n'), asked }
}

test('world delete asks once on a terminal, and deletes nothing without a yes', async () => {
  await typed('world create friday')
  for (const answer of ['', 'n', 'no', 'friday']) {
    const kept = await typed('world delete friday', [answer])
    assert.deepEqual([kept.exit, kept.text], [1, 'quipu: nothing was deleted'], answer)
    assert.match(kept.asked.join(), /^Delete the world friday with 1 account and \d+ events\? \[y\/N\] $/)
  }
  assert.equal((await typed('world show friday')).exit, 0)
  assert.deepEqual(await typed('world delete friday', ['y']).then(({ text }) => text), 'friday is deleted')
  await typed('world create friday')
  const { exit, asked } = await typed('world delete friday --yes')
  assert.deepEqual([exit, asked], [0, []])
})

test('every list fits on a terminal of 80 columns', async () => {
  await typed('order place sell MSFT 1 --stop 300.25 --limit 299.75 --tif gtc')
  await typed('order place buy AAPL 1')
  await typed('user create somebody-with-a-long-name@broker.example.org --paper')
  await typed('action create cash_dividend KO 2030-11-20 --rate 0.5')
  await typed('market-event create halt AAPL --from 2030-01-02T15:00:00Z --to 2030-01-02T16:00:00Z')
  const lists = commands.filter(({ name }) => name.endsWith(' list')).map(({ name }) => name)
  for (const line of [...lists, 'order list --status all', 'issuer accounts', 'events', 'audit-log --all']) {
    const { exit, text } = await typed(line)
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
  const { exit, text } = await typed('open', [], { BROWSER: browser })
  assert.equal(exit, 0, text)
  for (let tries = 0; tries < 100 && textIn(opened) === ''; tries++) await sleep(50)
  assert.equal(textIn(opened), text)
  assert.match(text, /\/oauth\/sign-in\?once=/)
  const printed = await typed('open --print', [], { BROWSER: '/nowhere/browser' })
  assert(!printed.text.includes('\n'), printed.text)
  const failed = await typed('open', [], { BROWSER: '/nowhere/browser' })
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
