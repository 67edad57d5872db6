import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { type Broker, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { commonBrowser, saveScreenshot } from './chromium.ts'
import { PASSWORD, signIn } from './stage.ts'

/**
 * One story on real pages: an operator must add a second factor, adds a passkey and an app, and loses both. The server is
 * killed in between.
 */
const folder = newFolder()
let broker: Broker
let context: BrowserContext
let page: Page
let devices: CDPSession
let authenticatorId: string

const start = async (): Promise<void> => {
  broker = await startBroker(['--data', folder, '--second-factor', 'operators'])
}
const pages = () => broker.url.replace('127.0.0.1', 'quipu.localhost')

before(async () => {
  await start()
  const details = { name: 'ines', password: PASSWORD, operator: true }
  const made = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/users', details)
  assert.equal(made.status, 201)
  context = await (await commonBrowser()).newContext()
  page = await context.newPage()
  devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  ;({ authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      automaticPresenceSimulation: true,
    },
  }))
})
after(async () => {
  await context.close()
  await broker.stop()
})

async function enterPassword(): Promise<void> {
  await page.goto(`${pages()}/oauth/sign-in`)
  await signIn(page, 'ines')
}

async function signOut(): Promise<void> {
  await context.clearCookies({ name: 'quipu_session' })
}

/** The status of the session for the dashboard: 401 means no rights at all. The policy of the pages allows no fetch. */
async function sessionStatus(): Promise<number> {
  const cookies = await context.cookies(`${pages()}/oauth/session`)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return (await fetch(`${broker.url}/oauth/session`, { headers: { cookie } })).status
}

