import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { verifyPassword } from '@quipu/broker/access/password.ts'
import { found, type SessionId, type UserId } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'

const server = await openTestServer()
after(() => server.close())
const { world, accountId } = server

const users = (route: string, body?: unknown, key = server.operatorKey) => {
  const [method, path = ''] = route.split(' ')
  return call(server, `${method} /sim/v1/worlds/lab/users${path}`, { key, body })
}
const userOf = (id: string) => found(world.view.users.get(id as UserId), id)

test('a user is created, read by id and by name, and listed', async () => {
  const made = await users('POST ', { name: 'Ann', password: 'correct horse', accounts: [{ cash: '25.50' }] })
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('cache-control'), 'no-store')
  assert.equal(made.body.password, undefined, 'a password from the request is not returned')
  const { user_id: id } = made.body
  assert.ok(await verifyPassword('correct horse', userOf(id).password, 'known'))
  const [account] = made.body.accounts
  assert.equal(account.flavour, 'paper')
  assert.equal(world.view.accounts.get(account.account_id)?.userId, id)
  const shown = { ...made.body, operator: false, disabled: false, sessions: 0 }
  for (const name of [id, 'Ann', '%20aNN%20']) assert.deepEqual((await users(`GET /${name}`)).body, shown)
  assert.deepEqual((await users('GET ')).body.at(-1), shown)
})

test('a generated password is returned once and has 20 characters', async () => {
  const { body } = await users('POST ', { name: 'made', operator: true })
  assert.match(body.password, /^[\w-]{20}$/)
  assert.ok(await verifyPassword(body.password, userOf(body.user_id).password, 'known'))
  const again = (await users('GET /made')).body
  assert.deepEqual([again.password, again.operator], [undefined, true])
})

test('an existing account is assigned to a user and removed again', async () => {
  const { body } = await users('POST ', { name: 'heir', account_ids: [accountId] })
  assert.deepEqual(
    body.accounts.map(({ account_id }: { account_id: string }) => account_id),
    [accountId],
  )
  assert.equal((await users('DELETE /heir')).body.reason, 'userHasAccounts')
  assert.deepEqual((await users('PATCH /heir', { account_ids: [] })).body.accounts, [])
  assert.equal(world.view.accounts.get(accountId)?.userId, undefined)
  assert.equal((await users('DELETE /heir')).status, 204)
  assert.equal((await users('GET /heir')).status, 404)
})

const rows: readonly (readonly [string, object, RegExp])[] = [
  ['no name', {}, /name/],
  ['a blank name', { name: ' ' }, /name: expected no space/],
  ['an id for a name', { name: '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b' }, /name: expected a name/],
  [
    'a short password',
    { name: 'x', password: '12345678901' },
    /^password: expected text of 12 to 256 characters$/,
  ],
  [
    'a password of six emoji',
    { name: 'x', password: '\u{1f34e}'.repeat(6) },
    /^password: expected text of 12/,
  ],
  [
    'a password that contains the name',
    { name: 'Jos\u00e9 P', password: '1234567 joSe\u0301 p 1' },
    /^password: expected text that does not contain the name$/,
  ],
  [
    'a common password',
    { name: 'y', password: 'Password2026!' },
    /^password: expected one that is not common/,
  ],
  ['a long password', { name: 'x', password: 'x'.repeat(257) }, /password/],
  ['negative cash', { name: 'x', accounts: [{ cash: '-1' }] }, /cash/],
  ['another flavour', { name: 'x', accounts: [{ flavour: 'margin' }] }, /flavour/],
  ['an unknown account', { name: 'x', account_ids: ['00000000-0000-4000-8000-000000000000'] }, /account_ids/],
]
for (const [what, body, message] of rows)
  test(`a user with ${what} is refused, and the error names the field`, async () => {
    const before = world.view.users.size
    const refused = await users('POST ', body)
    assert.equal(refused.status, 422)
    assert.match(refused.body.message, message)
    assert.doesNotMatch(refused.body.message, /xxxxxxxx|1234567/, 'the error does not repeat the password')
    assert.equal(world.view.users.size, before)
  })

test('user names are unique, ignoring case', async () => {
  await users('POST ', { name: 'one' })
  await users('POST ', { name: 'two' })
  assert.equal((await users('POST ', { name: 'ONE' })).body.reason, 'userNameTaken')
  assert.equal((await users('PATCH /two', { name: 'One' })).body.reason, 'userNameTaken')
  assert.equal((await users('PATCH /one', { name: 'ONE' })).body.name, 'ONE')
})

