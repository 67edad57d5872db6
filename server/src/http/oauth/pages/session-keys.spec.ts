import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey, type KeyPair, openAccount } from '@quipu/broker/access/issue-keys.ts'
import type { AccountId, Money } from '@quipu/core'
import { KEYS_OF_ACCOUNT_MAX, keyHandlers } from '../../sim/keys.ts'
import { call, type TestSetup } from '../../testing/server.ts'
import { issueTestToken } from '../testing/apps.ts'
import { addUser, openPages, type PageScene } from '../testing/pages.ts'
import { callWith, raise, signedIn, tokenFor } from '../testing/session.ts'

const PATH = '/sim/v1/worlds/lab/keys'

const handlers: TestSetup['handlers'] = {
  createKey: (input, context) => keyHandlers(context.services.worlds).createKey(input, context),
  deleteKey: (input, context) => keyHandlers(context.services.worlds).deleteKey(input, context),
  listKeys: (input, context) => keyHandlers(context.services.worlds).listKeys(input, context),
}

let scene: PageScene
/** Tokens of a session of the user: for the paper and the live account. */
let paperToken: string
let liveToken: string
/** An account of another user of the same world, and its key. */
let foreign: { readonly accountId: AccountId; readonly key: KeyPair }

before(async () => {
  scene = await openPages({}, { handlers })
  const { world } = scene
  const browser = await signedIn(scene)
  const issue = async (account_id: string) =>
    (await tokenFor(scene, browser, { account_id })).body.access_token
  ;[paperToken, liveToken] = [await issue(scene.paper), await issue(scene.live)]
  const { partnerId } = world.view.accounts.get(scene.paper)!
  const { id: accountId } = await openAccount(world, { flavour: 'paper', partnerId, cash: 0n as Money })
  await addUser(world, 'Bob', [accountId])
  foreign = { accountId, key: await issueKey(world, { kind: 'account', accountId }) }
})
after(() => scene.close())

const send = (token: string, route: string, body?: object) => callWith(scene, token, route, body)
const create = (token: string, body: object = {}) => send(token, `POST ${PATH}`, body)
const keyIds = async (token: string): Promise<string[]> =>
  (await send(token, `GET ${PATH}`)).body.map(({ key_id }: { key_id: string }) => key_id)
const account = (key: KeyPair) => call(scene, 'GET /v2/account', { key })
const pairOf = ({ key_id, secret_key }: { key_id: string; secret_key: string }): KeyPair => ({
  keyId: key_id,
  secretKey: secret_key,
})

test('a user lists, creates and deletes keys of the account of the token, and sees their last use', async () => {
  const { status, body } = await create(liveToken)
  assert.deepEqual([status, body.kind, body.account_id], [201, 'account', scene.live])
  assert.match(body.key_id, /^AK/)
  const key = pairOf(body)
  assert.equal((await account(key)).body.id, scene.live)
  const [listed] = (await send(liveToken, `GET ${PATH}`)).body
  assert.deepEqual([listed.key_id, listed.secret_key], [key.keyId, undefined])
  assert.equal(typeof listed.last_used_at, 'string')
  assert.ok(
    !(await keyIds(paperToken)).includes(key.keyId),
    'the other account of the user has another token',
  )
  assert.equal((await send(liveToken, `DELETE ${PATH}/${key.keyId}`)).status, 204)
  assert.equal((await account(key)).status, 401)
  assert.deepEqual(await keyIds(liveToken), [])
})

const refusals: readonly (readonly [string, () => object, number, string])[] = [
  ['for partners', () => ({ kind: 'partner' }), 403, 'forbidden'],
  ['for operators', () => ({ kind: 'operator' }), 403, 'forbidden'],
  ['with a partner', () => ({ partner_id: scene.world.view.partners.keys().next().value }), 403, 'forbidden'],
  ['for a foreign account', () => ({ account_id: foreign.accountId }), 404, 'accountNotFound'],
  ['for the other account of the user', () => ({ account_id: scene.live }), 404, 'accountNotFound'],
  ['with a public key', () => ({ public_key: 'x' }), 422, 'invalidParameter'],
  ['in the past', () => ({ expires_at: '2000-01-01T00:00:00Z' }), 422, 'invalidParameter'],
]
for (const [what, body, status, reason] of refusals)
  test(`a user cannot create a key ${what}`, async () => {
    const before = scene.world.view.keys.size
    const response = await create(paperToken, body())
    assert.deepEqual([response.status, response.body.reason], [status, reason])
    assert.equal(scene.world.view.keys.size, before)
  })

