import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

async function startServer(t: TestContext, folder: string): Promise<Broker> {
  const broker = await startBroker(['--data', folder])
  t.after(broker.kill)
  return broker
}

/** Runs a command on a folder and returns its JSON output. */
async function runJson(folder: string, line: string) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, 0, done.stderr)
  return JSON.parse(done.stdout)
}

/** Opens a sign-in link, submits its form, and returns the status of the next page. */
async function openLink(link: string, browser = new Browser({ url: new URL(link).origin })): Promise<number> {
  const { pathname, search } = new URL(link)
  const page = await browser.get(pathname + search)
  if (page.status !== 200) return page.status
  const signedIn = await browser.submit(page, '/oauth/sign-in')
  return (await browser.get(signedIn.location ?? '/')).status
}

test('quipu user: every verb works, and its effect survives kill -9', async (t) => {
  const folder = newFolder()
  const first = await startServer(t, folder)
  const ana = await runJson(folder, 'user create Ana --paper --live --cash 25.50')
  assert.deepEqual(
    ana.accounts.map(({ flavour }: { flavour: string }) => flavour),
    ['paper', 'live'],
  )
  const file = join(folder, 'password')
  writeFileSync(file, 'correct horse battery\n')
  const [account] = ana.accounts
  await runJson(folder, `user create bob --password-file ${file} --accounts ${account.account_id}`)
  const changed = await runJson(folder, 'user update ana --name anna --operator yes')
  assert.deepEqual([changed.name, changed.operator, changed.accounts.length], ['anna', true, 1])
  const browser = new Browser(first)
  assert.equal((await browser.signIn(undefined, 'BOB', 'correct horse battery')).status, 303)
  const shown = await runJson(folder, 'user show bob')
  assert.equal(shown.sessions.length, 1)
  await runJson(folder, 'user sign-out bob')
  assert.deepEqual((await runJson(folder, 'user show bob')).sessions, [])
  const refused = await command(['user', 'delete', 'bob', '--data', folder])
  assert.deepEqual(
    [refused.code, refused.stderr],
    [4, 'quipu user delete: the user still has open accounts\n'],
  )
  await runJson(folder, 'user update bob --accounts none --disabled yes')
  await first.kill()

  const again = await startServer(t, folder)
  const users = await runJson(folder, 'user list')
  assert.deepEqual(
    users.map(({ name, operator, disabled }: Record<string, unknown>) => [name, operator, disabled]),
    [
      ['owner', true, false],
      ['anna', true, false],
      ['bob', false, true],
    ],
  )
  assert.equal((await new Browser(again).signIn(undefined, 'anna', ana.password)).status, 303)
  assert.equal((await new Browser(again).signIn(undefined, 'bob', 'correct horse battery')).status, 400)
  await runJson(folder, 'user delete bob')
  assert.equal((await runJson(folder, 'user list')).length, 2)
})

test('a first start prints a sign-in link that works once; quipu user link creates another', async (t) => {
  const folder = newFolder()
  const { signInUrl = '', stop } = await startServer(t, folder)
  assert.deepEqual([await openLink(signInUrl), await openLink(signInUrl)], [200, 400])
  const { url } = await runJson(folder, 'user link owner')
  assert.deepEqual([await openLink(url), await openLink(url)], [200, 400])
  await stop()
  const later = await startServer(t, folder)
  assert.equal(later.signInUrl, undefined, 'a later start prints no link')
  const opened = await runJson(folder, 'open')
  assert.deepEqual([await openLink(opened.url), await openLink(opened.url)], [200, 400])
})

test('quipu open and the link of a first start give operator rights for one hour', async (t) => {
  const folder = newFolder()
  const { signInUrl = '' } = await startServer(t, folder)
  const rights = async (link: string): Promise<string | null> => {
    const browser = new Browser({ url: new URL(link).origin })
    assert.equal(await openLink(link, browser), 200)
    const { html } = await browser.get('/oauth/session')
    return JSON.parse(html).operator_until
  }
  const { url: plain } = await runJson(folder, 'user link owner')
  assert.equal(await rights(plain), null)
  for (const link of [signInUrl, (await runJson(folder, 'open')).url]) {
    const lasts = Date.parse((await rights(link)) ?? '') - Date.now()
    assert.ok(lasts > 3_500_000 && lasts <= 3_600_000, `${lasts} ms`)
  }
  await runJson(folder, 'user create bob')
  const refused = await command(['open', '--user', 'bob', '--data', folder])
  assert.deepEqual(
    [refused.code, refused.stderr],
    [4, 'quipu open: the user is neither an operator nor an auditor\n'],
  )
})
