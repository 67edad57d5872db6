import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import type { ClientId } from '@quipu/core'
import { call } from '../../testing/server.ts'
import { issueTestCode, REDIRECT, registerTestApp } from '../testing/apps.ts'
import { authorizeQuery, Browser, hiddenIn, openPages, type PageScene, responseTo } from '../testing/pages.ts'

const APPS = '/oauth/apps'

let scene: PageScene
before(async () => {
  scene = await openPages()
})
after(() => scene.close())

/** Signs a user in who allows the app; returns the browser and the token of the app. */
async function allowApp(app = scene.app): Promise<{ readonly browser: Browser; readonly token: string }> {
  const browser = new Browser(scene)
  const request = authorizeQuery({ app })
  const { location } = await browser.signIn(request)
  const consent = await browser.get(location!)
  const visit = await browser.submit(consent, '/oauth/authorize', { answer: 'allow', paper: scene.paper })
  const form = {
    grant_type: 'authorization_code',
    code: responseTo(visit)['code']!,
    redirect_uri: REDIRECT,
    client_id: app.clientId,
    client_secret: app.secret,
  }
  const { body } = await call(scene, 'POST /oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  })
  return { browser, token: body.access_token }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('a browser without a session is redirected to sign-in', async () => {
  const visit = await new Browser(scene).get(APPS)
  assert.deepEqual([visit.status, visit.location], [303, '/oauth/sign-in'])
  const posted = await new Browser(scene).post(APPS, { client_id: scene.app.clientId })
  assert.equal(posted.location, '/oauth/sign-in')
})

test('an app is listed with its scopes, accounts, start and last use until it is withdrawn', async () => {
  const { browser, token } = await allowApp()
  const before = await browser.get(APPS)
  const { number } = scene.world.view.accounts.get(scene.paper)!
  for (const words of [
    'Trading app',
    'app.example',
    'See the account',
    'Trade with the money',
    `${number}, paper`,
  ])
    assert.ok(before.html.includes(words), words)
  assert.match(
    before.html,
    /<dt>Since<\/dt><dd><time datetime="2026-11-02T15:00Z">2 November 2026, 15:00 UTC/,
  )
  assert.match(before.html, /<dt>Last used<\/dt><dd>Not yet/)
  assert.equal((await call(scene, 'GET /v2/account', bearer(token))).status, 200)
  const grantId = [...scene.world.view.grants.keys()].at(-1)!
  await scene.world.commands.submit({ kind: 'noteGrantUse', grantId }, () => undefined)
  assert.match(
    (await browser.get(APPS)).html,
    /<dt>Last used<\/dt><dd><time [^>]+>2 November 2026, 15:00 UTC/,
  )

  const visit = await browser.submit(before, APPS)
  assert.equal(visit.location, `${APPS}?withdrawn=${scene.app.clientId}`)
  assert.equal((await call(scene, 'GET /v2/account', bearer(token))).status, 401)
  const after = await browser.get(visit.location!)
  assert.match(after.html, /<b><bdi>Trading app<\/bdi><\/b> may no longer act for you/)
  assert.match(after.html, /No app may act for you/)
})

test('a grant by a partner is listed too', async () => {
  const app = await registerTestApp(scene.world, { name: 'Of a partner' })
  await issueTestCode(scene.world, app, scene.paper)
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene))
  const { html } = await browser.get(APPS)
  assert.match(html, /Of a partner/)
  assert.match(html, /Allowed through a partner/)
})

test('a forged link does not show an app as withdrawn', async () => {
  const app = await registerTestApp(scene.world)
  const { browser } = await allowApp(app)
  for (const id of [app.clientId, 'ff', '<script>']) {
    const { html } = await browser.get(`${APPS}?${new URLSearchParams({ withdrawn: id })}`)
    assert.doesNotMatch(html, /may no longer act|<script/)
  }
})

test('only a form of the same session withdraws an app', async () => {
  const app = await registerTestApp(scene.world)
  const { browser, token } = await allowApp(app)
  const fields = hiddenIn(await browser.get(APPS), APPS)
  const refused = [
    await browser.post(APPS, { ...fields, csrf: undefined }),
    await browser.post(APPS, { ...fields, csrf: 'x' }),
    await browser.post(APPS, fields, { 'sec-fetch-site': 'cross-site' }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 400, 403],
  )
  assert.equal((await call(scene, 'GET /v2/account', bearer(token))).status, 200)
})

test('withdrawing an unknown app changes nothing', async () => {
  const { browser } = await allowApp()
  const { csrf } = hiddenIn(await browser.get(APPS), APPS)
  const visit = await browser.post(APPS, { csrf, client_id: 'ff' as ClientId })
  assert.equal(visit.location, APPS)
})

test('markup in a name is escaped', async () => {
  const name = `<script>alert("1")</script> & 'more'`
  const app = await registerTestApp(scene.world, { name, url: 'javascript:alert(1)', description: name })
  const { browser } = await allowApp(app)
  const pages = [await browser.get(APPS), await browser.get(`/oauth/authorize?${authorizeQuery({ app })}`)]
  for (const { html } of pages) {
    assert.doesNotMatch(html, /<script|href="javascript/)
    assert.ok(html.includes('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;more&#39;'))
  }
  await execute(scene.world, { kind: 'changeUser', userId: scene.userId, name: '<b>Ada' }, 'userChanged')
  assert.match((await browser.get(APPS)).html, /Signed in as <b><bdi>&#60;b&#62;Ada<\/bdi>/)
  await execute(scene.world, { kind: 'changeUser', userId: scene.userId, name: 'Ada' }, 'userChanged')
})
