import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '@quipu/broker/access/issue-keys.ts'
import type { KeyId } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Services } from '../services.ts'
import { call, openTestServer } from '../testing/server.ts'
import { whyNotReady } from './system.ts'

test('front page, OpenAPI and metrics need no credentials and have the server URL', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  for (const [path, type, text] of [
    ['/', 'text/html; charset=utf-8', 'npm run build:web'],
    ['/openapi.json', 'application/json', ''],
    [
      '/metrics',
      'text/plain; version=0.0.4; charset=utf-8',
      'quipu_requests_total{operation="getOpenApi",status="200"} 1',
    ],
  ] as const) {
    const { status, headers, body } = await call(server, `GET ${path}`)
    assert.deepEqual([status, headers.get('content-type')], [200, type])
    if (type !== 'application/json') assert.ok(body.includes(text), path)
    else assert.deepEqual([body.openapi.slice(0, 3), body.servers[0].url], ['3.1', server.url])
  }
})

test('OpenAPI and metrics have an ETag; a client that has the body gets 304', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  const get = (path: string, known?: string) =>
    call(server, `GET ${path}`, { headers: known === undefined ? {} : { 'if-none-match': known } })
  const { headers } = await get('/openapi.json')
  const tag = headers.get('etag')!
  assert.match(tag, /^"[\w-]{43}"$/)
  assert.equal(headers.get('cache-control'), 'private, no-cache')
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const { status, body, headers } = await get('/openapi.json', known)
    assert.deepEqual([status, body, headers.get('etag')], [304, '', tag], known)
  }
  for (const known of ['"other"', tag.slice(1, -1)])
    assert.equal((await get('/openapi.json', known)).status, 200, known)
  // Each scrape counts the one before, so the body changes and with it the tag.
  const first = await get('/metrics')
  const second = await get('/metrics', first.headers.get('etag')!)
  assert.equal(second.status, 200)
  assert.notEqual(first.headers.get('etag'), second.headers.get('etag'))
  const { headers: ofOpenApi, body } = await get('/openapi.json')
  assert.deepEqual([ofOpenApi.get('etag'), body.openapi.slice(0, 3)], [tag, '3.1'])
})

test('only operators get metrics with world names', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  for (const key of [undefined, server.key, server.partnerKey]) {
    const { status, body } = await call(server, 'GET /metrics', { key })
    assert.equal(status, 200)
    assert.ok(body.includes('quipu_worlds 2\n'))
    assert.ok(!body.includes('lab') && !body.includes('main'), body)
  }
})

test('metrics can be restricted to operators', async (t) => {
  const server = await openTestServer({ settings: { metrics: 'operator' } })
  t.after(() => server.close())
  const statuses = []
  const wrong = { ...server.operatorKey, secretKey: 'wrong' }
  for (const key of [undefined, server.key, server.partnerKey, wrong, server.operatorKey])
    statuses.push((await call(server, 'GET /metrics', { key })).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 200])
})

test('an operator that has read the metrics reads those of the process while its world is down', async (t) => {
  const server = await openTestServer({ settings: { metrics: 'operator' } })
  t.after(() => server.close())
  const { world, services } = server
  services.monitoring.metrics.observe('quipu_ready', 'gauge', 'Ready.', () => [
    ['', world.status.isUp ? 1 : 0],
  ])
  const partnerId = [...world.view.partners.keys()][0]!
  const issue = () => issueKey(world, { kind: 'partner', partnerId, operator: true })
  const [revoked, unseen] = [await issue(), await issue()]
  const read = (key: { readonly keyId: string; readonly secretKey: string }) =>
    call(server, 'GET /metrics', { key })
  for (const key of [server.operatorKey, revoked]) assert.equal((await read(key)).status, 200)
  await world.commands.submit({ kind: 'revokeKey', keyId: revoked.keyId as KeyId }, () => undefined)
  await world.close()
  const { status, body } = await read(server.operatorKey)
  assert.equal(status, 200)
  assert.ok(body.includes('quipu_ready 0\n') && !body.includes('world="'), body)
  const wrong = { ...server.operatorKey, secretKey: 'wrong' }
  for (const key of [unseen, wrong, server.key]) assert.equal((await read(key)).status, 503)
  assert.equal((await read(revoked)).status, 401)
  assert.equal((await call(server, 'GET /metrics')).status, 401)
  assert.equal((await call(server, 'GET /v2/account', { key: server.operatorKey })).status, 503)
})

for (const [trusted, proto, isSecure] of [
  [true, 'https', true],
  [true, 'http, https', true],
  [true, 'https, http', false],
  [true, undefined, false],
  [true, 'gopher', false],
  [false, 'https', false],
] as const)
  test(`X-Forwarded-Proto ${proto} of a proxy that is ${trusted ? '' : 'not '}trusted`, async (t) => {
    const server = await openTestServer({ settings: { trustProxy: trusted } })
    t.after(() => server.close())
    const headers: Record<string, string> = proto === undefined ? {} : { 'x-forwarded-proto': proto }
    const { headers: received } = await call(server, 'GET /healthz', { headers })
    assert.equal(received.has('strict-transport-security'), isSecure)
    const { headers: page } = await call(server, 'GET /oauth/sign-in', { headers })
    const cookie = page.get('set-cookie') ?? ''
    assert.equal(/^__Host-.*; Secure/.test(cookie), isSecure, cookie)
  })

