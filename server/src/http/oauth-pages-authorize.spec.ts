import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PersonId } from '@quipu/core'
import { done } from '../furnish.ts'
import { REDIRECT, registerTestApp, testProof } from '../oauth-testing.ts'
import {
  addPerson,
  authorizeQuery,
  Browser,
  type Fields,
  hiddenIn,
  openPages,
  type PageScene,
  toldBack,
} from './pages-testing.ts'
import { call } from './testing.ts'

let scene: PageScene
before(async () => {
  scene = await openPages()
})
after(() => scene.close())

const ACTION = '/oauth/authorize'
const authorize = (patch: Fields = {}) => `${ACTION}?${authorizeQuery(scene, patch)}`
const { challenge } = testProof()

async function signedIn(): Promise<Browser> {
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene))
  return browser
}

const unsafe: readonly (readonly [string, Fields, RegExp])[] = [
  ['no client', { client_id: undefined }, /not known/],
  ['an unknown client', { client_id: '00000000000000000000000000000000' }, /not known/],
  ['a client id that is none', { client_id: '"><script>alert(1)</script>' }, /not known/],
  ['no redirect URI', { redirect_uri: undefined }, /where you should go/],
  ['another redirect URI', { redirect_uri: 'https://evil.example/' }, /where you should go/],
  ['a redirect URI that goes on', { redirect_uri: `${REDIRECT}/more` }, /where you should go/],
  ['a redirect URI with a query added', { redirect_uri: `${REDIRECT}?a=b` }, /where you should go/],
  ['a redirect URI of a script', { redirect_uri: 'javascript:alert(1)' }, /where you should go/],
]
for (const [given, patch, then] of unsafe)
  test(`${given}: a page, and nobody is led anywhere`, async () => {
    const { status, html, location } = await new Browser(scene).get(authorize(patch))
    assert.deepEqual([status, location], [400, undefined])
    assert.match(html, then)
    assert.doesNotMatch(html, /<script/)
  })

test('a disabled app is told like one that is not known', async () => {
  const app = await registerTestApp(scene.world)
  const partnerId = scene.world.view.apps.values().next().value!.owner
  const ask = { kind: 'changeAppStatus', partnerId, clientId: app.clientId, status: 'disabled' } as const
  await done(scene.world, ask, 'appStatusChanged')
  const shown = await new Browser(scene).get(authorize({ client_id: app.clientId }))
  const unknown = await new Browser(scene).get(authorize({ client_id: 'ff' }))
  assert.equal(shown.status, 400)
  assert.equal(shown.html.replace(app.clientId, 'ff'), unknown.html)
})

const sentBack: readonly (readonly [string, Fields, string, RegExp])[] = [
  ['no response type', { response_type: undefined }, 'invalid_request', /response_type is missing/],
  ['a token at once', { response_type: 'token' }, 'unsupported_response_type', /received token/],
  ['an unknown scope', { scope: 'trading all' }, 'invalid_scope', /unknown/],
  ['a scope the app may not have', { scope: 'tokenization' }, 'invalid_scope', /more than/],
  ['an unknown env', { env: 'real' }, 'invalid_request', /^env: expected live or paper, received real$/],
  ['a challenge as it is', { code_challenge: challenge }, 'invalid_request', /expected S256, received plain/],
  [
    'a plain challenge',
    { code_challenge: challenge, code_challenge_method: 'plain' },
    'invalid_request',
    /expected S256, received plain/,
  ],
  [
    'a challenge that is no digest',
    { code_challenge: 'short', code_challenge_method: 'S256' },
    'invalid_request',
    /43 letters/,
  ],
  [
    'a method without a challenge',
    { code_challenge_method: 'S256' },
    'invalid_request',
    /code_challenge is missing/,
  ],
  ['quotes in what is wrong', { env: '"<\\é' }, 'invalid_request', /received \?<\?\?$/],
]
for (const [given, patch, error, description] of sentBack)
  test(`${given}: the app is told ${error}`, async () => {
    const visit = await new Browser(scene).get(authorize(patch))
    assert.equal(visit.status, 303)
    assert.ok(visit.location?.startsWith(`${REDIRECT}?`))
    const { error_description = '', ...told } = toldBack(visit)
    assert.deepEqual(told, { error, state: 'xyz', iss: scene.url })
    assert.match(error_description, description)
  })

