import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { type Called, call, openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'
import { REDIRECT, registerTestApp } from './testing/apps.ts'

const server = await openTestServer({ handlers: oauthHandlers })
after(() => server.close())
const { world, partnerKey, operatorKey, accountId } = server
const [, second] = world.view.accounts.keys()
const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
const stranger = await issueKey(world, { kind: 'partner', partnerId, operator: false })
const app = await registerTestApp(world, { settings: { tokenSeconds: 600 } })
const other = await registerTestApp(world, { name: 'Another app' })
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const send = (route: string, key: KeyPair = partnerKey): Promise<Called> => call(server, route, { key })
const works = async (token: string) =>
  (await call(server, 'GET /v2/account', { headers: { authorization: `Bearer ${token}` } })).status

async function issueToken(of = app, account_id: string = accountId): Promise<string> {
  const body = {
    client_id: of.clientId,
    client_secret: of.secret,
    redirect_uri: REDIRECT,
    scope: 'trading',
    account_id,
  }
  return (await call(server, 'POST /v1/oauth/token', { key: partnerKey, body })).body.access_token
}

const grants = async (query = '', key?: KeyPair) => (await send(`GET /v1/oauth/grants${query}`, key)).body
type Listed = { readonly grant_id: string }
const idsOf = (listed: readonly Listed[]) => listed.map(({ grant_id }) => grant_id)

test('a grant is listed with its tokens, for the partner of the account and the owner of the app', async () => {
  const token = await issueToken()
  await works(token)
  const [grant] = await grants()
  const { grant_id, created_at, last_used_at: _, tokens, ...rest } = grant
  assert.deepEqual(rest, {
    client_id: app.clientId,
    name: 'Trading app',
    user_id: null,
    live_account_id: null,
    paper_account_id: accountId,
    scope: 'trading',
  })
  assert.equal(tokens.length, 1)
  assert.equal(tokens[0].kind, 'access')
  assert.equal(Date.parse(tokens[0].expires_at) - Date.parse(created_at), 600_000)
  assert.deepEqual(idsOf(await grants('', operatorKey)), [grant_id])
  assert.deepEqual(await grants('', stranger), [])
  assert.ok(!JSON.stringify(grant).includes(token))
  assert.equal((await send(`DELETE /v1/oauth/grants/${grant_id}`, stranger)).status, 404)
  assert.equal(await works(token), 200)
  assert.equal((await send(`DELETE /v1/oauth/grants/${grant_id}`)).status, 204)
  assert.equal(await works(token), 401)
  const again = await send(`DELETE /v1/oauth/grants/${grant_id}`)
  assert.deepEqual([again.status, again.body.message], [404, 'grant not found'])
})

test('grants are filtered by account and by app, newest first, in pages', async () => {
  await issueToken()
  await issueToken(other)
  await issueToken(app, second)
  const all = await grants()
  const [newest, middle, oldest] = idsOf(all)
  assert.equal(all.length, 3)
  for (const [query, expected] of [
    [`?account_id=${accountId}`, [middle, oldest]],
    [`?account_id=${second}`, [newest]],
    [`?client_id=${app.clientId}`, [newest, oldest]],
    [`?client_id=${app.clientId.toUpperCase()}&account_id=${accountId}`, [oldest]],
    [`?client_id=${'0'.repeat(32)}`, []],
    [`?account_id=${UNKNOWN}`, []],
    ['?limit=2', [newest, middle]],
    [`?limit=2&page_token=${middle}`, [oldest]],
  ] as const)
    assert.deepEqual(idsOf(await grants(query)), expected, query)
  for (const query of ['?account_id=x', '?limit=0', `?page_token=${UNKNOWN}`])
    assert.equal((await send(`GET /v1/oauth/grants${query}`)).status, 422, query)
  for (const id of idsOf(all))
    assert.equal((await send(`DELETE /v1/oauth/grants/${id}`, operatorKey)).status, 204)
})

test('a token is revoked by its text or its id; revoking an unknown token succeeds', async () => {
  const [one, two, three] = [await issueToken(), await issueToken(), await issueToken()]
  const revoke = async (id: string, key?: KeyPair) => (await send(`DELETE /v1/oauth/token/${id}`, key)).status
  assert.deepEqual([await revoke(one), await works(one), await works(two)], [204, 401, 200])
  assert.deepEqual([await revoke(one), await revoke(UNKNOWN), await revoke('anything')], [204, 204, 204])
  const [, grant] = await grants()
  assert.deepEqual([await revoke(grant.tokens[0].token_id), await works(two)], [204, 401])
  assert.deepEqual([await revoke(three, stranger), await works(three)], [204, 200])
  const [last] = await grants()
  assert.deepEqual([await revoke(last.tokens[0].token_id, stranger), await works(three)], [204, 200])
  assert.equal((await call(server, `DELETE /v1/oauth/token/${three}`)).status, 401)
  assert.equal(await revoke(three), 204)
})

test('a token in a path is neither logged nor in the request log', async () => {
  const token = await issueToken()
  for (const method of ['GET', 'POST', 'DELETE']) await send(`${method} /v1/oauth/token/${token}`)
  const { monitoring, worlds } = server.services
  const paths = [world, worlds.main].flatMap((one) =>
    [...monitoring.requests.of(one).after(0)].map(([, { path }]) => path),
  )
  assert.ok(server.lines.some((line) => line.includes('DELETE /v1/oauth/token/…')))
  assert.ok(!server.lines.some((line) => line.includes(token)))
  assert.ok(paths.includes('/v1/oauth/token/…'))
  assert.ok(!paths.some((path) => path.includes(token)))
})
