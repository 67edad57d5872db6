import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import { REDIRECT, registerTestApp, testProof } from '../testing/apps.ts'
import {
  authorizeQuery,
  Browser,
  type Fields,
  openPages,
  type PageScene,
  responseTo,
} from '../testing/pages.ts'

let scene: PageScene
before(async () => {
  scene = await openPages()
})
after(() => scene.close())

const ACTION = '/oauth/authorize'
const authorize = (patch: Fields = {}) => `${ACTION}?${authorizeQuery(scene, patch)}`
const { challenge } = testProof()

const unsafe: readonly (readonly [string, Fields, RegExp])[] = [
  ['no client', { client_id: undefined }, /not known/],
  ['an unknown client', { client_id: '00000000000000000000000000000000' }, /not known/],
  ['a malformed client id', { client_id: '"><script>alert(1)</script>' }, /not known/],
  ['no redirect URI', { redirect_uri: undefined }, /where you should go/],
  ['another redirect URI', { redirect_uri: 'https://evil.example/' }, /where you should go/],
  ['a redirect URI with a longer path', { redirect_uri: `${REDIRECT}/more` }, /where you should go/],
  ['a redirect URI with a query added', { redirect_uri: `${REDIRECT}?a=b` }, /where you should go/],
  ['a javascript: redirect URI', { redirect_uri: 'javascript:alert(1)' }, /where you should go/],
]
for (const [input, patch, message] of unsafe)
  test(`${input}: an error page without a redirect`, async () => {
    const { status, html, location } = await new Browser(scene).get(authorize(patch))
    assert.deepEqual([status, location], [400, undefined])
    assert.match(html, message)
    assert.doesNotMatch(html, /<script/)
  })

test('a disabled app and an unknown app get the same page', async () => {
  const app = await registerTestApp(scene.world)
  const partnerId = scene.world.view.apps.values().next().value!.owner
  const command = { kind: 'changeAppStatus', partnerId, clientId: app.clientId, status: 'disabled' } as const
  await execute(scene.world, command, 'appStatusChanged')
  const shown = await new Browser(scene).get(authorize({ client_id: app.clientId }))
  const unknown = await new Browser(scene).get(authorize({ client_id: 'ff' }))
  assert.equal(shown.status, 400)
  assert.equal(shown.html.replace(app.clientId, 'ff'), unknown.html)
})

const sentBack: readonly (readonly [string, Fields, string, RegExp])[] = [
  ['no response type', { response_type: undefined }, 'invalid_request', /response_type is missing/],
  ['response type token', { response_type: 'token' }, 'unsupported_response_type', /received token/],
  ['an unknown scope', { scope: 'trading all' }, 'invalid_scope', /unknown/],
  ['a scope the app may not have', { scope: 'tokenization' }, 'invalid_scope', /more than/],
  ['an unknown env', { env: 'real' }, 'invalid_request', /^env: expected live or paper, received real$/],
  [
    'a challenge without a method',
    { code_challenge: challenge },
    'invalid_request',
    /expected S256, received plain/,
  ],
  [
    'a plain challenge',
    { code_challenge: challenge, code_challenge_method: 'plain' },
    'invalid_request',
    /expected S256, received plain/,
  ],
  [
    'a challenge of the wrong length',
    { code_challenge: 'short', code_challenge_method: 'S256' },
    'invalid_request',
    /43 characters/,
  ],
  [
    'a method without a challenge',
    { code_challenge_method: 'S256' },
    'invalid_request',
    /code_challenge is missing/,
  ],
  ['quotes in a wrong value', { env: '"<\\é' }, 'invalid_request', /received \?<\?\?$/],
]
for (const [input, patch, error, description] of sentBack)
  test(`${input}: the app receives ${error}`, async () => {
    const visit = await new Browser(scene).get(authorize(patch))
    assert.equal(visit.status, 303)
    assert.ok(visit.location?.startsWith(`${REDIRECT}?`))
    const { error_description = '', ...response } = responseTo(visit)
    assert.deepEqual(response, { error, state: 'xyz', iss: scene.url })
    assert.match(error_description, description)
  })

for (const name of ['response_type', 'scope', 'env', 'state', 'code_challenge'])
  test(`${name} given twice: the app receives invalid_request`, async () => {
    const visit = await new Browser(scene).get(`${authorize()}&${name}=a&${name}=b`)
    const { error, error_description } = responseTo(visit)
    assert.deepEqual([error, error_description], ['invalid_request', `${name} was given more than once`])
  })

for (const settings of [{ pkceRequired: true }, { isPublic: true }])
  test(`an app with ${Object.keys(settings)} must send a challenge`, async () => {
    const { clientId } = await registerTestApp(scene.world, { settings })
    const client_id = clientId
    const without = await new Browser(scene).get(authorize({ client_id }))
    assert.equal(responseTo(without)['error'], 'invalid_request')
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
    const visit = await new Browser(scene).get(authorize({ client_id, ...proof }))
    assert.match(visit.location ?? '', /^\/oauth\/sign-in\?request=/)
  })

const separators: readonly (readonly [string, string])[] = [
  ['https://app.example/cb', '?'],
  ['https://app.example/cb?a=b', '&'],
  ['https://app.example/cb?', ''],
  ['com.example.app:/callback', '?'],
  ['https://app.example/über', '?'],
]
for (const [uri, separator] of separators)
  test(`the response is added to ${uri}`, async () => {
    const { clientId } = await registerTestApp(scene.world, { redirectUris: [uri] })
    const visit = await new Browser(scene).get(
      authorize({ client_id: clientId, redirect_uri: uri, scope: 'x' }),
    )
    const address = uri.replace('ü', '%C3%BC')
    assert.ok(visit.location?.startsWith(`${address}${separator}error=invalid_scope&`), visit.location)
  })
