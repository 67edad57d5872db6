import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issueTestToken, registerTestApp } from '../oauth/testing/apps.ts'
import { type CallOptions, call, openTestServer } from '../testing/server.ts'

const server = await openTestServer({
  limits: { rateLimit: 3 },
  settings: { trustProxy: true },
})
after(() => server.close())
const { world } = server
const [first, second] = [...world.view.accounts.keys()] as [never, never]
const apps = [await registerTestApp(world), await registerTestApp(world)] as const

const remaining = async (route: string, options: CallOptions) => {
  const { status, headers } = await call(server, route, options)
  return `${status} ${headers.get('x-ratelimit-remaining')}`
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('all tokens of one app for one account share a limit; other apps and accounts have their own', async () => {
  const [a, b] = [
    await issueTestToken(world, apps[0], first, 'trading'),
    await issueTestToken(world, apps[0], first, 'data'),
  ]
  const otherAccount = await issueTestToken(world, apps[0], second, 'trading')
  const otherApp = await issueTestToken(world, apps[1], first, 'trading')
  const responses = []
  for (const token of [a, b, a, b, otherAccount, otherApp])
    responses.push(await remaining('GET /v2/account', bearer(token)))
  assert.deepEqual(responses, ['200 2', '200 1', '200 0', '429 0', '200 2', '200 2'])
  const another = await issueTestToken(world, apps[0], first, 'trading')
  assert.equal(await remaining('GET /v2/account', bearer(another)), '429 0', 'a new token shares the limit')
  assert.equal(await remaining('GET /v2/account', { key: server.key }), '200 2', 'a key has its own limit')
})

const from = (address: string, more: CallOptions = {}) => ({
  ...more,
  headers: { ...more.headers, 'x-forwarded-for': address },
})

test('operations without credentials share a limit per address or IPv6 network', async () => {
  const responses = []
  for (const [route, address] of [
    ['GET /.well-known/security.txt', '192.0.2.1'],
    ['GET /.well-known/oauth-authorization-server', '192.0.2.1'],
    ['GET /oauth/sign-in', '192.0.2.1'],
    ['GET /.well-known/security.txt', '192.0.2.1'],
    ['GET /.well-known/security.txt', '192.0.2.2'],
    ['GET /.well-known/security.txt', '2001:db8:1:2::1'],
    ['GET /.well-known/security.txt', '2001:db8:1:2:ffff::2'],
    ['GET /.well-known/security.txt', '2001:db8:1:3::1'],
  ] as const)
    responses.push(await remaining(route, from(address)))
  assert.deepEqual(responses, ['200 2', '200 1', '200 0', '429 0', '200 2', '200 2', '200 1', '200 2'])
})

for (const path of ['/openapi.json', '/metrics'])
  test(`strangers have a limit for ${path}, operators another`, async () => {
    const address = `192.0.2.${path.length}`
    const known = (await call(server, `GET ${path}`, from(address))).headers.get('etag')!
    const again = from(address, { headers: { 'if-none-match': known } })
    assert.match(await remaining(`GET ${path}`, again), /^(200|304) 1$/, 'a repetition counts too')
    await call(server, `GET ${path}`, from(address))
    const { status, headers } = await call(server, `GET ${path}`, from(address))
    assert.deepEqual([status, Number(headers.get('retry-after')) >= 1], [429, true])
  })

test('requests of apps are limited before the check of the secret, with Retry-After', async () => {
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'token=x' }
  const statuses = []
  for (let n = 0; n < 4; n++)
    statuses.push((await call(server, 'POST /oauth/introspect', from('198.51.100.7', form))).status)
  assert.deepEqual(statuses, [401, 401, 401, 429])
  const { headers, body } = await call(server, 'POST /oauth/introspect', from('198.51.100.7', form))
  assert.ok(Number(headers.get('retry-after')) >= 1)
  assert.ok(body.error && body.error_description, 'in the form of RFC 6749')
})

test('an exhausted address does not limit keys or probes', async () => {
  const address = '198.51.100.8'
  for (let n = 0; n < 4; n++) await call(server, 'GET /.well-known/security.txt', from(address))
  assert.equal(await remaining('GET /.well-known/security.txt', from(address)), '429 0')
  assert.equal(await remaining('GET /v2/account', from(address, { key: server.otherKey })), '200 2')
  for (const route of ['GET /healthz', 'GET /readyz'])
    assert.equal(await remaining(route, from(address)), '200 3')
})