test('operators get the metrics of every world', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  await server.world.storage.queryTables.reached(server.world.view.seq)
  const { body } = await call(server, 'GET /metrics', { key: server.operatorKey })
  const { seq } = server.world.view
  for (const line of [
    'quipu_worlds 2',
    `quipu_journal_events_total{world="lab"} ${seq}`,
    `quipu_journal_durable_events_total{world="lab"} ${seq}`,
    'quipu_responses_waiting{world="lab"} 0',
    'quipu_query_tables_lag_events{world="lab"} 0',
    'quipu_open_connections 1',
    'quipu_limit{metric="quipu_worlds"} 10',
    `quipu_build_info{version="${server.services.serverState.version}"} 1`,
  ])
    assert.ok(body.includes(`${line}\n`), line)
})

test('ready only between start and stop and while main runs; worlds in memory do not matter', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  const { serverState } = server.services
  const ready = async () => {
    const { status, body } = await call(server, 'GET /readyz')
    return [status, body.status ?? body.message]
  }
  assert.deepEqual(await ready(), [200, 'ready'])
  serverState.phase = 'starting'
  assert.deepEqual(await ready(), [503, 'not ready: the server is starting'])
  serverState.phase = 'ready'
  await server.world.close()
  const { status, body } = await call(server, 'GET /v2/account', { key: server.key })
  assert.deepEqual([status, body.reason], [503, 'worldStopped'])
  assert.deepEqual(await ready(), [200, 'ready'])
  await server.services.worlds.main.close()
  assert.deepEqual(await ready(), [503, 'not ready: the world main is being rebuilt'])
  assert.deepEqual((await call(server, 'GET /healthz')).body, { status: 'ok' })
  assert.equal((await call(server, 'GET /metrics')).status, 200)
})

test('a node of a cluster that cannot read the table is not ready, also without worlds', () => {
  const serverState = { phase: 'ready' }
  const worlds = { entries: () => [] }
  const problemOf = (isLost: boolean) =>
    whyNotReady({
      serverState,
      worlds,
      monitoring: {},
      cluster: { view: { isLost }, claims: { stuck: [] } },
    } as unknown as Services)
  assert.deepEqual([problemOf(false), problemOf(true)], [undefined, 'the database does not answer'])
})

test('with sim off, the routes that control worlds return 404', async (t) => {
  const server = await openTestServer({ settings: { sim: false } })
  t.after(() => server.close())
  assert.equal((await call(server, 'POST /sim/v1/worlds', { key: server.operatorKey })).status, 404)
})

test('with sim off, an operator can still resolve on-chain transfers of real chains', async (t) => {
  const resolveUnmatchedTransfer = () => Promise.reject(refuse({ code: 'unmatchedTransferNotFound' }))
  const server = await openTestServer({ settings: { sim: false }, handlers: { resolveUnmatchedTransfer } })
  t.after(() => server.close())
  const path = `/sim/v1/worlds/main/tokenization/unmatched-transfers/ethereum/0x${'5d'.repeat(32)}/0/resolve`
  const { body } = await call(server, `POST ${path}`, { key: server.operatorKey, body: { note: 'returned' } })
  assert.equal(body.reason, 'unmatchedTransferNotFound')
})

const origins: readonly (readonly ['off' | '*' | readonly string[], string, string | null])[] = [
  ['off', 'https://app.example', null],
  ['*', 'https://app.example', '*'],
  [['https://app.example'], 'https://app.example', 'https://app.example'],
  [['https://app.example'], 'https://evil.example', null],
]
for (const [cors, origin, allowed] of origins)
  test(`CORS ${cors}, origin ${origin}: ${allowed}`, async (t) => {
    const server = await openTestServer({ settings: { cors } })
    t.after(() => server.close())
    const headers = { origin }
    const preflight = await call(server, 'OPTIONS /v2/orders', { headers })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), allowed)
    assert.equal(preflight.headers.has('access-control-allow-headers'), allowed !== null)
    const refused = await call(server, 'GET /v2/account', { headers })
    assert.equal(refused.headers.get('access-control-allow-origin'), allowed, 'on errors too')
  })

for (const [setting, contact] of [
  [undefined, 'mailto:security@[127.0.0.1]'],
  ['https://broker.example/security', 'https://broker.example/security'],
] as const)
  test(`security.txt names ${contact} and expires within a year`, async (t) => {
    const server = await openTestServer({ settings: setting ? { securityContact: setting } : {} })
    t.after(() => server.close())
    const { status, headers, body } = await call(server, 'GET /.well-known/security.txt')
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    const lines: string[] = body.split('\n')
    const fields = new Map(lines.map((line) => line.split(': ', 2) as [string, string]))
    assert.equal(fields.get('Contact'), contact)
    assert.equal(fields.get('Canonical'), `${server.url}/.well-known/security.txt`)
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
    assert.ok(days > 100 && days < 365, `${days} days`)
  })