for (const name of ['response_type', 'scope', 'env', 'state', 'code_challenge'])
  test(`${name} given twice: the app is told so`, async () => {
    const visit = await new Browser(scene).get(`${authorize()}&${name}=a&${name}=b`)
    const { error, error_description } = toldBack(visit)
    assert.deepEqual([error, error_description], ['invalid_request', `${name} was given more than once`])
  })

for (const settings of [{ pkceRequired: true }, { isPublic: true }])
  test(`an app with ${Object.keys(settings)} must send a challenge`, async () => {
    const { clientId } = await registerTestApp(scene.world, { settings })
    const client_id = clientId
    const without = await new Browser(scene).get(authorize({ client_id }))
    assert.equal(toldBack(without)['error'], 'invalid_request')
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
    const visit = await new Browser(scene).get(authorize({ client_id, ...proof }))
    assert.match(visit.location ?? '', /^\/oauth\/sign-in\?request=/)
  })

test('who is not signed in signs in, and comes back to the same request', async () => {
  const browser = new Browser(scene)
  const state = 'a b+c&d=e%20"<>\n\'é'
  const first = await browser.get(authorize({ state }))
  assert.match(first.location ?? '', /^\/oauth\/sign-in\?request=/)
  const form = await browser.get(first.location!)
  assert.match(form.html, /to go on to <b><bdi>Trading app<\/bdi><\/b>/)
  const next = await browser.submit(form, '/oauth/sign-in', {
    name: 'ada ',
    password: 'correct horse battery',
  })
  assert.equal(next.status, 303)
  assert.equal(new URL(next.location!, scene.url).searchParams.get('state'), state)
  const consent = await browser.get(next.location!)
  assert.equal(consent.status, 200)
  assert.match(consent.html, /Allow <bdi>Trading app<\/bdi> to act for you\?/)
  const denied = await browser.submit(consent, ACTION, { answer: 'deny' })
  assert.equal(toldBack(denied)['state'], state)
})

test('the question says what is asked, for which accounts, and who is asked', async () => {
  const { html } = await (await signedIn()).get(authorize())
  const { paper } = scene
  const number = scene.world.view.accounts.get(paper)!.number
  for (const words of [
    'See the account',
    'Trade with the money',
    'It trades.',
    number,
    '$100,000.00 in cash',
  ])
    assert.ok(html.includes(words), words)
  assert.match(html, /Signed in as <b><bdi>Ada<\/bdi><\/b>/)
  assert.match(html, /<a href="https:\/\/app\.example"/)
  assert.match(html, /not been approved for live accounts/)
  assert.doesNotMatch(html, /name="live"/)
  assert.doesNotMatch(html, /Receive market data/)
})

test('without a scope only reading is asked for', async () => {
  const { html } = await (await signedIn()).get(authorize({ scope: undefined }))
  assert.match(html, /See the account/)
  assert.doesNotMatch(html, /Trade with/)
})

test('Allow leads back with a code that the app exchanges', async () => {
  const browser = await signedIn()
  const consent = await browser.get(authorize())
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.equal(visit.status, 303)
  const { code = '', ...told } = toldBack(visit)
  assert.deepEqual(told, { state: 'xyz', iss: scene.url })
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
  const client = { client_id: scene.app.clientId, client_secret: scene.app.secret }
  const exchanged = await call(scene, 'POST /oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ ...form, ...client })),
  })
  assert.deepEqual([exchanged.status, exchanged.body.scope], [200, 'trading'])
  const bearer = { authorization: `Bearer ${exchanged.body.access_token}` }
  const account = await call(scene, 'GET /v2/account', { headers: bearer })
  assert.equal(account.body.id, scene.paper)
})

test('Deny leads back with access_denied, and no consent', async () => {
  const browser = await signedIn()
  const before = scene.world.view.grants.size
  const visit = await browser.submit(await browser.get(authorize()), ACTION, { answer: 'deny' })
  const { error_description, ...told } = toldBack(visit)
  assert.deepEqual(told, { error: 'access_denied', state: 'xyz', iss: scene.url })
  assert.equal(scene.world.view.grants.size, before)
})

