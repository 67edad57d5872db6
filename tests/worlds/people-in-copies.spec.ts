import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'
import { loaded, save } from './files.ts'
import {
  allowApp,
  asOperator,
  isSignedIn,
  newApp,
  newUser,
  PASSWORD,
  requestOf,
  rightsOf,
  signIn,
} from './people.ts'

/** How a person ends in `main`, and whether that person may still sign in to a copy. */
const endings = [
  ['deleted', false],
  ['demoted', true],
  ['disabled', false],
] as const
type Ending = (typeof endings)[number][0]

/** Ends a person in `main`. */
async function end(how: Ending, name: string): Promise<void> {
  const path = `/main/users/${name}`
  if (how === 'demoted') await asOperator(broker, 'PATCH', path, { operator: false })
  else await asOperator(broker, 'PATCH', path, { disabled: true, account_ids: [] })
  if (how === 'deleted') await asOperator(broker, 'DELETE', path)
}

for (const [how, signsIn] of casesOf(endings, 2))
  test(`a person ${how} in main gets no right over the server through an earlier fork`, async () => {
    const person = await newUser(broker, 'main', { operator: true })
    const { name } = person
    const { world } = await asOperator(broker, 'POST', '/main/fork', {})
    const app = await newApp(broker, world)
    const { request } = app
    const early = await signIn(broker, request, name)
    assert.equal(await isSignedIn(early.browser), true, 'the password of main opens the fork')
    const token = await allowApp(broker, app, early.browser, person)
    const stream = await fetch(`${broker.url}/v2/events/trades`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(await bearerStatus(token, '/v2/account'), 200)
    assert.deepEqual(await rightsOf(broker, early.browser), [], 'a session of a fork has no rights')
    await end(how, name)
    assert.equal(await isSignedIn(early.browser), false, 'the session in the fork has ended')
    // A person who is no operator any more still trades with the own accounts.
    assert.equal(await bearerStatus(token, '/v2/account'), signsIn ? 200 : 401, 'the app in the fork')
    const client = new URLSearchParams({ token, ...app.client })
    const state = await fetch(`${broker.url}/oauth/introspect`, { method: 'POST', body: client })
    assert.equal(((await state.json()) as Body).active, signsIn)
    if (signsIn) await stream.body?.cancel()
    else await stream.text().catch(() => undefined)
    const { browser } = await signIn(broker, request, name)
    assert.equal(await isSignedIn(browser), signsIn)
    assert.deepEqual(await rightsOf(broker, browser), [])
    await asOperator(broker, 'DELETE', `/${world}`)
  })

const statusOf = async ({ key_id, secret_key }: Body, path = '/v2/account') =>
  (await call({ url: broker.url, keyId: key_id, secretKey: secret_key }, 'GET', path)).status

const bearerStatus = async (token: string, path: string) =>
  (await fetch(broker.url + path, { headers: { authorization: `Bearer ${token}` } })).status

/** A token of a partner's key. */
async function machineToken({ key_id, secret_key }: Body): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: key_id, client_secret: secret_key }
  const response = await fetch(`${broker.url}/v1/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  assert.equal(response.status, 200)
  return ((await response.json()) as Body).access_token
}

/** A browser that signed in to `main` with a link. */
async function openedLink(url: string): Promise<Browser> {
  const { origin, pathname, search } = new URL(url)
  const browser = new Browser({ url: origin })
  await browser.submit(await browser.get(pathname + search), '/oauth/sign-in')
  return browser
}

test('a fork of the past does not revive revoked keys, tokens, links, sessions and consents', async () => {
  const { name, accounts } = await newUser(broker, 'main', { operator: true })
  const [{ account_id }] = accounts
  const newKey = (fields: object) => asOperator(broker, 'POST', '/main/keys', fields)
  const [operator, partner, account] = await Promise.all([
    newKey({ kind: 'operator' }),
    newKey({ kind: 'partner' }),
    newKey({ kind: 'account', account_id }),
  ])
  const machine = await machineToken(operator)
  const { url: link } = await asOperator(broker, 'POST', `/main/users/${name}/link`, { operator: true })
  const unused = (await asOperator(broker, 'POST', `/main/users/${name}/link`, { operator: true })).url
  const browser = await openedLink(link)
  assert.equal(await isSignedIn(browser), true)
  const worlds = '/sim/v1/worlds'
  assert.deepEqual([await bearerStatus(machine, worlds), await statusOf(operator, worlds)], [200, 200])
  const app = await callAsOperator(broker, 'POST', '/v1/oauth/clients', {
    name: 'Trader',
    redirect_uri: ['https://app.example/callback'],
  })
  const { client_id, client_secret } = app.body
  const redirect_uri = 'https://app.example/callback'
  const grant = { client_id, client_secret, redirect_uri, scope: 'trading', account_id }
  const token = (await callAsOperator(broker, 'POST', '/v1/oauth/token', grant)).body.access_token
  assert.equal(await bearerStatus(token, '/v2/account'), 200)
  const at = (await asOperator(broker, 'GET', '/main/clock')).now
  for (const { key_id } of [operator, partner, account])
    await asOperator(broker, 'DELETE', `/main/keys/${key_id}`)
  assert.equal((await callAsOperator(broker, 'DELETE', `/v1/oauth/clients/${client_id}`)).status, 204)
  await end('deleted', name)

  const fork = await asOperator(broker, 'POST', '/main/fork', { at })
  const users = await asOperator(broker, 'GET', `/${fork.world}/users`)
  assert.ok(
    users.some((user: Body) => user.name === name && !user.operator),
    'the person owns accounts there',
  )
  assert.deepEqual(
    [await statusOf(operator, worlds), await statusOf(partner, '/v1/accounts'), await statusOf(account)],
    [401, 401, 401],
  )
  assert.deepEqual(
    [await bearerStatus(machine, worlds), await bearerStatus(token, '/v2/account')],
    [401, 401],
  )
  assert.equal(await isSignedIn(browser), false)
  assert.equal(await isSignedIn(await openedLink(unused).catch(() => new Browser(broker))), false)
  const consent = new URLSearchParams({ response_type: 'code', client_id, redirect_uri })
  assert.equal((await new Browser(broker).get(`/oauth/authorize?${consent}`)).status, 400)
  await asOperator(broker, 'DELETE', `/${fork.world}`)
})

/** Whether a link still offers to sign in. Does not use it. */
async function isLinkValid(url: string): Promise<boolean> {
  const { pathname, search } = new URL(url)
  const { status, html } = await new Browser(broker).get(pathname + search)
  assert.equal(status === 400, html.includes('This link has ended'), html)
  return status === 200
}

for (const [how] of endings)
  test(`a sign-in link to a copy ends when its person is ${how} in main`, async () => {
    const { name } = await newUser(broker, 'main', { operator: true })
    const { world } = await asOperator(broker, 'POST', '/main/fork', {})
    const newLink = async () => (await asOperator(broker, 'POST', `/${world}/users/${name}/link`, {})).url
    const [used, unused] = [await newLink(), await newLink()]
    assert.equal(await isSignedIn(await openedLink(used)), true)
    assert.equal(await isLinkValid(unused), true)
    await end(how, name)
    assert.equal(await isLinkValid(unused), false)
    await asOperator(broker, 'DELETE', `/${world}`)
  })

test('a person of main who is signed out everywhere has no session and no link in a copy', async () => {
  const { name } = await newUser(broker, 'main')
  const { world } = await asOperator(broker, 'POST', '/main/fork', {})
  const request = await requestOf(broker, world)
  const { browser } = await signIn(broker, request, name)
  const { url } = await asOperator(broker, 'POST', `/${world}/users/${name}/link`, {})
  const { url: ofMain } = await asOperator(broker, 'POST', `/main/users/${name}/link`, {})
  await asOperator(broker, 'DELETE', `/main/users/${name}/sessions`)
  assert.equal(await isSignedIn(browser), false)
  for (const link of [url, ofMain]) assert.equal(await isLinkValid(link), false)
  assert.equal(await opens(broker, request, name), true, 'the password stays')
  await asOperator(broker, 'DELETE', `/${world}`)
})

test('rights over the server are refused outside main', async () => {
  const { world } = await asOperator(broker, 'POST', '', {})
  const users = `/sim/v1/worlds/${world}/users`
  const { name } = await newUser(broker, world)
  for (const [method, path, body, field] of [
    ['POST', users, { name: 'other', operator: true }, 'operator'],
    ['PATCH', `${users}/${name}`, { operator: true }, 'operator'],
    ['POST', `/sim/v1/worlds/${world}/keys`, { kind: 'operator' }, 'kind'],
  ] as const) {
    const response = await callAsOperator(broker, method, path, body)
    assert.deepEqual([response.status, response.body.message.split(':')[0]], [422, field])
  }
  const link = await callAsOperator(broker, 'POST', `${users}/${name}/link`, { operator: true })
  assert.equal(link.status, 422)
  await asOperator(broker, 'DELETE', `/${world}`)
})

/** Signs a person in to a world, and returns whether that succeeded. */
async function opens(at: Broker, request: string, name: string, password?: string): Promise<boolean> {
  return isSignedIn((await signIn(at, request, name, password)).browser)
}

test('people of main sign in to every copy with the password of main, people of other worlds with a new one', async () => {
  const { world: friday } = await asOperator(broker, 'POST', '', {})
  const [ann, fay] = [await newUser(broker, 'main'), await newUser(broker, friday)]
  const fork = (await asOperator(broker, 'POST', '/main/fork', {})).world
  const twice = (await asOperator(broker, 'POST', `/${fork}/fork`, {})).world
  const file = (await loaded(broker, await save(broker, 'main'))).world
  const copy = (await asOperator(broker, 'POST', `/${friday}/fork`, {})).world
  for (const world of [fork, twice, file])
    assert.equal(await opens(broker, await requestOf(broker, world), ann.name), true, world)
  const refused = await callAsOperator(broker, 'PATCH', `/sim/v1/worlds/${fork}/users/${ann.name}`, {
    password: 'another long password',
  })
  assert.deepEqual([refused.status, /password of main/.test(refused.body.message)], [422, true])

  const requests = { [friday]: await requestOf(broker, friday), [copy]: await requestOf(broker, copy) }
  assert.equal(await opens(broker, requests[friday]!, fay.name), true)
  await asOperator(broker, 'POST', `/${friday}/reset`)
  for (const [world, request] of Object.entries(requests)) {
    assert.equal(await opens(broker, request, fay.name), false, `the password of before, in ${world}`)
    const { url } = await asOperator(broker, 'POST', `/${world}/users/${fay.name}/link`, {})
    assert.equal(await isSignedIn(await openedLink(url)), true)
    await asOperator(broker, 'PATCH', `/${world}/users/${fay.name}`, { password: 'a new long password' })
    assert.equal(await opens(broker, request, fay.name, 'a new long password'), true)
  }
  // A new password in main ends the sessions in its copies.
  const { browser } = await signIn(broker, await requestOf(broker, fork), ann.name)
  await asOperator(broker, 'PATCH', `/main/users/${ann.name}`, { password: 'the next long password' })
  assert.equal(await isSignedIn(browser), false)
  for (const world of [friday, fork, twice, file, copy]) await asOperator(broker, 'DELETE', `/${world}`)
})

test('after kill -9 a durable fork has no password, and checks that of main', async (t) => {
  const folder = newFolder()
  const start = async () => {
    const started = await startBroker(['--data', folder])
    t.after(started.kill)
    return started
  }
  const first = await start()
  const { name } = await newUser(first, 'main', { operator: true })
  await asOperator(first, 'POST', '/main/fork', { world: 'copy', durable: true })
  const request = await requestOf(first, 'copy')
  const { browser } = await signIn(first, request, name)
  await first.kill()
  const second = await start()
  const again = new Browser(second)
  for (const [cookie, value] of browser.cookies) again.cookies.set(cookie, value)
  assert.equal(await isSignedIn(again), true, 'a session survives a restart')
  assert.deepEqual(await rightsOf(second, again), [])
  await asOperator(second, 'PATCH', `/main/users/${name}`, { disabled: true })
  assert.equal(await isSignedIn(again), false)
  assert.equal(await opens(second, request, name, PASSWORD), false)
})
