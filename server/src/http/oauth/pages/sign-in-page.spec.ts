import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import type { UserId } from '@quipu/core'
import {
  addUser,
  authorizeQuery,
  Browser,
  hiddenIn,
  openPages,
  PASSWORD,
  type PageScene,
  type Visit,
} from '../testing/pages.ts'
import { newCookie } from './browser.ts'

const SIGN_IN = '/oauth/sign-in'
const SESSION = 'quipu_session'

let scene: PageScene
let ada: UserId
before(async () => {
  scene = await openPages()
  ada = await addUser(scene.services.worlds.main, 'Ada')
})
after(() => scene.close())

const main = () => scene.services.worlds.main

const wrong: readonly (readonly [string, string, string])[] = [
  ['a wrong password', 'Ada', 'wrong'],
  ['a wrong name', 'Nobody', PASSWORD],
  ['no password', 'Ada', ''],
  ['no name', '', PASSWORD],
  ['a password of another case', 'Ada', PASSWORD.toUpperCase()],
  ['a password with a space at the end', 'Ada', `${PASSWORD} `],
  ['a name that is too long', 'A'.repeat(500), PASSWORD],
  ['a password that is too long', 'Ada', 'p'.repeat(5000)],
]
for (const [input, name, password] of wrong)
  test(`${input}: the same error page and no session`, async () => {
    const browser = new Browser(scene)
    const visit = await browser.signIn(undefined, name, password)
    assert.equal(visit.status, 400)
    assert.match(visit.html, /<a href="#password">The name or the password is not right\.<\/a>/)
    assert.match(visit.html, /aria-invalid="true" aria-describedby="password-why"/)
    assert.equal(browser.cookies.has(SESSION), false)
  })

test('the pages for a wrong name and a wrong password differ only in the name', async () => {
  const browser = new Browser(scene)
  const [known, unknown] = [
    await browser.signIn(undefined, 'Ada', 'wrong'),
    await browser.signIn(undefined, 'Eve', 'wrong'),
  ]
  assert.equal(known.html.replace('value="Ada"', 'value="Eve"'), unknown.html)
})

test('a failed sign-in is recorded without the typed password', async () => {
  const failures: object[] = []
  const stop = main().publisher.listen((events) => {
    for (const { event } of events) if (event.kind === 'signInFailed') failures.push(event)
  })
  await new Browser(scene).signIn(undefined, 'Ada', 'a typed secret')
  await main().commands.quiet()
  stop()
  assert.equal(failures.length, 1)
  const text = JSON.stringify(failures, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  assert.match(text, new RegExp(ada))
  assert.doesNotMatch(text, /typed/)
  assert.doesNotMatch(scene.lines.join(), /typed/)
})

test('a disabled user gets the same page', async () => {
  const userId = await addUser(main(), 'Zoe')
  await execute(main(), { kind: 'changeUser', userId, disabled: true }, 'userChanged')
  const visit = await new Browser(scene).signIn(undefined, 'Zoe')
  assert.equal(visit.status, 400)
})

test('sign-in sets a new cookie and ends the earlier session', async () => {
  const browser = new Browser(scene)
  const fixed = newCookie()
  browser.cookies.set(SESSION, fixed)
  const visit = await browser.signIn()
  assert.deepEqual([visit.status, visit.location], [303, '/'])
  const first = browser.cookies.get(SESSION)!
  assert.notEqual(first, fixed)
  assert.match(first, /^[A-Za-z0-9_-]{43}$/)
  const form = await new Browser(scene).get(SIGN_IN)
  browser.cookies.set('quipu_form', cookieOf(form, 'quipu_form'))
  await browser.submit(form, SIGN_IN, { name: 'Ada', password: PASSWORD })
  assert.notEqual(browser.cookies.get(SESSION), first)
  const { credentials } = scene.services.worlds.access
  assert.equal(credentials.bySession(first, Date.now()), undefined)
  assert.equal(credentials.bySession(browser.cookies.get(SESSION)!, Date.now())?.user.name, 'Ada')
})

const cookieOf = ({ headers }: Visit, name: string): string =>
  headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))!
    .slice(name.length + 1)
    .split(';')[0]!

test('the cookie is HttpOnly and SameSite, and lasts twelve hours', async () => {
  const visit = await new Browser(scene).signIn()
  const [line] = visit.headers.getSetCookie()
  assert.match(line ?? '', /^quipu_session=[\w-]{43}; Path=\/oauth; HttpOnly; SameSite=Lax; Max-Age=43200$/)
})

test('over HTTPS, cookies are Secure and bound to the host', async (t) => {
  const secure = await openPages({}, { binding: { publicUrl: 'https://broker.example/' } })
  t.after(() => secure.close())
  const { port } = secure.serving
  await addUser(secure.services.worlds.main, 'Ada')
  const browser = new Browser({ url: `http://127.0.0.1:${port}` })
  const visit = await browser.signIn()
  const [line] = visit.headers.getSetCookie()
  assert.match(line ?? '', /^__Host-quipu_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure;/)
  const denied = await browser.get(`/oauth/authorize?${authorizeQuery(secure, { scope: 'x' })}`)
  assert.match(denied.location ?? '', /iss=https%3A%2F%2Fbroker\.example$/)
})