const factorsOf = async (): Promise<readonly string[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/users/ines')).body.second_factors

test('who must have a second factor gets no other right before it is added', async () => {
  await enterPassword()
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await saveScreenshot(page, 'factors-required')
  assert.equal(await sessionStatus(), 401)
  for (const path of ['apps', 'operator', 'second-factor', 'sign-in']) {
    await page.goto(`${pages()}/oauth/${path}`)
    assert.match(page.url(), /\/oauth\/factors$/, path)
  }
  // A key has no second factor, and keeps working.
  assert.deepEqual(await factorsOf(), [])
})

test('a passkey is added with a name, and gives the session its rights', async () => {
  await page.getByLabel('Name of a new passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.waitForURL(`${pages()}/`)
  assert.equal(await sessionStatus(), 200)
  assert.deepEqual(await factorsOf(), ['passkey'])
  await page.goto(`${pages()}/oauth/factors`)
  await page.getByText('Laptop').waitFor()
  await saveScreenshot(page, 'factors')
})

test('after a crash the passkey is asked for, and the password alone gives nothing', async () => {
  await broker.kill()
  await start()
  await signOut()
  await enterPassword()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await saveScreenshot(page, 'second-factor-passkey')
  assert.equal(await sessionStatus(), 401)
  await page.goto(`${pages()}/oauth/factors`)
  assert.match(page.url(), /\/oauth\/second-factor$/, 'no other factor is added before this one')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${pages()}/`)
  assert.equal(await sessionStatus(), 200)
})

let secret: string
const codeAt = (ms: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })

test('an authenticator app is added with its first code', async () => {
  await page.goto(`${pages()}/oauth/factors`)
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  await page.getByText('Enter it by hand instead').click()
  secret = (await page.locator('dd code').first().textContent())!.replaceAll(' ', '')
  const link = new URL((await page.getByRole('link', { name: /^otpauth:/ }).getAttribute('href'))!)
  assert.deepEqual([link.searchParams.get('secret'), link.searchParams.get('issuer')], [secret, 'Quipu'])
  await saveScreenshot(page, 'factors-new-app')
  await page.getByLabel('Code that the app shows').fill('000000')
  await page.getByRole('button', { name: 'Add the app' }).click()
  await page.getByText('The code is not right').first().waitFor()
  assert.deepEqual(await factorsOf(), ['passkey'], 'a wrong code adds nothing')
  await page.getByLabel('Code that the app shows').fill(codeAt(Date.now()))
  await page.getByRole('button', { name: 'Add the app' }).click()
  await page.getByRole('heading', { name: 'Second factors' }).waitFor()
  assert.deepEqual(await factorsOf(), ['authenticator_app', 'passkey'])
  await saveScreenshot(page, 'factors-both')
})

test('a code signs in once, also across a crash', async () => {
  await signOut()
  await enterPassword()
  await saveScreenshot(page, 'second-factor-both')
  // The code of the next step: the one of this step has added the app.
  const code = codeAt(Date.now() + 30_000)
  await page.getByLabel('Code of your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL(`${pages()}/`)
  assert.equal(await sessionStatus(), 200)
  await broker.kill()
  await start()
  await signOut()
  await enterPassword()
  await page.getByLabel('Code of your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('it was used before').first().waitFor()
  await saveScreenshot(page, 'second-factor-wrong')
  assert.equal(await sessionStatus(), 401)
})

test('a device without the passkey shows why, and signs nobody in', async () => {
  const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId })
  await devices.send('WebAuthn.clearCredentials', { authenticatorId })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('No passkey was chosen').waitFor()
  assert.equal(await sessionStatus(), 401)
  for (const credential of credentials)
    await devices.send('WebAuthn.addCredential', { authenticatorId, credential })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${pages()}/`)
})

test('the secret of the app is in no file, response or log', async () => {
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile())
  assert.ok(files.length > 5)
  const bytes = Buffer.from(Secret.fromBase32(secret).bytes)
  const isIn = (text: Buffer): boolean =>
    [secret, secret.toLowerCase(), bytes.toString('hex'), bytes.toString('base64')].some((form) =>
      text.includes(form),
    ) || text.includes(bytes)
  for (const { parentPath, name } of files) assert.ok(!isIn(readFileSync(join(parentPath, name))), name)
  for (const path of ['audit-log', 'events', 'users', 'requests']) {
    const { status, body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/main/${path}`)
    assert.equal(status, 200)
    assert.ok(!isIn(Buffer.from(JSON.stringify(body))), path)
  }
  assert.ok(!isIn(Buffer.from(broker.log())))
})

test('a factor is removed, except the last one where one is required', async () => {
  await page.goto(`${pages()}/oauth/factors`)
  await page.getByRole('button', { name: 'Remove the authenticator app' }).click()
  await page.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('heading', { name: 'This broker requires a second factor' }).waitFor()
  assert.deepEqual(await factorsOf(), ['passkey'])
})

test('only a command on the machine of the server removes the factors of a user who lost them', async () => {
  const path = '/sim/v1/worlds/main/users/ines/second-factors'
  for (const headers of [
    {},
    { 'x-quipu-recovery': 'a'.repeat(32) },
    { 'x-quipu-recovery': '../credentials.json' },
  ]) {
    const { status, body } = await callAsOperator(broker, 'DELETE', path, undefined, headers)
    assert.deepEqual([status, body.reason], [403, 'recoveryNotLocal'])
  }
  const done = await command(['user', 'reset-second-factors', 'ines', '--data', folder])
  assert.deepEqual([done.code, done.stdout], [0, 'ines is reset\n'])
  assert.deepEqual([await factorsOf(), await sessionStatus()], [[], 401])
  assert.deepEqual(globSync('recovery-*', { cwd: folder }), [])
  const elsewhere = await command(['user', 'reset-second-factors', 'ines', '--url', broker.url])
  assert.equal(elsewhere.code, 2)
  assert.match(elsewhere.stderr, /works on a data folder of this machine/)
  await enterPassword()
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
})

test('pages without passkeys have no script, and pages with them only our own file', async () => {
  const policyOf = async (path: string) =>
    (await page.goto(`${pages()}/oauth/${path}`))!.headers()['content-security-policy'] ?? ''
  assert.match(await policyOf('factors'), /script-src 'self';/)
  assert.equal(await page.locator('script:not([src])').count(), 0)
  await signOut()
  assert.doesNotMatch(await policyOf('sign-in'), /script-src/)
  assert.equal(await page.locator('script').count(), 0)
})
