import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { openTestServer, type TestServer } from '../testing/server.ts'
import { WebFiles } from './web-files.ts'

const PAGE = '<title>SDK</title>'
const SCRIPT = 'console.log("dashboard")'
let server: TestServer
const folder = mkdtempSync(join(tmpdir(), 'quipu-web-'))
before(async () => {
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><base href="./"><title>Quipu</title>')
  writeFileSync(join(folder, 'docs', 'index.html'), '<title>Docs</title>')
  writeFileSync(join(folder, 'pages.br'), brotliCompressSync(`${PAGE}${PAGE.toLowerCase()}`))
  writeFileSync(join(folder, 'assets', 'a-12345678.js.gz'), gzipSync(SCRIPT))
  // Files without a type are pages.
  const html = { hash: 'h1' }
  const files = {
    'index.html': html,
    'docs/index.html': html,
    'docs/sdk.html': { ...html, packed: [0, PAGE.length] },
    'assets/a-12345678.js': {
      type: 'text/javascript',
      hash: 'h2',
      immutable: true,
      gzip: true,
    },
    'docs/assets/b-12345678.js': {
      type: 'text/javascript',
      hash: 'h2',
      gzip: true,
      storedAs: 'assets/a-12345678.js',
    },
  }
  const manifest = JSON.stringify({ screens: ['', 'orders'], files })
  writeFileSync(join(folder, 'manifest.json.gz'), gzipSync(manifest))
  server = await openTestServer({ services: { web: new WebFiles(folder) } })
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

type WebResponse = {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: Buffer
}

const get = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  { serving: { port } } = server,
): Promise<WebResponse> =>
  new Promise((resolve, reject) => {
    const sent = { host: `quipu.localhost:${port}`, ...headers }
    request({ host: '127.0.0.1', port, path, method, headers: sent }, async (response) => {
      const body = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode!, headers: response.headers, body })
    })
      .on('error', reject)
      .end()
  })

const HTML = { accept: 'text/html,*/*;q=0.8' }

for (const [path, text] of [
  ['/', '<base href="./">'],
  ['/orders', '<base href="./">'],
  ['/orders/5f1c', '<base href="../">'],
  ['/orders/5f1c?world=lab', '<base href="../">'],
  ['/docs', '<title>Docs</title>'],
  ['/docs/sdk', '<title>SDK</title>'],
  ['/docs/sdk.html', '<title>SDK</title>'],
] as const)
  test(`a browser at ${path} gets a page with a strict content policy`, async () => {
    const { status, headers, body } = await get(path, HTML)
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.ok(body.includes(text), String(body))
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*script-src 'self';/)
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:/)
    assert.deepEqual([headers['x-frame-options'], headers['cache-control']], ['DENY', 'no-cache'])
  })

