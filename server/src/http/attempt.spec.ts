import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '../access/credentials.ts'
import { oauthHandlers } from './oauth/oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from './oauth/testing/apps.ts'
import { type Called, call, openTestServer, type TestServer } from './testing/server.ts'

/** Two wrong ones are listened to from one address, and three from all. */
async function scene(t: { after(run: () => Promise<void>): void }) {
  const server = await openTestServer({
    handlers: oauthHandlers,
    services: { trustProxy: true },
    failedAttempts: { appFailedAttemptsMax: 2, appFailedAttemptsTotalMax: 3 },
  })
  t.after(() => server.close())
  return { ...server, app: await registerTestApp(server.world) }
}
type Scene = TestServer & { readonly app: TestApp }

/** One try from an address; the secret that is given is not always right. */
type Try = (at: Scene, address: string, isRight: boolean, clientId?: string) => Promise<Called>

const form =
  (path: string, fields: object): Try =>
  ({ app, ...server }, address, isRight, client_id = app.clientId) =>
    call(server, `POST ${path}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
      body: new URLSearchParams({
        ...fields,
        client_id,
        client_secret: isRight ? app.secret : 'a guess',
      }).toString(),
    })

const partner =
  (path: string): Try =>
  ({ app, ...server }, address, isRight, client_id = app.clientId) =>
    call(server, `POST ${path}`, {
      key: server.partnerKey,
      headers: { 'x-forwarded-for': address },
      body: {
        client_id,
        client_secret: isRight ? app.secret : 'a guess',
        redirect_uri: REDIRECT,
        scope: 'trading',
        account_id: server.accountId,
      },
    })

const machine: Try = ({ partnerKey, ...server }, address, isRight, client_id = partnerKey.keyId) =>
  call(server, 'POST /v1/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id,
      client_secret: isRight ? partnerKey.secretKey : 'a guess',
    }).toString(),
  })

// What is right where the secret is: a code nobody has is told only then.
const rows: readonly (readonly [string, Try, right: number])[] = [
  [
    'POST /oauth/token',
    form('/oauth/token', { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT }),
    400,
  ],
  ['POST /oauth/revoke', form('/oauth/revoke', { token: 'x' }), 200],
  ['POST /oauth/introspect', form('/oauth/introspect', { token: 'x' }), 200],
  ['POST /v1/oauth/authorize', partner('/v1/oauth/authorize'), 200],
  ['POST /v1/oauth/token', partner('/v1/oauth/token'), 200],
  ['POST /v1/oauth2/token', machine, 200],
]

for (const [what, guess, right] of rows) {
  test(`${what}: wrong secrets get 429 beyond the limit, the right one passes from anywhere`, async (t) => {
    const at = await scene(t)
    for (let n = 0; n < 2; n++) assert.equal((await guess(at, 'thief', false)).status, 401)
    const told = await guess(at, 'thief', false)
    assert.equal(told.status, 429)
    assert.match(told.headers.get('retry-after') ?? '', /^(1[0-4]\d|150|[1-9]\d?)$/)
    for (const address of ['thief', 'owner']) assert.equal((await guess(at, address, true)).status, right)
  })

  test(`${what}: many thieves do not keep the owner out`, async (t) => {
    const at = await scene(t)
    for (const thief of ['a', 'b', 'c']) assert.equal((await guess(at, thief, false)).status, 401)
    assert.equal((await guess(at, 'd', false)).status, 429, 'a fourth wrong one')
    assert.equal((await guess(at, 'owner', true)).status, right)
  })

  test(`${what}: right secrets cost nothing, and who does not exist is limited like who does`, async (t) => {
    const at = await scene(t)
    for (let n = 0; n < 5; n++) assert.equal((await guess(at, 'owner', true)).status, right)
    const nobody = what.includes('oauth2') ? 'CKNOBODYNOBODYNOBODY' : 'f'.repeat(32)
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await guess(at, 'thief', true, nobody)).status)
    assert.deepEqual(statuses, [401, 401, 429])
  })
}

test('it is noticed in the journal, once, without what was typed', async (t) => {
  const at = await scene(t)
  const [, guess] = rows[0]!
  for (let n = 0; n < 6; n++) await guess(at, '203.0.113.7', false)
  await at.world.quiet()
  const noticed: string[] = []
  for await (const entries of at.world.journal.read(0))
    for (const { open } of entries) if (open.includes('"failedAttemptLimitReached"')) noticed.push(open)
  assert.equal(noticed.length, 1)
  const { kind, where, appId } = JSON.parse(noticed[0]!)
  const [, app] = at.world.view.apps.values()
  assert.deepEqual([kind, where, appId], ['failedAttemptLimitReached', 'app', app!.id])
  assert.equal(noticed[0]!.includes('a guess') || noticed[0]!.includes(digestOf('a guess')), false)
  assert.ok(at.lines.some((line) => line.includes('too many wrong credentials')))
  assert.ok(!at.lines.some((line) => line.includes('a guess') || line.includes(at.app.clientId)))
})
