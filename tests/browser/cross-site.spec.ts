import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { call, callAsOperator } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { browserNames, freshPage, press } from './browsers.ts'

/** An attacking web page that the user visits. */
let attacker: { readonly urls: readonly string[]; show(html: string): void; close(): void }
before(async () => {
  attacker = await openAttacker()
})
after(() => attacker.close())

/** Serves the page on the same site (another port of the host) and on another site. */
async function openAttacker(): Promise<typeof attacker> {
  let html = ''
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urls: [`http://127.0.0.1:${port}/`, `http://evil.localhost:${port}/`],
    show: (shown) => {
      html = shown
    },
    close: () => void server.close().closeAllConnections(),
  }
}

/** Opens a URL of the broker with a key, which the browser may store. */
async function openWithKey(page: Page, keyId: string, secret: string, path: string): Promise<void> {
  const url = new URL(path, broker.url)
  url.username = keyId
  url.password = secret
  await page.goto(url.href).catch(() => undefined)
}

/** A form that sends JSON as text/plain: its field is split at the equals sign, which the browser adds. */
function textForm(path: string, body: object): string {
  const [name = '', value = ''] = JSON.stringify(body)
    .split('=')
    .map((part) => part.replaceAll('"', '&quot;'))
  return `<form method="post" enctype="text/plain" action="${broker.url}${path}">
    <input name="${name}" value="${value}"><button>x</button></form>`
}

const order = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
  client_order_id: '=',
}
const user = { name: 'mallory', password: 'correct=horse battery', operator: true }

for (const name of browserNames) {
  test(`${name}: a page of another origin places no order and creates no operator`, async (t) => {
    const page = await freshPage(name, t)
    for (const url of attacker.urls) {
      await openWithKey(page, broker.keyId, broker.secretKey, '/v2/account')
      attacker.show(textForm('/v2/orders', order))
      await page.goto(url)
      await press(page, 'button')
      assert.match((await page.content()).replace(/\s+/g, ' '), /cross-origin request refused/)
    }
    const operator = await freshPage(name, t)
    await openWithKey(operator, broker.brokerKey, broker.brokerSecret, '/sim/v1/worlds')
    attacker.show(textForm('/sim/v1/worlds/main/users', user))
    await operator.goto(attacker.urls[0]!)
    await press(operator, 'button')
    assert.deepEqual((await call(broker, 'GET', '/v2/orders?status=all')).body, [])
    const { status } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/users/mallory')
    assert.equal(status, 404)
  })

  test(`${name}: a page of another origin opens no stream`, async (t) => {
    const page = await freshPage(name, t)
    const socketUrl = broker.url.replace('http', 'ws')
    const outcome = (path: string) =>
      page.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url)
            socket.onopen = () => resolve('open')
            socket.onerror = () => resolve('refused')
          }),
        `${socketUrl}${path}`,
      )
    attacker.show('<p>hello')
    for (const url of attacker.urls) {
      await page.goto(url)
      for (const path of ['/stream', '/v2/sip']) assert.equal(await outcome(path), 'refused')
    }
    await page.goto(`${broker.url}/healthz`)
    assert.equal(await outcome('/stream'), 'open')
  })
}