for (const [accepted, encoding] of [
  ['gzip, deflate, br', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['gzip;q=0, br', undefined],
  ['identity', undefined],
  ['', undefined],
] as const)
  test(`a script for a client that accepts ${accepted || 'nothing'} is sent as ${encoding ?? 'it is'}`, async () => {
    const { status, headers, body } = await get('/assets/a-12345678.js', { 'accept-encoding': accepted })
    assert.deepEqual([status, headers['content-encoding']], [200, encoding])
    assert.equal(String(encoding ? gunzipSync(body) : body), SCRIPT)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

test('a file with the content of another one is found under both names', async () => {
  const { status, body } = await get('/docs/assets/b-12345678.js')
  assert.deepEqual([status, String(body)], [200, SCRIPT])
})

test('a file that the browser has is not sent again', async () => {
  const { headers } = await get('/docs/sdk', HTML)
  const { status, body } = await get('/docs/sdk', { ...HTML, 'if-none-match': String(headers['etag']) })
  assert.deepEqual([status, body.length], [304, 0])
})

test('a page with a slash at the end of its address is found, as relative links need it without', async () => {
  for (const [path, location] of [
    ['/docs/sdk/', '../sdk'],
    ['/docs/?a=1', '../docs?a=1'],
    ['/docs//', undefined],
  ] as const) {
    const { status, headers } = await get(path, HTML)
    assert.deepEqual([status, headers['location']], [location === undefined ? 404 : 308, location], path)
  }
})

test('a wrong address gets a page for people and JSON for programs', async () => {
  const page = await get('/nope/x', HTML)
  assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'])
  assert.match(String(page.body), /There is no such page.*href="\.\.\/"/s)
  const json = await get('/nope/x')
  assert.deepEqual([json.status, json.headers['content-type']], [404, 'application/json'])
  assert.equal((await get('/nope', HTML, 'POST')).headers['content-type'], 'application/json')
})

test('an address with an empty part is no page, file or operation, whoever asks', async () => {
  const host = `127.0.0.1:${server.serving.port}`
  const addresses = ['/', '/orders', '/docs', '/docs/', '/docs/sdk', '/assets/a-12345678.js', '/x']
  const operations = ['/oauth/sign-in', '/oauth/authorize', '/sim/v1/worlds', '/v2/account', '/healthz']
  const inside = ['/orders//5f1c', '/orders//', '/docs//sdk', '/oauth//sign-in', '/sim//v1/worlds']
  const paths = [...addresses, ...operations].flatMap((path) => [`/${path}`, `//${path}`])
  for (const path of [...paths, ...inside])
    for (const headers of [{}, HTML, { ...HTML, host }]) {
      const { status, headers: sent } = await get(path, headers)
      const type = headers === HTML || 'host' in headers ? 'text/html; charset=utf-8' : 'application/json'
      assert.deepEqual([status, sent['content-type']], [404, type], path)
    }
})

test('no file outside of the build is sent', async () => {
  for (const path of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/manifest.json',
    '/manifest.json.gz',
    '/constructor',
    '/assets',
  ])
    assert.equal((await get(path)).status, 404, path)
})

test('a browser at a loopback address goes to the host name of the pages, a program does not', async () => {
  const host = `127.0.0.1:${server.serving.port}`
  const { status, headers } = await get('/orders?world=lab', { ...HTML, host })
  const location = `http://quipu.localhost:${server.serving.port}/orders?world=lab`
  assert.deepEqual([status, headers['location']], [303, location])
  assert.equal((await get('/', { host })).status, 200)
})

test('files are not in the request log', () => {
  const log = server.services.monitoring.requests.of(server.services.worlds.main)
  assert.equal(
    log.findLast(({ operation }) => operation === 'web'),
    undefined,
  )
  assert.ok(log.findLast(({ operation }) => operation === 'none'))
})

test('while the dashboard is being built, its page says so and reloads itself', async (t) => {
  const work = mkdtempSync(join(tmpdir(), 'quipu-building-'))
  const building = await openTestServer({ services: { web: new WebFiles(join(work, 'dist')) } })
  t.after(async () => {
    await building.close()
    rmSync(work, { recursive: true })
  })
  const load = async (path: string) => {
    const { status, headers, body } = await get(path, { accept: 'text/html' }, 'GET', building)
    const [, title] = /<h1>(.*?)<\/h1>/.exec(String(body)) ?? []
    return [status, title, headers['refresh']]
  }
  assert.deepEqual(await load('/'), [200, 'The dashboard is not built', undefined])
  const unfinished = join(work, `dist-${process.pid}`)
  mkdirSync(unfinished)
  assert.deepEqual(await load('/'), [200, 'The dashboard is being built', '2'])
  assert.deepEqual(await load('/orders/1?x=y'), [503, 'The dashboard is being built', '2'])
  writeFileSync(join(unfinished, 'index.html'), '<h1>Home</h1>')
  const manifest = { screens: [''], files: { 'index.html': { hash: 'h1' } } }
  writeFileSync(join(unfinished, 'manifest.json.gz'), gzipSync(JSON.stringify(manifest)))
  renameSync(unfinished, join(work, 'dist'))
  assert.deepEqual(await load('/'), [200, 'Home', undefined])
})

test('a build that was killed is not waited for', async (t) => {
  const work = mkdtempSync(join(tmpdir(), 'quipu-killed-'))
  t.after(() => rmSync(work, { recursive: true }))
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  mkdirSync(join(work, `dist-${pid}`))
  assert.equal(new WebFiles(join(work, 'dist')).isBeingBuilt, false)
  mkdirSync(join(work, `dist-${process.pid}`))
  assert.equal(new WebFiles(join(work, 'dist')).isBeingBuilt, true)
})
