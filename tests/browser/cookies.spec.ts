import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { callAsOperator } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { browserNames, freshPage, press } from './browsers.ts'

/** Another server on the same machine. Cookies ignore ports, so a browser might send it our cookie. */
type Listener = { readonly url: string; readonly cookies: string[]; close(): void }

let listeners: readonly Listener[]
let clientId: string
before(async () => {
  listeners = await Promise.all([listen('127.0.0.1'), listen('localhost'), listen('[::1]')])
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/oauth/clients', {
    name: 'Chart Lantern',
    redirect_uri: listeners.map(({ url }) => `${url}/oauth/callback`),
    scopes: ['trading'],
  })
  assert.equal(status, 201, JSON.stringify(body))
  clientId = body.client_id
})
after(() => {
  for (const { close } of listeners) close()
})

async function listen(host: string): Promise<Listener> {
  const cookies: string[] = []
  const server = createServer(({ headers }, response) => {
    cookies.push(headers.cookie ?? '')
    response.setHeader('Content-Type', 'text/html')
    response.end('<title>An app</title>')
  }).listen(0, host.replace(/[[\]]/g, ''))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://${host}:${port}`, cookies, close: () => void server.close().closeAllConnections() }
}

const authorizeUrl = (redirectUri: string): string => {
  const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'trading' }
  return `${broker.url}/oauth/authorize?${new URLSearchParams({ ...query, state: 'a&b' })}`
}

async function signIn(page: Page): Promise<void> {
  await page.type('#name', broker.userName)
  await page.type('#password', broker.userPassword)
  await press(page, 'button.main')
}

for (const name of browserNames)
  test(`${name}: no other port receives the session cookie, after Allow, after Deny, and on a visit`, async (t) => {
    const page = await freshPage(name, t)
    await page.goto(`${broker.url}/oauth/sign-in`)
    await signIn(page)
    assert.equal(page.url(), `${broker.url.replace('127.0.0.1', 'quipu.localhost')}/`)
    for (const { url, cookies } of listeners) {
      for (const response of ['allow', 'deny']) {
        await page.goto(authorizeUrl(`${url}/oauth/callback`))
        assert.equal(new URL(page.url()).hostname, 'quipu.localhost')
        await press(page, `button[value=${response}]`)
        const back = new URL(page.url())
        assert.equal(back.origin, url)
        assert.equal(back.searchParams.get('state'), 'a&b')
        assert.equal(back.searchParams.has('code'), response === 'allow')
        assert.equal(back.searchParams.get('iss'), broker.url)
      }
      for (const path of ['/', '/oauth/authorize']) await page.goto(url + path)
      assert.ok(cookies.length >= 4)
      assert.deepEqual([...new Set(cookies)], [''])
    }
    await page.goto(`${broker.url}/oauth/apps`)
    assert.equal(await page.title(), 'Apps that may act for me · Quipu', 'the session continues')
  })
