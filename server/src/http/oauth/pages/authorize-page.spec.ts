import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { UserId } from '@quipu/core'
import { call } from '../../testing/server.ts'
import { REDIRECT, registerTestApp } from '../testing/apps.ts'
import {
  addUser,
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

async function signedIn(): Promise<Browser> {
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene))
  return browser
}

test('a user who is not signed in signs in and returns to the same request', async () => {
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
  assert.equal(responseTo(denied)['state'], state)
})

test('the consent page shows the scopes, the accounts and the signed-in user', async () => {
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

test('without a scope the app requests only read access', async () => {
  const { html } = await (await signedIn()).get(authorize({ scope: undefined }))
  assert.match(html, /See the account/)
  assert.doesNotMatch(html, /Trade with/)
})

test('Allow redirects to the app with a code that the app exchanges', async () => {
  const browser = await signedIn()
  const consent = await browser.get(authorize())
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.equal(visit.status, 303)
  const { code = '', ...response } = responseTo(visit)
  assert.deepEqual(response, { state: 'xyz', iss: scene.url })
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

test('Deny redirects to the app with access_denied and records no consent', async () => {
  const browser = await signedIn()
  const before = scene.world.view.grants.size
  const visit = await browser.submit(await browser.get(authorize()), ACTION, { answer: 'deny' })
  const { error_description, ...response } = responseTo(visit)
  assert.deepEqual(response, { error: 'access_denied', state: 'xyz', iss: scene.url })
  assert.equal(scene.world.view.grants.size, before)
})

test('the app may request the same consent again', async () => {
  const browser = await signedIn()
  for (const _ of ['first', 'again']) {
    const consent = await browser.get(authorize())
    assert.equal(consent.status, 200)
    await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  }
})

test('a native app may use any port on loopback', async () => {
  const redirectUris = ['http://127.0.0.1/cb']
  const { clientId } = await registerTestApp(scene.world, { redirectUris, settings: { isNative: true } })
  const redirect_uri = 'http://127.0.0.1:41920/cb'
  const browser = await signedIn()
  const consent = await browser.get(authorize({ client_id: clientId, redirect_uri }))
  assert.match(consent.headers.get('content-security-policy') ?? '', / http:\/\/127\.0\.0\.1:41920;/)
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.ok(visit.location?.startsWith(`${redirect_uri}?code=`))
})

test('Allow without an account shows an error at the field', async () => {
  const browser = await signedIn()
  const visit = await browser.submit(await browser.get(authorize()), ACTION, { answer: 'allow' })
  assert.equal(visit.status, 400)
  assert.match(visit.html, /role="alert"/)
  assert.match(visit.html, /<a href="#paper">Choose the account/)
  assert.match(
    visit.html,
    /<fieldset role="radiogroup" class="paper" aria-invalid="true" aria-describedby="paper-why">/,
  )
})

const chosen: readonly (readonly [string, () => Fields, Fields, number])[] = [
  ['a live account of an app that was not approved', () => ({ live: scene.live }), {}, 400],
  ['an unknown account', () => ({ paper: '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b' }), {}, 400],
  ['a live account as a paper one', () => ({ paper: scene.live }), {}, 400],
  ['a paper account where live was requested', () => ({ paper: scene.paper }), { env: 'live' }, 200],
  ['a paper account where paper was requested', () => ({ paper: scene.paper }), { env: 'paper' }, 303],
]
for (const [input, accounts, patch, status] of chosen)
  test(`${input} is chosen: ${status}`, async () => {
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
  assert.deepEqual([grant.live, grant.paper, grant.userId], [live, paper, scene.userId])
})

test('an account of a kind that was not requested is ignored', async () => {
  const { clientId } = await registerTestApp(scene.world, { liveTradingApproved: true })
  const browser = await signedIn()
  const { live, paper } = scene
  for (const env of ['live', 'paper']) {
    const consent = await browser.get(authorize({ client_id: clientId, env }))
    await browser.submit(consent, ACTION, { answer: 'allow', live, paper })
    const grant = [...scene.world.view.grants.values()].at(-1)!
    assert.deepEqual([grant.live, grant.paper], env === 'live' ? [live, undefined] : [undefined, paper])
  }
})

test('the developer of an app may connect a live account before the app is approved', async () => {
  const developer = scene.userId as UserId
  const { clientId } = await registerTestApp(scene.world, { settings: { developer } })
  const { html } = await (await signedIn()).get(authorize({ client_id: clientId, env: 'live' }))
  assert.match(html, /name="live"/)
})

const noAccount: readonly (readonly [string, Fields, RegExp])[] = [
  ['has no account', {}, /open an account for you/],
  ['has no account of the kind', { env: 'paper' }, /a <b>paper<\/b> account/],
  ['needs an approved app', { env: 'live' }, /not been approved for live/],
]
for (const [reason, patch, message] of noAccount)
  test(`a user who ${reason} sees what to do, and can return to the app`, async () => {
    const name = `user who ${reason}`
    await addUser(scene.world, name)
    const browser = new Browser(scene)
    await browser.signIn(authorizeQuery(scene), name)
    const visit = await browser.get(authorize(patch))
    assert.equal(visit.status, 200)
    assert.match(visit.html, message)
    assert.doesNotMatch(visit.html, /value="allow"/)
    const back = await browser.submit(visit, ACTION, { answer: 'deny' })
    assert.equal(responseTo(back)['error'], 'access_denied')
  })

test('a response after the session ended redirects to sign-in with the same request', async () => {
  const browser = await signedIn()
  const consent = await browser.get(authorize())
  browser.cookies.delete('quipu_session')
  const visit = await browser.submit(consent, ACTION, { answer: 'allow', paper: scene.paper })
  assert.match(visit.location ?? '', /^\/oauth\/sign-in\?request=response_type/)
})

test('an app of one world cannot be used by users of another world', async () => {
  await addUser(scene.services.worlds.main, 'Bob')
  const browser = new Browser(scene)
  const wrongWorld = await browser.signIn(authorizeQuery(scene), 'Bob')
  assert.equal(wrongWorld.status, 400)
  const right = await browser.signIn(undefined, 'Bob')
  assert.equal(right.location, '/')
  const visit = await browser.get(authorize())
  assert.match(visit.location ?? '', /^\/oauth\/sign-in/)
})

test('the page names the partner behind the app, and marks live money', async () => {
  const approved = await registerTestApp(scene.world, { liveTradingApproved: true })
  const browser = await signedIn()
  const { html } = await browser.get(`/oauth/authorize?${authorizeQuery({ app: approved })}`)
  assert.match(html, /Provided by <b><bdi>First partner<\/bdi><\/b>, a partner of this broker/)
  assert.match(html, /<legend>Live account <span class="mark">Live money<\/span><\/legend>/)
  assert.match(html, /<b>This is live money.<\/b>/)
  const paper = await browser.get(`/oauth/authorize?${authorizeQuery(scene)}`)
  const shown = paper.html.slice(paper.html.indexOf('<body>'))
  assert.doesNotMatch(shown, /live money/i)
})
