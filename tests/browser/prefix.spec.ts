import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { authorizeQuery, openPages, PASSWORD, USER } from '../../server/src/http/oauth/testing/pages.ts'
import { commonBrowser } from './chromium.ts'
import { signIn } from './stage.ts'

/** A proxy that serves the broker under a path prefix. */
async function openProxy(target: () => string) {
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/broker/')) return outgoing.writeHead(404).end()
    const url = `${target()}${incoming.url.slice('/broker'.length)}`
    const { method = 'GET', headers } = incoming
    const forwarded = request(url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    return incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/broker`, close: () => void server.close().closeAllConnections() }
}

test('behind a proxy with a path prefix all links and redirects work', async (t) => {
  let port = 0
  const proxy = await openProxy(() => `http://127.0.0.1:${port}`)
  t.after(() => proxy.close())
  const scene = await openPages({}, { binding: { publicUrl: proxy.url } })
  t.after(() => scene.close())
  port = scene.serving.port
  const browser = await commonBrowser()
  const context = await browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(`${proxy.url}/oauth/authorize?${authorizeQuery(scene)}`)
  await signIn(page, USER, PASSWORD)
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/callback'))
  const received = page.waitForResponse((response) => response.request().url().endsWith('/oauth/authorize'))
  await page.getByRole('button', { name: 'Deny' }).click()
  const location = new URL((await received).headers()['location'] ?? '')
  assert.deepEqual(
    ['error', 'iss'].map((name) => location.searchParams.get(name)),
    ['access_denied', proxy.url],
  )
  // No app listens at the callback URL: the browser shows its error page.
  await failed
  await page.waitForURL('chrome-error://chromewebdata/')
  await page.goto(`${proxy.url}/oauth/apps`)
  await page.getByRole('heading', { name: 'Apps that may act for me' }).waitFor()
  await page.getByRole('button', { name: 'Not you? Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(page.url(), `${proxy.url}/oauth/sign-in`)
})