test('the same consent is asked for again', async () => {
  const browser = await signedIn()
  for (const _ of ['first', 'again']) {
    const consent = await browser.get(authorize())
    assert.equal(consent.status, 200)
    await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  }
})

const joined: readonly (readonly [string, string])[] = [
  ['https://app.example/cb', '?'],
  ['https://app.example/cb?a=b', '&'],
  ['https://app.example/cb?', ''],
  ['com.example.app:/callback', '?'],
  ['https://app.example/über', '?'],
]
for (const [uri, join] of joined)
  test(`an answer is added to ${uri}`, async () => {
    const { clientId } = await registerTestApp(scene.world, { redirectUris: [uri] })
    const visit = await new Browser(scene).get(
      authorize({ client_id: clientId, redirect_uri: uri, scope: 'x' }),
    )
    const address = uri.replace('ü', '%C3%BC')
    assert.ok(visit.location?.startsWith(`${address}${join}error=invalid_scope&`), visit.location)
  })

test('a native app is answered on whichever port it listens', async () => {
  const redirectUris = ['http://127.0.0.1/cb']
  const { clientId } = await registerTestApp(scene.world, { redirectUris, settings: { isNative: true } })
  const redirect_uri = 'http://127.0.0.1:41920/cb'
  const browser = await signedIn()
  const consent = await browser.get(authorize({ client_id: clientId, redirect_uri }))
  assert.match(consent.headers.get('content-security-policy') ?? '', / http:\/\/127\.0\.0\.1:41920;/)
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.ok(visit.location?.startsWith(`${redirect_uri}?code=`))
})

test('nothing chosen is told at the field, and nothing is allowed', async () => {
  const browser = await signedIn()
  const visit = await browser.submit(await browser.get(authorize()), ACTION, { answer: 'allow' })
  assert.equal(visit.status, 400)
  assert.match(visit.html, /role="alert"/)
  assert.match(visit.html, /<a href="#paper">Choose the account/)
  assert.match(visit.html, /<fieldset aria-invalid="true" aria-describedby="paper-why">/)
})

const chosen: readonly (readonly [string, () => Fields, Fields, number])[] = [
  ['a live account of an app that was not approved', () => ({ live: scene.live }), {}, 400],
  ['an account of nobody', () => ({ paper: '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b' }), {}, 400],
  ['a live account as a paper one', () => ({ paper: scene.live }), {}, 400],
  ['a paper account where live was asked for', () => ({ paper: scene.paper }), { env: 'live' }, 200],
  ['a paper account where paper was asked for', () => ({ paper: scene.paper }), { env: 'paper' }, 303],
]
for (const [given, accounts, patch, status] of chosen)
  test(`${given} is chosen: ${status}`, async () => {
    const browser = await signedIn()
    const before = scene.world.view.grants.size
    const visit = await browser.submit(await browser.get(authorize(patch)), ACTION, {
      answer: 'allow',
      ...accounts(),
    })
    assert.equal(visit.status, status)
    assert.equal(scene.world.view.grants.size - before, status === 303 ? 1 : 0)
  })

test('an approved app may have one account of each kind', async () => {
  const { clientId } = await registerTestApp(scene.world, { liveTradingApproved: true })
  const browser = await signedIn()
  const consent = await browser.get(authorize({ client_id: clientId }))
  assert.match(consent.html, /No live account/)
  const { live, paper } = scene
  await browser.submit(consent, ACTION, { answer: 'allow', live, paper })
  const grant = [...scene.world.view.grants.values()].at(-1)!
  assert.deepEqual([grant.live, grant.paper, grant.personId], [live, paper, scene.personId])
})

test('its developer may connect a live account before an app is approved', async () => {
  const developer = scene.personId as PersonId
  const { clientId } = await registerTestApp(scene.world, { settings: { developer } })
  const { html } = await (await signedIn()).get(authorize({ client_id: clientId, env: 'live' }))
  assert.match(html, /name="live"/)
})