/** Begins a browser session. */
async function signIn(name: string): Promise<SessionId> {
  const { user_id } = (await users(`GET /${name}`)).body
  const cookie = crypto.randomUUID()
  const nowMs = Date.now()
  await world.commands.submit(
    {
      kind: 'signIn',
      by: { userId: user_id },
      session: digestOf(cookie),
      nowMs,
      endsAtMs: nowMs + 60_000,
      from: server.services.worlds.access.addresses.refOf('203.0.113.7'),
    },
    () => undefined,
  )
  return found(world.view.sessions.get(digestOf(cookie)), 'the session').id
}

test('sessions are listed, and ended one by one or all at once', async () => {
  await users('POST ', { name: 'busy' })
  const [first, second, third] = [await signIn('busy'), await signIn('busy'), await signIn('busy')]
  const listed = (await users('GET /busy/sessions')).body
  assert.deepEqual(
    listed.map(({ session_id, from }: Record<string, string>) => [session_id, from]),
    [first, second, third].map((id) => [id, '203.0.113.7']),
  )
  assert.equal((await users(`DELETE /busy/sessions?session_id=${second}`)).status, 204)
  assert.equal((await users('GET /busy')).body.sessions, 2)
  assert.equal((await users('DELETE /busy/sessions')).status, 204)
  assert.deepEqual((await users('GET /busy/sessions')).body, [])
})

test('a new password must not contain the new name', async () => {
  const { user_id: id } = (await users('POST ', { name: 'Bernard' })).body
  const digest = () => userOf(id).password
  const before = digest()
  for (const [user, body] of [
    ['Bernard', { password: 'sesame BERNARD 1' }],
    ['Bernard', { name: 'Clara', password: 'sesame clara 123' }],
  ] as const) {
    const { status, body: refusal } = await users(`PATCH /${user}`, body)
    assert.deepEqual(
      [status, refusal.message],
      [422, 'password: expected text that does not contain the name'],
    )
    assert.equal(digest(), before)
  }
  const renamed = await users('PATCH /Bernard', { name: 'Clara', password: 'sesame bernard 1' })
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Clara'])
})

for (const [what, change] of [
  ['a new password', { password: 'another horse' }],
  ['being disabled', { disabled: true }],
] as const)
  test(`${what} ends every session; another change ends none`, async () => {
    const name = `user ${what}`
    const path = encodeURIComponent(name)
    await users('POST ', { name })
    await signIn(path)
    await users(`PATCH /${path}`, { operator: true })
    assert.equal((await users(`GET /${path}`)).body.sessions, 1)
    const changed = await users(`PATCH /${path}`, change)
    assert.deepEqual([changed.status, changed.body.sessions], [200, 0])
  })

test('a link signs in once, and the world stores only its digest', async () => {
  await users('POST ', { name: 'linked' })
  const { status, body, headers } = await users('POST /linked/link')
  assert.deepEqual([status, headers.get('cache-control')], [201, 'no-store'])
  const url = new URL(body.url)
  assert.equal(`${url.origin}${url.pathname}`, `${server.url}/oauth/sign-in`)
  const once = found(url.searchParams.get('once') ?? undefined, 'the secret')
  assert.equal(world.view.signInLinks.get(digestOf(once))?.endsAtMs, Date.parse(body.expires_at))
  const nowMs = Date.now()
  const signInByLink = () =>
    world.commands.submit(
      {
        kind: 'signIn',
        by: { link: digestOf(once) },
        session: digestOf('x'),
        nowMs,
        endsAtMs: nowMs + 1000,
      },
      (_, decided) => decided.ok,
    )
  assert.deepEqual([(await signInByLink()).value, (await signInByLink()).value], [true, false])
})

for (const route of ['GET /nobody', 'PATCH /nobody', 'DELETE /nobody', 'POST /nobody/link'])
  test(`${route} returns userNotFound`, async () => {
    const body = route.startsWith('PATCH') ? {} : undefined
    assert.equal((await users(route, body)).body.reason, 'userNotFound')
  })

test('only operators read users, and only in existing worlds', async () => {
  for (const key of [server.key, server.partnerKey])
    assert.equal((await users('GET ', undefined, key)).status, 403)
  const unknownWorld = await call(server, 'GET /sim/v1/worlds/nowhere/users', { key: server.operatorKey })
  assert.equal(unknownWorld.body.reason, 'worldNotFound')
})