const forged: readonly (readonly [string, object, Record<string, string>, boolean, number])[] = [
  ['without the cookie of the form', {}, {}, false, 400],
  ['without a token', { csrf: undefined }, {}, true, 400],
  ['with the token of another browser', { csrf: 'A'.repeat(43) }, {}, true, 400],
  ['from another site', {}, { 'sec-fetch-site': 'cross-site' }, true, 403],
  ['from another origin', {}, { origin: 'https://evil.example' }, true, 403],
]
for (const [input, patch, headers, hasCookie, status] of forged)
  test(`a sign-in ${input} is refused`, async () => {
    const browser = new Browser(scene)
    const form = await browser.get(SIGN_IN)
    if (!hasCookie) browser.cookies.clear()
    const fields = { ...hiddenIn(form, SIGN_IN), name: 'Ada', password: PASSWORD, ...patch }
    const visit = await browser.post(SIGN_IN, fields, headers)
    assert.equal(visit.status, status)
    assert.equal(browser.cookies.has(SESSION), false)
  })

const foreignRequests = [
  'https://evil.example/',
  '//evil.example',
  'client_id=x&redirect_uri=https://evil.example',
  '/oauth/authorize?x',
  'javascript:alert(1)',
]
for (const request of foreignRequests)
  test(`sign-in with ${request} redirects to no other URL`, async () => {
    const browser = new Browser(scene)
    const visit = await browser.signIn(request)
    assert.equal(visit.location, '/')
    const again = await browser.get(`${SIGN_IN}?${new URLSearchParams({ request })}`)
    assert.equal(again.location, '/')
    const form = await browser.get('/oauth/apps')
    const out = await browser.submit(form, '/oauth/sign-out', { request })
    assert.equal(out.location, SIGN_IN)
  })

test('sign-out ends the session and redirects to sign-in with the same request', async () => {
  const browser = new Browser(scene)
  const request = authorizeQuery(scene)
  const { location } = await browser.signIn(request)
  const cookie = browser.cookies.get(SESSION)!
  const visit = await browser.submit(await browser.get(location!), '/oauth/sign-out')
  assert.match(visit.location ?? '', /^\/oauth\/sign-in\?request=response_type%3Dcode%26client_id%3D/)
  assert.equal(browser.cookies.has(SESSION), false)
  assert.equal(scene.services.worlds.access.credentials.bySession(cookie, Date.now()), undefined)
})

test('sign-out without the CSRF token is refused', async () => {
  const browser = new Browser(scene)
  await browser.signIn()
  const visit = await browser.post('/oauth/sign-out', { csrf: 'x' })
  assert.equal(visit.status, 400)
  assert.equal((await browser.get('/oauth/apps')).status, 200)
})

async function issueLink(userId: UserId, lastsMs = 60_000): Promise<string> {
  const once = newCookie()
  const nowMs = Date.now()
  const command = {
    kind: 'issueSignInLink',
    userId,
    link: digestOf(once),
    nowMs,
    endsAtMs: nowMs + lastsMs,
  } as const
  await execute(main(), command, 'signInLinkIssued')
  return once
}

test('a link shows its user and works once, however often it was opened', async () => {
  const once = await issueLink(ada)
  const browser = new Browser(scene)
  const path = `${SIGN_IN}?once=${once}`
  for (const _ of ['a mail program', 'a browser', 'the user'])
    assert.match((await browser.get(path)).html, /<h1>Sign in as <bdi>Ada<\/bdi><\/h1>/)
  const form = await browser.get(path)
  const visit = await browser.submit(form, SIGN_IN)
  assert.deepEqual([visit.status, visit.location], [303, '/'])
  assert.match((await browser.get('/oauth/apps')).html, /Signed in as <b><bdi>Ada/)
  const other = new Browser(scene)
  other.cookies.set('quipu_form', browser.cookies.get('quipu_form')!)
  const second = await other.submit(form, SIGN_IN)
  assert.deepEqual([second.status, other.cookies.has(SESSION)], [400, false])
  assert.match(second.html, /This link has ended/)
  assert.match(second.html, /quipu open prints a new link/)
  assert.equal((await other.get(path)).status, 400)
})

const invalidLinks: readonly (readonly [string, () => Promise<string>])[] = [
  ['does not exist', async () => newCookie()],
  ['has expired', () => issueLink(ada, -1)],
  ['is malformed', async () => '<script>'],
]
for (const [reason, makeLink] of invalidLinks)
  test(`a link that ${reason} is refused`, async () => {
    const visit = await new Browser(scene).get(
      `${SIGN_IN}?${new URLSearchParams({ once: await makeLink() })}`,
    )
    assert.equal(visit.status, 400)
    assert.match(visit.html, /This link has ended/)
    assert.doesNotMatch(visit.html, /<script/)
  })
