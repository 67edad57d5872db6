import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { launch } from '../../tests/browser/chromium.ts'
import { call, callAsOperator, plainEnvironment } from '../../tests/support/broker.ts'
import { broker } from '../../tests/support/shared-broker.ts'

const file = join(import.meta.dirname, 'app.ts')

let browser: Awaited<ReturnType<typeof launch>>
let home: string
let stop: () => void
before(async () => {
  browser = await launch()
  home = `http://localhost:${await freePort()}`
  stop = await startApp()
})
after(async () => {
  stop()
  await browser.close()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts the demo app on a free port. */
async function startApp(): Promise<() => void> {
  const redirect = `${home}/callback`
  const changed = await callAsOperator(broker, 'PATCH', `/v1/oauth/clients/${broker.oauthClientId}`, {
    redirect_uri: [redirect],
  })
  assert.equal(changed.status, 200)
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: plainEnvironment({
      APCA_API_BASE_URL: broker.url,
      OAUTH_CLIENT_ID: broker.oauthClientId,
      OAUTH_CLIENT_SECRET: broker.oauthClientSecret,
      OAUTH_REDIRECT_URI: redirect,
    }),
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  assert.equal(line, `open ${home}`)
  return () => child.kill()
}

async function consentPage() {
  const page = await (await browser.newContext()).newPage()
  await page.goto(home)
  await page.getByRole('link', { name: 'Connect your account' }).click()
  await page.getByLabel('Name').fill(broker.userName)
  await page.getByLabel('Password').fill(broker.userPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

test('a user signs in and gives consent, and the app buys a share', async () => {
  const page = await consentPage()
  await page.getByRole('button', { name: 'Allow' }).click()
  const text = await page.getByText('Connected.').textContent()
  const [, id = ''] = /^Connected\. Order (\S+): buy 1 AAPL, pending_new\.$/.exec(text ?? '') ?? []
  const { status, body } = await call(broker, 'GET', `/v2/orders/${id}`)
  assert.deepEqual([status, body.symbol, body.qty], [200, 'AAPL', '1'])
})

test('the app shows that the user denied consent', async () => {
  const page = await consentPage()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Not connected:').waitFor()
})

test('a callback without a request of the app is refused', async () => {
  const forged = await fetch(`${home}/callback?code=stolen&state=guessed`)
  assert.equal(forged.status, 400)
})

test('the error explains how to get keys, and the app imports only Node modules', async () => {
  await assert.rejects(promisify(execFile)(process.execPath, [file], { env: plainEnvironment() }), {
    stderr: /first: eval "\$\(npm run -s quipu -- env --all\)"/,
  })
  const imported = [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]!)
  assert.deepEqual(
    imported.filter((from) => !from.startsWith('node:')),
    [],
  )
})
