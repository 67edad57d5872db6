import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { execute, seedWorld } from '@quipu/broker/access/issue-keys.ts'
import type { AccountId, Money, WorldId } from '@quipu/core'
import { registerTestApp } from '../http/oauth/testing/apps.ts'
import { addUser, authorizeQuery, Browser, openPages } from '../http/oauth/testing/pages.ts'
import { callWith, drop, raise, signedIn, tokenFor } from '../http/oauth/testing/session.ts'
import { readingHandlers } from '../http/reading/index.ts'
import { readSse } from '../http/reading/testing/reading.ts'
import { OPEN_MONDAY } from '../http/testing/server.ts'
import { openStreams, type RunningStreams } from './index.ts'
import { Client } from './testing/sockets.ts'

let streams: RunningStreams | undefined
const scene = await openPages(
  {},
  { handlers: readingHandlers, upgrade: (...args) => streams!.upgrade(...args) },
)
streams = openStreams(scene.services)
const { worlds } = scene.services
after(async () => {
  await streams.close()
  await scene.close()
})
await addUser(scene.world, 'Olga', [], true)

/** A world with one account. */
async function addWorld(name: string) {
  // The same seed would give the same ids.
  const settings = { ...scene.world.view.settings!, seed: name }
  const { world } = await worlds.lifecycle.create(name as WorldId, settings, OPEN_MONDAY)
  const { accounts } = await seedWorld(world, { accounts: ['paper'], cash: 5_000_000_000_000n as Money })
  return { world, accountId: accounts[0]!.account.id }
}
const { accountId } = await addWorld('other')

async function operator(): Promise<Browser> {
  const browser = await signedIn(scene, 'Olga')
  await raise(browser)
  return browser
}

async function granted(browser: Browser, body: object): Promise<string> {
  const { status, body: response } = await tokenFor(scene, browser, body)
  assert.equal(status, 200, JSON.stringify(response))
  return response.access_token
}

const inOther = { account_id: accountId, world: 'other' }
const UNKNOWN = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'

test('an operator trades for an account of another world', async () => {
  const browser = await operator()
  const { body, headers } = await tokenFor(scene, browser, inOther)
  assert.equal(headers.get('x-quipu-world'), 'other')
  const account = await callWith(scene, body.access_token)
  assert.deepEqual(
    [account.body.id, account.body.cash, account.headers.get('x-quipu-world')],
    [accountId, '5000', 'other'],
  )
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await callWith(scene, body.access_token, 'POST /v2/orders', order)).status, 200)
  assert.equal((await callWith(scene, body.access_token, 'GET /v2/orders')).body.length, 1)
  assert.equal((await callWith(scene, body.access_token, 'GET /v2/positions')).status, 200)
  assert.equal((await callWith(scene, body.access_token, 'GET /v2/account/portfolio/history')).status, 200)
  assert.equal((await callWith(scene, body.access_token, 'GET /sim/v1/worlds/other/partners')).status, 403)
})

test('an operator token of another world is a partner credential there', async () => {
  const token = await granted(await operator(), { operator: true, world: 'other' })
  const accounts = (await callWith(scene, token, 'GET /v1/accounts')).body
  assert.deepEqual(
    accounts.map(({ id }: { id: string }) => id),
    [accountId],
  )
  assert.equal((await callWith(scene, token, 'GET /sim/v1/worlds/lab/partners')).status, 200)
})

test('read-only tokens of another world read and change nothing', async () => {
  const browser = await operator()
  const account = await granted(browser, { ...inOther, read_only: true })
  const reader = await granted(browser, { operator: true, world: 'other', read_only: true })
  assert.equal((await callWith(scene, account)).status, 200)
  for (const path of ['accounts', 'orders', 'events', 'balances', 'requests', 'sockets', 'market-events'])
    assert.equal((await callWith(scene, reader, `GET /sim/v1/worlds/other/${path}`)).status, 200, path)
  for (const [token, route] of [
    [account, 'POST /v2/orders'],
    [account, 'DELETE /v2/orders'],
    [reader, 'POST /sim/v1/worlds/other/keys'],
  ] as const) {
    const { status, body } = await callWith(scene, token, route)
    assert.deepEqual([status, body.reason], [403, 'readOnlyToken'], route)
  }
})

test('with a named world, an operator also gets accounts of other users; without, only own accounts', async () => {
  const browser = await operator()
  assert.equal((await tokenFor(scene, browser, { account_id: scene.paper })).status, 404)
  const token = await granted(browser, { account_id: scene.paper, world: 'lab' })
  assert.equal((await callWith(scene, token)).body.id, scene.paper)
})

