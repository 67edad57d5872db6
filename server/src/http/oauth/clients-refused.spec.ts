import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Called, call, openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'

const server = await openTestServer({ handlers: oauthHandlers })
after(() => server.close())
const { world, partnerKey: key } = server
const send = (route: string, body?: unknown): Promise<Called> => call(server, route, { key, body })
const REDIRECT = 'https://app.example/back'
const minimal = { name: 'An app', redirect_uri: [REDIRECT] }

const address = 'a URL that starts with https:// or http://, or empty text'
const otherHost = 'expected a host name other than that of the Quipu pages'
const redirectUriRule =
  'expected https, http on localhost, 127.0.0.1 or [::1], or a scheme such as com.example.app:/callback; without a fragment, * or ,'
for (const [patch, message] of [
  [{ name: ' ' }, 'name: expected text of 1 to 128 characters, received " "'],
  [{ name: 'x'.repeat(129) }, /^name: expected text of 1 to 128 characters, received "x+…$/],
  [{ name: 'a\u202eb' }, /^name: /],
  [{ name: 7 }, 'name: expected text of 1 to 128 characters, received 7'],
  [{ description: 'x'.repeat(1025) }, /^description: /],
  [{ url: 'javascript:alert(1)' }, `url: expected ${address}, received "javascript:alert(1)"`],
  [{ terms_of_use: 'terms' }, `terms_of_use: expected ${address}, received "terms"`],
  [{ privacy_policy: '//x' }, `privacy_policy: expected ${address}, received "//x"`],
  [{ redirect_uri: [] }, 'redirect_uri: expected at least one'],
  [{ redirect_uri: REDIRECT }, `redirect_uri: expected a list of at most 20, received "${REDIRECT}"`],
  [
    { redirect_uri: Array(21).fill(REDIRECT) },
    'redirect_uri: expected a list of at most 20, received a list',
  ],
  [{ redirect_uri: [REDIRECT, 'http://app.example/'] }, `redirect_uri[1]: ${redirectUriRule}`],
  [{ redirect_uri: ['javascript:alert(1)'] }, `redirect_uri[0]: ${redirectUriRule}`],
  [{ name: 'Quірu Support' }, 'name: expected a name that cannot be taken for Quipu'],
  [{ redirect_uri: ['https://[::1/cb'] }, 'redirect_uri[0]: expected a valid URL'],
  [{ redirect_uri: ['https://app.example:99999/'] }, 'redirect_uri[0]: expected a valid URL'],
  [{ redirect_uri: ['http://localhost:65536/cb'] }, 'redirect_uri[0]: expected a valid URL'],
  [{ redirect_uri: [REDIRECT, 'https://a%zz.example/'] }, 'redirect_uri[1]: expected a valid URL'],
  [{ redirect_uri: ['https://1.2.3.4.5/'] }, 'redirect_uri[0]: expected a valid URL'],
  [{ redirect_uri: ['https://quipu.localhost:8443/cb'] }, `redirect_uri[0]: ${otherHost}`],
  [{ redirect_uri: [`${REDIRECT}#x`] }, `redirect_uri[0]: ${redirectUriRule}`],
  [{ scopes: ['everything'] }, /^scopes\[0\]: expected one of account:write, /],
  [{ token_expires_in: 59 }, /^token_expires_in: /],
  [{ token_expires_in: 315_360_001 }, /^token_expires_in: /],
  [{ refresh_expires_in: 0 }, /^refresh_expires_in: /],
  [{ refresh_expires_in: 'long' }, /^refresh_expires_in: /],
  [{ developer: 'nobody' }, 'developer: expected the name or id of a user'],
  [{ public: 'maybe' }, /^public: /],
  [{ partners: ['someone'] }, /^partners\[0\]: /],
] as const)
  test(`an app with ${JSON.stringify(patch).slice(0, 60)} is refused on create and on update`, async () => {
    const { body: app } = await send('POST /v1/oauth/clients', minimal)
    const before = world.view.seq
    for (const { status, body } of [
      await send('POST /v1/oauth/clients', { ...minimal, ...patch }),
      await send(`PATCH /v1/oauth/clients/${app.client_id}`, patch),
    ]) {
      assert.deepEqual([status, body.code], [422, 40010001])
      if (typeof message === 'string') assert.equal(body.message, message)
      else assert.match(body.message, message)
    }
    assert.equal(world.view.seq, before)
  })

test('an empty name is refused for a new app, and ignored in an update', async () => {
  const made = await send('POST /v1/oauth/clients', { ...minimal, name: '' })
  assert.deepEqual(
    [made.status, made.body.message],
    [422, 'name: expected text of 1 to 128 characters, received ""'],
  )
  const { body: app } = await send('POST /v1/oauth/clients', minimal)
  const changed = await send(`PATCH /v1/oauth/clients/${app.client_id}`, { name: '' })
  assert.deepEqual([changed.status, changed.body.name], [200, app.name])
})
