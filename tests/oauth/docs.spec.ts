import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { OAuthEvent, UserEvent } from '@quipu/core'
import { settings } from '../../server/src/config/settings.table.ts'
import { Browser, responseTo } from '../../server/src/http/oauth/testing/pages.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const guide = readFileSync(join(root, 'docs', 'guides', 'oauth.md'), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)

/** Signs in and allows the app on the pages; returns the code in the redirect URL. */
async function allow(address: string, env: Record<string, string>): Promise<string> {
  const { origin, pathname, search } = new URL(address)
  const browser = new Browser({ url: origin })
  const signIn = await browser.get(pathname + search)
  const form = await browser.get(signIn.location ?? '')
  await browser.submit(form, '/oauth/sign-in', {
    name: env['APCA_USER_NAME'],
    password: env['APCA_USER_PASSWORD'],
  })
  const page = await browser.get(pathname + search)
  const [, paper] = /name="paper"[^>]* value="([^"]+)"/.exec(page.html) ?? []
  return responseTo(await browser.submit(page, '/oauth/authorize', { answer: 'allow', paper }))['code'] ?? ''
}

test('the commands of the guide, run in one shell, place an order', async (t) => {
  const folder = newFolder()
  const started = await quipu(['start', '--detach', '--port', '0', '--data', folder])
  t.after(() => command(['stop', '--data', folder]))
  assert.equal(started.code, 0, started.stderr)
  const env = JSON.parse((await command(['env', '--all', '--json', '--data', folder])).stdout)
  const [first, ...rest] = blocks
  assert.equal(rest.length, 3)
  const shell = spawn('sh', ['-ec', [first, ...rest].join('\n')], {
    cwd: root,
    env: plainEnvironment({
      QUIPU_DATA: folder,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH']}`,
    }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: shell.stdout })) {
    lines.push(line)
    if (line.includes('/oauth/authorize?')) shell.stdin.end(`${await allow(line, env)}\n`)
  }
  if (shell.exitCode === null) await once(shell, 'exit')
  assert.equal(shell.exitCode, 0, lines.join('\n'))
  const order = JSON.parse(lines.at(-1) ?? '')
  assert.deepEqual([order.symbol, order.qty, order.status], ['AAPL', '1', 'pending_new'])
})

/** All event kinds; the compiler checks that none is missing. */
const kinds: Record<(OAuthEvent | UserEvent)['kind'], true> = {
  appRegistered: true,
  appStatusChanged: true,
  appChanged: true,
  appSecretAdded: true,
  appSecretRemoved: true,
  appDeleted: true,
  failedAttemptLimitReached: true,
  codeIssued: true,
  consentRefused: true,
  consentWithdrawn: true,
  tokenIssued: true,
  codeExchanged: true,
  codeReplayed: true,
  tokenRefreshed: true,
  refreshReplayed: true,
  tokenRevoked: true,
  tokenExpired: true,
  grantRevoked: true,
  grantUsed: true,
  machineTokenIssued: true,
  machineTokenRevoked: true,
  userAdded: true,
  userChanged: true,
  userRemoved: true,
  accountAssigned: true,
  signInLinkIssued: true,
  signedIn: true,
  signInFailed: true,
  addressesErased: true,
  signedOut: true,
  operatorRightsRaised: true,
  operatorRightsDropped: true,
  credentialsDropped: true,
  totpAdded: true,
  passkeyAdded: true,
  factorRemoved: true,
  factorsRemoved: true,
  factorUsed: true,
  sessionConfirmed: true,
}

test('the guide lists every event of users and apps, and no other', () => {
  const [, table = ''] = guide.split('## Journal events')
  const [rows = ''] = table.split('\n## ')
  const named = [...rows.matchAll(/`(\w+)`(?= |$)/gm)].map((match) => match[1]!)
  assert.deepEqual(named.sort(), Object.keys(kinds).sort())
})

test('the guide names the settings of the limits with their defaults', () => {
  const [, section = ''] = guide.split('## Limits on failed attempts')
  for (const name of [
    'failedAttemptsMax',
    'appFailedAttemptsMax',
    'appFailedAttemptsTotalMax',
    'userFailedAttemptsMax',
  ] as const) {
    const variable = `QUIPU_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
    assert.ok(section.includes(`\`${variable}\``), variable)
    const { defaultValue } = settings[name]
    const text = typeof defaultValue === 'string' ? defaultValue : (defaultValue?.text ?? '')
    const [otherDefault = ''] = /\d+(?= elsewhere|$)/.exec(text) ?? []
    assert.ok(section.includes(`\`${variable}\` | ${otherDefault}`), `${variable}: ${text}`)
  }
})
