import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { BrokerEvent } from '@quipu/core'
import { oauthHandlers } from './oauth/oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from './oauth/testing/apps.ts'
import { type Called, call, openTestServer, type TestServer } from './testing/server.ts'

/** The limits are two failed attempts from one address and three in total. */
async function openServer(t: { after(run: () => Promise<void>): void }) {
  const server = await openTestServer({
    handlers: oauthHandlers,
    settings: { trustProxy: true },
    failedAttempts: { appFailedAttemptsMax: 2, appFailedAttemptsTotalMax: 3 },
  })
  t.after(() => server.close())
  return { ...server, app: await registerTestApp(server.world) }
}
type AppServer = TestServer & { readonly app: TestApp }

/** One attempt from an address, with the right secret or a wrong one. */
type Try = (server: AppServer, address: string, isRight: boolean, clientId?: string) => Promise<Called>

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

// The status of the right secret: 400 for the first row, because its code is unknown.
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

for (const [route, guess, right] of rows) {
  test(`${route}: wrong secrets get 429 beyond the limit, the right one passes from any address`, async (t) => {
    const server = await openServer(t)
    for (let n = 0; n < 2; n++) assert.equal((await guess(server, 'thief', false)).status, 401)
    const refused = await guess(server, 'thief', false)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^(1[0-4]\d|150|[1-9]\d?)$/)
    for (const address of ['thief', 'owner']) assert.equal((await guess(server, address, true)).status, right)
  })

  test(`${route}: wrong secrets from many addresses do not lock out the owner`, async (t) => {
    const server = await openServer(t)
    for (const thief of ['a', 'b', 'c']) assert.equal((await guess(server, thief, false)).status, 401)
    assert.equal((await guess(server, 'd', false)).status, 429, 'the fourth wrong secret')
    assert.equal((await guess(server, 'owner', true)).status, right)
  })

  test(`${route}: right secrets do not count, and an unknown client id has the same limits`, async (t) => {
    const server = await openServer(t)
    for (let n = 0; n < 5; n++) assert.equal((await guess(server, 'owner', true)).status, right)
    const unknown = route.includes('oauth2') ? 'CKNOBODYNOBODYNOBODY' : 'f'.repeat(32)
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await guess(server, 'thief', true, unknown)).status)
    assert.deepEqual(statuses, [401, 401, 429])
  })
}

test('the journal records the reached limit once, without the secret', async (t) => {
  const server = await openServer(t)
  const [, guess] = rows[0]!
  for (let n = 0; n < 6; n++) await guess(server, '203.0.113.7', false)
  await server.world.commands.quiet()
  const notices: BrokerEvent[] = []
  for await (const entries of server.world.storage.journal.read(0))
    notices.push(...entries.map(eventOf).filter(({ kind }) => kind === 'failedAttemptLimitReached'))
  const [, app] = server.world.view.apps.values()
  assert.deepEqual(notices, [
    { kind: 'failedAttemptLimitReached', at: notices[0]?.at, where: 'app', appId: app!.id },
  ])
  assert.ok(server.lines.some((line) => line.includes('too many wrong credentials')))
  assert.ok(!server.lines.some((line) => line.includes('a guess') || line.includes(server.app.clientId)))
})
