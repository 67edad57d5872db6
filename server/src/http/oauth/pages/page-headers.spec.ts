import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { styleSource } from '../../../pages/style.ts'
import { authorizeQuery, Browser, openPages, type PageScene, type Visit } from '../testing/pages.ts'

let scene: PageScene
let signedIn: Browser
before(async () => {
  scene = await openPages()
  signedIn = new Browser(scene)
  await signedIn.signIn(authorizeQuery(scene))
})
after(() => scene.close())

const stranger = () => new Browser(scene)
const authorize = (patch = {}) => `/oauth/authorize?${authorizeQuery(scene, patch)}`

const pages: readonly (readonly [string, number, () => Promise<Visit>])[] = [
  ['the consent page', 200, () => signedIn.get(authorize())],
  ['the consent page without an account', 200, () => signedIn.get(authorize({ env: 'live' }))],
  ['an unknown app', 400, () => stranger().get(authorize({ client_id: 'ff' }))],
  ['an empty request', 400, () => stranger().get('/oauth/authorize')],
  ['a wrong redirect URI', 400, () => stranger().get(authorize({ redirect_uri: 'x' }))],
  [
    'a response without a CSRF token',
    400,
    () => signedIn.post('/oauth/authorize', { request: authorizeQuery(scene) }),
  ],
  ['an empty response', 400, () => signedIn.post('/oauth/authorize', {})],
  ['the sign-in form', 200, () => stranger().get('/oauth/sign-in')],
  [
    'the sign-in form of an app',
    200,
    () => stranger().get(`/oauth/sign-in?${new URLSearchParams({ request: authorizeQuery(scene) })}`),
  ],
  ['a wrong password', 400, () => stranger().signIn(undefined, 'Ada', 'wrong')],
  ['a sign-in without a CSRF token', 400, () => stranger().post('/oauth/sign-in', {})],
  ['an expired link', 400, () => stranger().get('/oauth/sign-in?once=x')],
  ['the apps page', 200, () => signedIn.get('/oauth/apps')],
  ['a withdrawal without a CSRF token', 400, () => signedIn.post('/oauth/apps', {})],
  ['a sign-out without a CSRF token', 400, () => signedIn.post('/oauth/sign-out', {})],
]
for (const [name, status, visit] of pages)
  test(`${name}: headers forbid frames, caching and scripts`, async () => {
    const { status: received, headers, html } = await visit()
    assert.equal(received, status)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src 'none'; form-action 'self'/,
    )
    assert.ok(policy.includes(styleSource))
    assert.match(policy, /; frame-ancestors 'none'; base-uri 'none'$/)
    const rest = [
      'x-frame-options',
      'referrer-policy',
      'cache-control',
      'x-content-type-options',
      'content-type',
    ]
    assert.deepEqual(
      rest.map((name) => headers.get(name)),
      ['DENY', 'same-origin', 'no-store', 'nosniff', 'text/html; charset=utf-8'],
    )
    assert.match(html, /^<!doctype html>\n<html lang="en">/)
    assert.match(html, /<title>[^<]+ · Quipu<\/title>/)
    assert.equal(html.match(/<main/g)?.length, 1)
    assert.equal(html.match(/<h1/g)?.length, 1)
    assert.doesNotMatch(html, /<script|\son\w+=|\sstyle=/)
  })

const redirects: readonly (readonly [string, () => Promise<Visit>])[] = [
  ['to sign-in', () => stranger().get(authorize())],
  ['to the app', () => stranger().get(authorize({ scope: 'x' }))],
  ['from the apps page', () => stranger().get('/oauth/apps')],
]
for (const [name, visit] of redirects)
  test(`a redirect ${name} is not cached and sends no referrer`, async () => {
    const { status, headers } = await visit()
    assert.deepEqual(
      [status, headers.get('cache-control'), headers.get('referrer-policy')],
      [303, 'no-store', 'no-referrer'],
    )
  })

const heads: readonly (readonly [string, number])[] = [
  ['/oauth/sign-in', 200],
  ['/oauth/authorize', 400],
  ['/oauth/apps', 303],
]
for (const [path, status] of heads)
  test(`HEAD ${path} answers ${status} without a body`, async () => {
    const response = await fetch(`${scene.url}${path}`, { method: 'HEAD', redirect: 'manual' })
    assert.deepEqual([response.status, await response.text()], [status, ''])
  })

const slashed: readonly (readonly [string, string])[] = [
  ['/oauth/sign-in/', '/oauth/sign-in'],
  ['/oauth/apps/?withdrawn=x/', '/oauth/apps?withdrawn=x/'],
  ['/oauth/authorize/?client_id=a/&b=/c/', '/oauth/authorize?client_id=a/&b=/c/'],
]
for (const [path, target] of slashed)
  test(`${path} redirects to ${target}`, async () => {
    const { status, location } = await stranger().get(path)
    assert.deepEqual([status, location], [303, target])
  })

test('a slash at the end of a query is not redirected', async () => {
  const { status } = await stranger().get('/oauth/sign-in?request=https://app.example/')
  assert.equal(status, 200)
})

test('pages link to each other by relative paths, which work behind every proxy', async () => {
  const shown = [
    await signedIn.get(authorize()),
    await signedIn.get('/oauth/apps'),
    await stranger().get('/oauth/sign-in'),
  ]
  for (const { html } of shown) assert.doesNotMatch(html, /(href|action)="\//)
  const response = await fetch(`${scene.url}/oauth/apps`, { redirect: 'manual' })
  assert.equal(response.headers.get('location'), 'sign-in')
})

test('the hash of the style is in the content security policy', async () => {
  const { html } = await stranger().get('/oauth/sign-in')
  const style = html.slice(html.indexOf('<style>') + 7, html.indexOf('</style>'))
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')
  assert.equal(styleSource, `'sha256-${digest}'`)
})
