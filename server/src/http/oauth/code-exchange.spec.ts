import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '@quipu/broker/access/issue-keys.ts'
import type { Instant, WorldId } from '@quipu/core'
import { REDIRECT } from './testing/apps.ts'
import {
  authorize,
  exchange,
  type Form,
  type OAuthScene,
  openScene,
  readAccount,
} from './testing/oauth-calls.ts'

test('using a code twice fails and revokes the token of the first use', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const token = (await exchange(scene, code)).body.access_token
  assert.equal((await readAccount(scene, token)).status, 200)
  for (let again = 0; again < 2; again++) {
    const { status, body } = await exchange(scene, code)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  }
  assert.equal((await readAccount(scene, token)).status, 401)
})

test('of many exchanges of one code at once exactly one gets a token', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const all = await Promise.all(Array.from({ length: 20 }, () => exchange(scene, code)))
  assert.equal(all.filter(({ status }) => status === 200).length, 1)
  assert.equal(all.filter(({ body }) => body.error === 'invalid_grant').length, 19)
})

for (const [seconds, status] of [
  [59n, 200],
  [61n, 400],
] as const)
  test(`a code that is ${seconds} s old: ${status}`, async (t) => {
    const scene = await openScene(t)
    const { code } = (await authorize(scene)).body
    await scene.clock.advance((scene.clock.now() + seconds * 1_000_000_000n) as Instant)
    assert.equal((await exchange(scene, code)).status, status)
  })

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const none = { client_id: undefined, client_secret: undefined }

for (const [when, patch, headers, error] of [
  ['Basic instead', () => none, ({ app }) => basic(app.clientId, app.secret), undefined],
  ['Basic as well', () => ({}), ({ app }) => basic(app.clientId, app.secret), undefined],
  ['Basic with another id', () => ({}), ({ other }) => basic(other.clientId, other.secret), 'invalid_client'],
  ['Basic with a wrong secret', () => none, ({ app }) => basic(app.clientId, 'guess'), 'invalid_client'],
  ['malformed Basic', () => none, () => ({ authorization: 'Basic !' }), 'invalid_client'],
  ['Bearer', () => ({}), () => ({ authorization: 'Bearer x' }), 'invalid_client'],
  ['no app', () => none, () => ({}), 'invalid_client'],
  ['an unknown app', () => ({ client_id: '0'.repeat(32) }), () => ({}), 'invalid_client'],
  ['a wrong secret', () => ({ client_secret: 'guess' }), () => ({}), 'invalid_client'],
  ['no secret', () => ({ client_secret: undefined }), () => ({}), 'invalid_client'],
  [
    "another app's id and secret",
    ({ other }) => ({ client_id: other.clientId, client_secret: other.secret }),
    () => ({}),
    'invalid_grant',
  ],
  ["another app's secret", ({ other }) => ({ client_secret: other.secret }), () => ({}), 'invalid_client'],
  ['another redirect URI', () => ({ redirect_uri: `${REDIRECT}/` }), () => ({}), 'invalid_grant'],
  ['no redirect URI', () => ({ redirect_uri: undefined }), () => ({}), 'invalid_request'],
  ['another code', () => ({ code: 'scene up' }), () => ({}), 'invalid_grant'],
  ['no code', () => ({ code: undefined }), () => ({}), 'invalid_request'],
  ['no grant type', () => ({ grant_type: undefined }), () => ({}), 'invalid_request'],
  ['another grant type', () => ({ grant_type: 'password' }), () => ({}), 'unsupported_grant_type'],
] as readonly (readonly [
  string,
  (scene: OAuthScene) => Form,
  (scene: OAuthScene) => Record<string, string>,
  string | undefined,
])[])
  test(`an exchange with ${when}: ${error ?? 'a token'}; a failed exchange keeps the code valid`, async (t) => {
    const scene = await openScene(t)
    const { code } = (await authorize(scene)).body
    const { status, body, headers: received } = await exchange(scene, code, patch(scene), headers(scene))
    assert.equal(body.error, error)
    assert.equal(received.get('cache-control'), 'no-store')
    if (error === undefined) return
    assert.equal(status, error === 'invalid_client' ? 401 : 400)
    assert.equal(typeof body.error_description, 'string')
    // No header may reveal whether and where the app exists.
    if (error === 'invalid_client') assert.equal(received.get('x-quipu-world'), null)
    assert.equal((await exchange(scene, code)).status, 200)
  })

test('a code of a fork is exchanged in the fork', async (t) => {
  const scene = await openScene(t)
  const { worlds } = scene.services
  const { world: fork } = await worlds.lifecycle.fork(worlds.entry('lab')!, 'fork' as WorldId)
  const [partnerId] = fork.view.partners.keys()
  const key = await issueKey(fork, { kind: 'partner', partnerId: partnerId!, operator: false })
  const { code } = (await authorize(scene, {}, key)).body
  const { headers, body } = await exchange(scene, code)
  assert.equal(headers.get('x-quipu-world'), 'fork')
  assert.equal((await readAccount(scene, body.access_token)).headers.get('x-quipu-world'), 'fork')
})