test('foreign, partner and unknown keys are deleted by no user, with the same response', async () => {
  const { keyId } = foreign.key
  const responses = []
  for (const id of [keyId, scene.partnerKey.keyId, scene.operatorKey.keyId, 'PKNONE']) {
    const { status, body } = await send(paperToken, `DELETE ${PATH}/${id}`)
    responses.push([status, body.reason, body.message.replace(id, 'ID')])
  }
  assert.equal(new Set(responses.map((one) => one.join())).size, 1)
  assert.deepEqual(responses[0]?.slice(0, 2), [404, 'keyNotFound'])
  assert.equal((await account(foreign.key)).status, 200)
  for (const id of await keyIds(paperToken)) assert.notEqual(id, keyId)
})

test('a token of an app lists, creates and deletes no keys, whatever its scopes', async () => {
  for (const scope of ['', 'trading', 'account:write trading data']) {
    const ofApp = await issueTestToken(scene.world, scene.app, scene.paper, scope)
    const [keyId] = await keyIds(paperToken)
    const before = scene.world.view.keys.size
    for (const route of [`GET ${PATH}`, `POST ${PATH}`, `DELETE ${PATH}/${keyId}`]) {
      const { status, body } = await send(ofApp, route, route.startsWith('POST') ? {} : undefined)
      assert.deepEqual([status, body.reason], [403, 'forbidden'], `${scope}: ${route}`)
    }
    assert.equal(scene.world.view.keys.size, before)
  }
})

test('a key lists the keys of its account, and neither creates nor deletes any', async () => {
  const { key } = foreign
  const { body } = await call(scene, `GET ${PATH}`, { key })
  assert.deepEqual(
    body.map(({ key_id }: { key_id: string }) => key_id),
    [key.keyId],
  )
  for (const route of [`POST ${PATH}`, `DELETE ${PATH}/${key.keyId}`]) {
    const refused = await call(scene, route, { key })
    assert.deepEqual([refused.status, refused.body.reason], [403, 'keyNeedsSession'], route)
  }
})

test('a read-only token, a token of another world and no token create no key', async () => {
  const browser = await signedIn(scene)
  const { body } = await tokenFor(scene, browser, { account_id: scene.paper, read_only: true })
  assert.equal((await send(body.access_token, `GET ${PATH}`)).status, 200)
  assert.equal((await create(body.access_token)).body.reason, 'readOnlyToken')
  const elsewhere = await send(paperToken, 'POST /sim/v1/worlds/main/keys', {})
  assert.deepEqual([elsewhere.status, elsewhere.body.reason], [404, 'worldNotFound'])
  assert.equal((await call(scene, `POST ${PATH}`, { body: {} })).status, 401)
  const partner = await call(scene, `POST ${PATH}`, { key: scene.partnerKey, body: {} })
  assert.equal(partner.status, 403)
})

test('the token for an account that operator rights allow creates keys of that account only', async () => {
  await addUser(scene.world, 'Olga', [], true)
  const browser = await signedIn(scene, 'Olga')
  await raise(browser)
  const token = await tokenFor(scene, browser, { account_id: foreign.accountId, world: 'lab' })
  const created = await create(token.body.access_token)
  assert.deepEqual([created.status, created.body.account_id], [201, foreign.accountId])
  assert.equal((await create(token.body.access_token, { kind: 'operator' })).status, 403)
})

test('the number of keys that a user creates has a limit; a deleted key makes room', async () => {
  const some = await keyIds(paperToken)
  for (let count = some.length; count < KEYS_OF_ACCOUNT_MAX; count++)
    assert.equal((await create(paperToken)).status, 201)
  const { status, body } = await create(paperToken)
  assert.deepEqual([status, body.reason, body.limit], [403, 'keyLimitReached', `${KEYS_OF_ACCOUNT_MAX}`])
  const ids = await keyIds(paperToken)
  assert.equal((await send(paperToken, `DELETE ${PATH}/${ids.at(-1)}`)).status, 204)
  assert.equal((await create(paperToken)).status, 201)
})
