import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeyId } from '@quipu/core'
import { machineTokenHandlers } from '../oauth/machine-tokens.ts'
import { oauthHandlers } from '../oauth/oauth.ts'
import { issueTestToken } from '../oauth/testing/apps.ts'
import { authorizeQuery, Browser, hiddenIn, openPages, PASSWORD, USER } from '../oauth/testing/pages.ts'
import { keyHandlers } from '../sim/keys.ts'
import { call } from '../testing/server.ts'
import { readingHandlers } from './index.ts'
import { readSse } from './testing/reading.ts'

const scene = await openPages(
  {},
  {
    handlers: {
      ...readingHandlers,
      ...oauthHandlers,
      ...machineTokenHandlers,
      createKey: (input, context) => keyHandlers(context.services.worlds).createKey(input, context),
    },
    settings: { trustProxy: true },
    failedAttempts: { failedAttemptsMax: 2 },
  },
)
after(() => scene.close())
const { world, key, operatorKey, partnerKey, accountId, app, userId } = scene

const from = (address: string) => ({ 'x-forwarded-for': address })
const read = (query = '', headers: Record<string, string> = {}) =>
  call(scene, `GET /sim/v1/worlds/lab/audit-log?${query}`, { key: operatorKey, headers })
type Row = Record<string, unknown>
const entryOf = async (requestId: string): Promise<Row> => {
  const { status, body } = await read(`request_id=${requestId}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.entries.length, 1, 'one row per request')
  return body.entries[0]
}
const resting = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  time_in_force: 'gtc',
  limit_price: '1',
}
async function placeOrder(
  address: string,
  headers: Record<string, string> = {},
  by: typeof key | 'nobody' = key,
) {
  const placed = await call(scene, 'POST /v2/orders', {
    key: by === 'nobody' ? undefined : by,
    body: resting,
    headers: { ...from(address), ...headers },
  })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  return placed
}
const idOf = ({ headers }: { readonly headers: Headers }): string => headers.get('x-request-id')!

test('a key: its id, its account, the address, the operation and the request', async () => {
  const placed = await placeOrder('203.0.113.7')
  const { number, at, ...entry } = await entryOf(idOf(placed))
  assert.deepEqual(entry, {
    kind: 'orderAccepted',
    request_id: idOf(placed),
    operation: 'placeOrder',
    caller: 'key',
    key_id: key.keyId,
    account_id: accountId,
    address: '203.0.113.7',
  })
  assert.ok(Number(number) > 0 && String(at).startsWith('2026-11-02T'))
})

test('an operator, and the key that it created', async () => {
  const route = 'POST /sim/v1/worlds/lab/keys'
  const created = await call(scene, route, {
    key: operatorKey,
    body: { kind: 'account' },
    headers: from('::1'),
  })
  const entry = await entryOf(idOf(created))
  assert.deepEqual(
    [entry['kind'], entry['caller'], entry['key_id'], entry['operator'], entry['address']],
    ['keyIssued', 'key', operatorKey.keyId, true, '::1'],
  )
  const events = await call(scene, `GET /sim/v1/worlds/lab/events?request_id=${idOf(created)}`, {
    key: operatorKey,
  })
  assert.deepEqual(
    events.body.events.map(({ event }: { event: Row }) => event['keyId']),
    [created.body.key_id],
  )
})

test('an app: its client id and the grant; a token from a partner has no user', async () => {
  const token = await issueTestToken(world, app, accountId, 'trading')
  const authorization = `Bearer ${token}`
  const placed = await placeOrder('198.51.100.9', { authorization }, 'nobody')
  const entry = await entryOf(idOf(placed))
  const [grant] = [...world.view.grants.values()].slice(-1)
  assert.deepEqual(
    [entry['caller'], entry['client_id'], entry['grant_id'], entry['user_id'], entry['account_id']],
    ['app', app.clientId, grant!.id, undefined, accountId],
  )
  // The use of the grant is the first event of the same request.
  assert.equal(entry['kind'], 'grantUsed')
})

test('a user: at sign-in, and at the consent for an app', async () => {
  const browser = new Browser(scene)
  const request = new URLSearchParams({ request: authorizeQuery(scene) })
  const form = await browser.get(`/oauth/sign-in?${request}`)
  const typed = { ...hiddenIn(form, '/oauth/sign-in'), name: USER, password: PASSWORD }
  const signedIn = await browser.post('/oauth/sign-in', typed, from('192.0.2.44'))
  const entry = await entryOf(idOf(signedIn))
  assert.deepEqual(
    [entry['kind'], entry['operation'], entry['caller'], entry['user_id'], entry['address']],
    ['signedIn', 'signIn', 'user', userId, '192.0.2.44'],
  )
  const query = new URLSearchParams(authorizeQuery(scene))
  const page = await browser.get(`/oauth/authorize?${query}`)
  const allowed = await browser.submit(page, '/oauth/authorize', { answer: 'allow', paper: scene.paper })
  const consent = await entryOf(idOf(allowed))
  const [session] = [...world.view.sessions.values()].slice(-1)
  assert.deepEqual(
    [consent['kind'], consent['caller'], consent['user_id'], consent['session_id']],
    ['codeIssued', 'user', userId, session!.id],
  )
})

test('a machine client: its key and its partner', async () => {
  const { keyId, secretKey } = partnerKey
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: keyId,
    client_secret: secretKey,
  })
  const issued = await call(scene, 'POST /v1/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...from('192.0.2.5') },
    body: String(body),
  })
  assert.equal(issued.status, 200)
  const owner = world.view.keys.get(keyId as KeyId)!.owner
  const entry = await entryOf(idOf(issued))
  assert.deepEqual(
    [entry['kind'], entry['caller'], entry['key_id'], entry['partner_id'], entry['address']],
    ['machineTokenIssued', 'machine', keyId, owner.kind === 'partner' && owner.partnerId, '192.0.2.5'],
  )
})

test('a reached limit of failed attempts has the address and no caller', async () => {
  const wrong = { keyId: key.keyId, secretKey: 'wrong' }
  for (let n = 0; n < 3; n++)
    await call(scene, 'GET /v2/account', { key: wrong, headers: from('198.51.100.66') })
  await scene.services.worlds.main.commands.quiet()
  const { body } = await call(scene, 'GET /sim/v1/worlds/main/audit-log', { key: operatorKey })
  const notices = body.entries.filter(({ kind }: Row) => kind === 'failedAttemptLimitReached')
  assert.deepEqual(
    notices.map((entry: Row) => [entry['caller'], entry['address'], entry['key_id'], entry['operation']]),
    [['nobody', '198.51.100.66', undefined, 'getAccount']],
  )
})

test('filters, pages and formats', async () => {
  await placeOrder('203.0.113.8')
  const all = (await read('limit=1000')).body.entries as Row[]
  const rows: readonly (readonly [string, (entry: Row) => boolean])[] = [
    [`account_id=${accountId}`, (entry) => entry['account_id'] === accountId],
    [`caller=${key.keyId}`, (entry) => entry['key_id'] === key.keyId],
    [`caller=${app.clientId}`, (entry) => entry['client_id'] === app.clientId],
    [`caller=${userId}`, (entry) => entry['user_id'] === userId],
    ['operation=placeOrder', (entry) => entry['operation'] === 'placeOrder'],
    ['address=203.0.113.7', (entry) => entry['address'] === '203.0.113.7'],
    [`since=${all[1]!['at']}`, (entry) => entry['at']! >= all[1]!['at']!],
    [`until=${all[1]!['at']}`, (entry) => entry['at']! < all[1]!['at']!],
  ]
  for (const [query, isExpected] of rows) {
    const found = (await read(`${query}&limit=1000`)).body.entries
    assert.deepEqual(found, all.filter(isExpected), query)
    assert.ok(found.length > 0, query)
  }
  const paged: Row[] = []
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { body }: Awaited<ReturnType<typeof read>> = await read(`limit=2&cursor=${cursor}`)
    paged.push(...body.entries)
    cursor = body.next_cursor
  }
  assert.deepEqual(paged, all)
  const csv = await read('format=csv&limit=1000')
  assert.match(csv.body, /^number,at,kind,request_id,operation,caller,key_id/)
  assert.equal(csv.body.trim().split('\r\n').length, all.length + 1)
  for (const [query, status] of [
    ['since=yesterday', 400],
    ['request_id=1', 400],
  ] as const)
    assert.ok((await read(query)).status >= status, query)
})

test('the stream sends past entries, then new ones', async () => {
  const reader = await readSse(scene, '/sim/v1/worlds/lab/audit-log?address=203.0.113.99', operatorKey)
  await placeOrder('203.0.113.98')
  const second = await placeOrder('203.0.113.99')
  const [message] = await reader.take(1)
  assert.deepEqual([message?.event, message?.data['request_id']], ['entry', idOf(second)])
  reader.close()
})

test('the journal hash does not depend on the address', async () => {
  const hashOf = async (address: string) => {
    const other = await openPages({}, { settings: { trustProxy: true } })
    try {
      await call(other, 'POST /v2/orders', { key: other.key, body: resting, headers: from(address) })
      return other.world.storage.journal.head().hash
    } finally {
      await other.close()
    }
  }
  assert.equal(await hashOf('203.0.113.7'), await hashOf('198.51.100.1'))
})

test('an address is erased everywhere; the rows, the hash and other fields stay', async () => {
  const browser = new Browser(scene)
  await browser.signIn()
  const { hash, seq } = world.storage.journal.head()
  const erase = (body: object) =>
    call(scene, 'POST /sim/v1/audit-log/erase', { key: operatorKey, body, headers: from('192.0.2.250') })
  const logged = async () =>
    JSON.stringify(
      (await call(scene, 'GET /sim/v1/worlds/lab/requests?limit=1000', { key: operatorKey })).body,
    )
  assert.match(await logged(), /"address":"203\.0\.113\.7"/)
  assert.ok((await logged()).includes('"path":"/oauth/sign-in"') && !(await logged()).includes(PASSWORD))
  const before = (await read('limit=1000')).body.entries as Row[]
  const erased = await erase({ address: '203.0.113.7' })
  assert.deepEqual([erased.status, erased.body], [200, { erased: 1 }])
  assert.doesNotMatch(await logged(), /203\.0\.113\.7/)
  const now = (await read('limit=1000')).body.entries as Row[]
  assert.deepEqual(
    now,
    before.map(({ address, ...entry }) => (address === '203.0.113.7' ? entry : { ...entry, address })),
  )
  assert.deepEqual((await read('address=203.0.113.7')).body.entries, [])
  assert.deepEqual(world.storage.journal.head(), { hash, seq })
  // A later request from that address is recorded again.
  assert.equal((await entryOf(idOf(await placeOrder('203.0.113.7'))))['address'], '203.0.113.7')
  assert.equal((await erase({})).status, 422)
  assert.equal((await erase({ before: 'yesterday' })).status, 422)
  assert.equal((await erase({ before: '1999-01-01' })).body.erased, 0)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  assert.ok((await erase({ before: tomorrow })).body.erased > 0)
  assert.ok((await read('limit=1000')).body.entries.every((entry: Row) => !('address' in entry)))
  const main = await call(scene, 'GET /sim/v1/worlds/main/audit-log?operation=eraseAddresses', {
    key: operatorKey,
  })
  assert.deepEqual(
    main.body.entries.map((entry: Row) => [entry['kind'], entry['key_id']]),
    Array.from({ length: 3 }, () => ['addressesErased', operatorKey.keyId]),
  )
})