const noAccount: readonly (readonly [string, Fields, RegExp])[] = [
  ['has none', {}, /open an account for you/],
  ['has none of the kind', { env: 'paper' }, /a <b>paper<\/b> account/],
  ['would need an approved app', { env: 'live' }, /not been approved for live/],
]
for (const [given, patch, then] of noAccount)
  test(`who ${given} is told what to do, and can go back`, async () => {
    const name = `poor ${given}`
    await addPerson(scene.world, name)
    const browser = new Browser(scene)
    await browser.signIn(authorizeQuery(scene), name)
    const visit = await browser.get(authorize(patch))
    assert.equal(visit.status, 200)
    assert.match(visit.html, then)
    assert.doesNotMatch(visit.html, /value="allow"/)
    const back = await browser.submit(visit, ACTION, { answer: 'deny' })
    assert.equal(toldBack(back)['error'], 'access_denied')
  })

const forged: readonly (readonly [string, (csrf: string) => Fields, Record<string, string>])[] = [
  ['without a token', () => ({ csrf: undefined }), {}],
  ['with an empty token', () => ({ csrf: '' }), {}],
  ['with half a token', (csrf) => ({ csrf: csrf.slice(0, 20) }), {}],
  ['from another site', (csrf) => ({ csrf }), { 'sec-fetch-site': 'cross-site' }],
  ['from a sibling site', (csrf) => ({ csrf }), { 'sec-fetch-site': 'same-site' }],
  ['from another origin', (csrf) => ({ csrf }), { origin: 'https://evil.example' }],
]
for (const [given, token, headers] of forged)
  test(`an answer ${given} allows nothing`, async () => {
    const browser = await signedIn()
    const { csrf = '', request } = hiddenIn(await browser.get(authorize()), ACTION)
    const before = scene.world.view.grants.size
    const fields = { request, answer: 'allow', paper: scene.paper, ...token(csrf) }
    const visit = await browser.post(ACTION, fields, headers)
    assert.deepEqual([visit.status, visit.location], [400, undefined])
    assert.equal(scene.world.view.grants.size, before)
  })

test('a token of one session does not serve another', async () => {
  const [mine, theirs] = [await signedIn(), await signedIn()]
  const { csrf } = hiddenIn(await theirs.get(authorize()), ACTION)
  const visit = await mine.submit(await mine.get(authorize()), ACTION, {
    csrf,
    answer: 'allow',
    paper: scene.paper,
  })
  assert.equal(visit.status, 400)
})

const meddled: readonly (readonly [string, Fields, number, RegExp | undefined])[] = [
  ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 400, undefined],
  ['another app', { client_id: 'ff' }, 400, undefined],
  ['more than the app may', { scope: 'tokenization' }, 303, /error=invalid_scope/],
  ['a token at once', { response_type: 'token' }, 303, /error=unsupported_response_type/],
]
for (const [given, patch, status, location] of meddled)
  test(`a form that was changed to ask for ${given} is looked at again: ${status}`, async () => {
    const browser = await signedIn()
    const { csrf } = hiddenIn(await browser.get(authorize()), ACTION)
    const before = scene.world.view.grants.size
    const request = authorizeQuery(scene, patch)
    const visit = await browser.post(ACTION, { csrf, request, answer: 'allow', paper: scene.paper })
    assert.equal(visit.status, status)
    if (location) assert.match(visit.location ?? '', location)
    assert.equal(scene.world.view.grants.size, before)
  })

test('an answer after the session ended leads to sign-in, and back to the question', async () => {
  const browser = await signedIn()
  const consent = await browser.get(authorize())
  browser.cookies.delete('quipu_session')
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.match(visit.location ?? '', /^\/oauth\/sign-in\?request=response_type/)
})

test('an app of one world does not meet the people of another', async () => {
  await addPerson(scene.services.worlds.main, 'Bob')
  const browser = new Browser(scene)
  const wrongWorld = await browser.signIn(authorizeQuery(scene), 'Bob')
  assert.equal(wrongWorld.status, 400)
  const right = await browser.signIn(undefined, 'Bob')
  assert.equal(right.location, '/oauth/apps')
  const visit = await browser.get(authorize())
  assert.match(visit.location ?? '', /^\/oauth\/sign-in/)
})
