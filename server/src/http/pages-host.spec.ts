import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { isOnPagesHost } from './connection/host.ts'
import { registerTestApp } from './oauth/testing/apps.ts'
import { authorizeQuery, openPages, type PageScene } from './oauth/testing/pages.ts'

let scene: PageScene
/** Pages behind a public URL. */
let proxied: PageScene
before(async () => {
  scene = await openPages()
  proxied = await openPages({}, { binding: { publicUrl: 'https://broker.example' } })
})
after(async () => {
  await scene.close()
  await proxied.close()
})

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8'

/** Returns the status and the Location header. Uses node:http because `fetch` cannot set `Host`. */
const visit = (
  to: PageScene,
  host: string,
  path: string,
  { accept = HTML, agent = FIREFOX } = {},
): Promise<unknown[]> =>
  new Promise((resolve, reject) => {
    const headers = { host: host.replace('PORT', String(to.serving.port)), accept, 'user-agent': agent }
    request({ host: '127.0.0.1', port: to.serving.port, path, headers }, (response) => {
      response.resume()
      const location = response.headers.location?.replace(String(to.serving.port), 'PORT')
      resolve([response.statusCode, location])
    })
      .on('error', reject)
      .end()
  })

const PAGES = 'http://quipu.localhost:PORT'
for (const [host, path, status, location] of [
  ['127.0.0.1:PORT', '/oauth/sign-in', 303, `${PAGES}/oauth/sign-in`],
  ['localhost:PORT', '/oauth/apps', 303, `${PAGES}/oauth/apps`],
  ['LOCALHOST.:PORT', '/oauth/apps/', 303, `${PAGES}/oauth/apps`],
  ['[::1]:PORT', '/oauth/authorize?state=a%26b&x', 303, `${PAGES}/oauth/authorize?state=a%26b&x`],
  ['127.0.0.1:9000', '/oauth/sign-in?once=x', 303, 'http://quipu.localhost:9000/oauth/sign-in?once=x'],
  ['localhost', '/oauth/sign-in', 303, 'http://quipu.localhost/oauth/sign-in'],
  ['quipu.localhost:PORT', '/oauth/sign-in', 200, undefined],
  ['127.0.0.1:PORT', '/v2/account', 401, undefined],
  ['127.0.0.1:PORT', '/.well-known/oauth-authorization-server', 200, undefined],
] as const)
  test(`a browser at ${host}${path}: ${status}${location ? ` to ${location}` : ''}`, async () =>
    assert.deepEqual(await visit(scene, host, path), [status, location]))

test('neither a client other than a browser nor a server with a public URL gets the redirect', async () => {
  assert.deepEqual(await visit(scene, '127.0.0.1:PORT', '/oauth/sign-in', { accept: '*/*' }), [
    200,
    undefined,
  ])
  assert.deepEqual(await visit(proxied, '127.0.0.1:PORT', '/oauth/sign-in'), [200, undefined])
})

for (const [browser, agent, status] of [
  ['Safari', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.1 Safari/605.1.15`, 200],
  [
    'Safari of a phone',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1) ${WEBKIT} Version/18.1 Mobile/15E148 Safari/604.1`,
    200,
  ],
  ['Chrome', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, 303],
  [
    'a web view',
    `Mozilla/5.0 (Linux; Android 15; wv) ${WEBKIT} Version/4.0 Chrome/156.0.0.0 Mobile Safari/537.36`,
    303,
  ],
  ['Firefox', FIREFOX, 303],
] as const)
  test(`${browser} gets ${status}: ${status === 200 ? 'it does not resolve' : 'it resolves'} the host name`, async () =>
    assert.equal((await visit(scene, '127.0.0.1:PORT', '/oauth/sign-in', { agent }))[0], status))

for (const [uri, onLoopback, behindPublicUrl] of [
  ['http://quipu.localhost:5000/cb', true, true],
  ['https://QUIPU.localhost./cb', true, true],
  ['https://broker.example:8443/cb', false, true],
  ['https://broker.example.evil.example/cb', false, false],
  ['http://127.0.0.1:5000/cb', false, false],
  ['http://localhost:5000/cb', false, false],
  ['com.example.app:/cb', false, false],
] as const)
  test(`${uri} has the host name of our pages: ${onLoopback}, behind a public URL ${behindPublicUrl}`, () =>
    assert.deepEqual(
      [isOnPagesHost(uri, scene.services), isOnPagesHost(uri, proxied.services)],
      [onLoopback, behindPublicUrl],
    ))

test('the server does not redirect to the redirect URI of an app on the host name of our pages', async () => {
  const redirectUri = 'https://broker.example:8443/cb'
  const app = await registerTestApp(proxied.world, { redirectUris: [redirectUri] })
  const query = authorizeQuery({ app }, { redirect_uri: redirectUri })
  assert.deepEqual(await visit(proxied, 'broker.example', `/oauth/authorize?${query}`), [400, undefined])
})