const notFound = [404, 'accountNotFound'] as const
const noWorld = [404, 'worldNotFound'] as const
const forbidden = [403, 'forbidden'] as const
const desk = { operator: true, world: 'other' }
for (const [user, openSession, refusals] of [
  [
    'a user who is not an operator',
    () => signedIn(scene),
    [
      [inOther, ...forbidden],
      [desk, ...forbidden],
      [{ ...inOther, world: 'none' }, ...forbidden],
    ],
  ],
  [
    'an operator without raised rights',
    () => signedIn(scene, 'Olga'),
    [
      [inOther, 403, 'operatorRightsNotRaised'],
      [desk, 403, 'operatorRightsNotRaised'],
    ],
  ],
  [
    'an operator with raised rights',
    operator,
    [
      [{ ...inOther, world: 'none' }, ...noWorld],
      [{ ...desk, world: 'none' }, ...noWorld],
      [{ ...inOther, account_id: UNKNOWN }, ...notFound],
      [{ ...inOther, world: 'lab' }, ...notFound],
      [{ ...inOther, world: 7 }, 422, 'invalidParameter'],
      [{ ...inOther, world: 'w'.repeat(65) }, 422, 'invalidParameter'],
    ],
  ],
] as const)
  test(`tokens of another world that are refused to ${user}`, async () => {
    const browser = await openSession()
    for (const [body, status, reason] of refusals) {
      const refused = await tokenFor(scene, browser, body)
      assert.deepEqual([refused.status, refused.body.reason], [status, reason], JSON.stringify(body))
      if (status === 422) assert.match(refused.body.message, /world/)
    }
  })

test('an owner needs no operator rights to name the world of the session', async () => {
  const token = await granted(await signedIn(scene), { account_id: scene.paper, world: 'lab' })
  assert.equal((await callWith(scene, token)).body.id, scene.paper)
})

async function openData(token: string): Promise<Client> {
  const data = await Client.open(`${scene.url.replace('http', 'ws')}/v2/iex`)
  await data.next()
  const response = await data.request({ action: 'auth', key: 'oauth', secret: token })
  assert.equal(response[0].msg, 'authenticated')
  return data
}

/** The streams of both tokens: trade updates, market data and server-sent events. */
async function openAll(account: string, operator: string) {
  const trades = await Client.open(`${scene.url.replace('http', 'ws')}/stream`)
  const authorized = await trades.request({ action: 'authenticate', data: { oauth_token: account } })
  assert.equal(authorized.data.status, 'authorized')
  const sockets = [trades, await openData(account), await openData(operator)]
  const events = await readSse(scene, '/sim/v1/worlds/other/events', { token: operator })
  const updates = await readSse(scene, '/v2/events/trades', { token: account })
  const closed = [...sockets.map((socket) => socket.closed), events.ended(), updates.ended()]
  return { trades, closed }
}

const ends: readonly (readonly [string, (browser: Browser) => Promise<unknown>])[] = [
  ['drops the rights', drop],
  ['signs out', async (browser) => browser.submit(await browser.get('/oauth/apps'), '/oauth/sign-out')],
]
for (const [event, end] of ends)
  test(`tokens and streams of another world end when the operator ${event}`, async () => {
    const browser = await operator()
    const account = await granted(browser, inOther)
    const token = await granted(browser, desk)
    const { trades, closed } = await openAll(account, token)
    await trades.request({ action: 'listen', data: { streams: ['trade_updates'] } })
    const order = {
      symbol: 'AAPL',
      qty: '1',
      side: 'buy',
      type: 'limit',
      limit_price: '1',
      time_in_force: 'day',
    }
    await callWith(scene, account, 'POST /v2/orders', order)
    assert.equal((await trades.next()).stream, 'trade_updates')
    await end(browser)
    assert.equal((await callWith(scene, account)).status, 401)
    assert.equal((await callWith(scene, token, 'GET /sim/v1/worlds/other/partners')).status, 401)
    await Promise.all(closed)
  })

test('a token ends with its account and with its world', async () => {
  const browser = await operator()
  const brief = await addWorld('brief')
  const token = await granted(browser, { account_id: brief.accountId, world: 'brief' })
  const partner = await granted(browser, { operator: true, world: 'brief' })
  const close = { kind: 'closeAccount', accountId: brief.accountId as AccountId, empty: true } as const
  await execute(brief.world, close, 'accountClosed')
  assert.equal((await callWith(scene, token)).status, 401)
  assert.equal((await callWith(scene, partner, 'GET /v1/accounts')).status, 200)
  await worlds.lifecycle.delete('brief' as WorldId)
  assert.equal((await callWith(scene, partner, 'GET /v1/accounts')).status, 401)
})

test('deleting the world of the session closes its streams in other worlds', async () => {
  const { world: home } = await addWorld('home')
  home.access.hasOperators = true
  await addUser(home, 'Hanna', [], true)
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery({ app: await registerTestApp(home) }), 'Hanna')
  await raise(browser)
  const { closed } = await openAll(await granted(browser, inOther), await granted(browser, desk))
  await worlds.lifecycle.delete('home' as WorldId)
  await Promise.all(closed)
})
