import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createQuipu, createStreams } from '@quipu/sdk'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { buildSdk } from '../../sdk/build.ts'
import { observed } from '../sdk/whole-surface.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import { commonBrowser } from './chromium.ts'

const built = join(newFolder(), 'sdk')
await buildSdk(built, { hasDeclarations: false })

const files: Readonly<Record<string, string>> = {
  '/': '<!doctype html><title>page</title>',
  '/sdk.js': readFileSync(join(built, 'index.js'), 'utf8'),
  '/surface.js': stripTypeScriptTypes(
    readFileSync(join(import.meta.dirname, '..', 'sdk', 'whole-surface.ts'), 'utf8'),
  ),
}

/** A page of another origin that may call a new broker. */
async function openPage(t: TestContext) {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.writeHead(url in files ? 200 : 404).end(files[url])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const broker = await startBroker(['--data', 'memory', '--cors', origin])
  const page = await (await commonBrowser()).newPage()
  t.after(async () => {
    await page.close()
    server.close()
    await broker.stop()
  })
  await page.goto(`${origin}/`)
  const { url, keyId, secretKey } = broker
  return { page, broker, account: { url, keyId, secretKey } }
}

test('a page observes with the packed SDK what a program observes', async (t) => {
  const { page, account, broker } = await openPage(t)
  const { brokerKey, brokerSecret } = broker
  const program = `Promise.all([import('/sdk.js'), import('/surface.js')]).then(([sdk, { observe }]) =>
    observe(sdk, ${JSON.stringify({ ...account, brokerKey, brokerSecret })}))`
  assert.deepEqual(await page.evaluate(program), observed)
})

test('a page with a bad connection places each order once and misses no update', async (t) => {
  const { page, account } = await openPage(t)
  const proxy = await openProxy(account.url)
  t.after(proxy.close)
  const connection = JSON.stringify({ ...account, url: proxy.url, retryDelayMs: 10, timeoutMs: 2000 })
  await page.evaluate(`import('/sdk.js').then(async ({ createQuipu }) => {
    globalThis.quipu = createQuipu(${connection})
    globalThis.updates = []
    const stream = quipu.streams.tradeUpdates({ reconnectMs: 10, heartbeatMs: 200, timeoutMs: 1000 })
    stream.onMessage((update) => updates.push([update.eventId, update.order.clientOrderId]))
    await stream.subscribe()
  })`)
  let turn = 0
  const faults = setInterval(() => {
    turn += 1
    proxy.truncate((turn * 13) % 60)
    if (turn % 4 === 0) proxy.open()
    if (turn === 40) clearInterval(faults)
  }, 20)
  t.after(() => clearInterval(faults))
  const outcomes = (await page.evaluate(`Promise.all(Array.from({ length: 12 }, (_, n) =>
    quipu.orders.limit(
      { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: 10, clientOrderId: 'page-' + n },
      { lookUpMs: 200, repetitions: 50 },
    ).then(({ id, report }) => [id, report.outcome])))`)) as [string, string][]
  const direct = createQuipu(account)
  const existing = await direct.orders.list({ status: 'all', limit: 100 })
  assert.deepEqual(outcomes.map(([id]) => id).sort(), existing.map(({ id }) => id).sort())
  assert.ok(
    outcomes.some(([, outcome]) => outcome !== 'confirmed'),
    'no response was lost',
  )
  const { clientOrderId: last } = await direct.orders.limit({
    symbol: 'AAPL',
    qty: 1,
    side: 'buy',
    limitPrice: 10,
  })
  await page.waitForFunction(`updates.some(([, id]) => id === ${JSON.stringify(last)})`)
  const seen = (await page.evaluate('updates.map(([id]) => id)')) as string[]
  const all: string[] = []
  const query = { since_id: '00000000000000000000000000', until_id: seen.at(-1)! }
  for await (const { event_id: id } of createStreams(account).streamTradeEvents({ query })) all.push(id)
  assert.deepEqual(seen, all)
})
