import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AccountId, found, type UserId } from '@quipu/core'
import { oauthHandlers } from '@quipu/server/http/oauth/oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from '@quipu/server/http/oauth/testing/apps.ts'
import { type Called, call } from '@quipu/server/http/testing/server.ts'
import { accountEventHandlers } from '@quipu/server/http/trading/events.ts'
import { Client, openStage, type Stage } from '@quipu/server/streams/testing/sockets.ts'
import { digestOf } from './credentials.ts'
import { execute } from './issue-keys.ts'

/** Long enough for any machine; the awaited event happens far sooner, or never. */
const PATIENCE_MS = 10_000
const SCOPE = 'general trading data'

type Side = 'live' | 'paper'

/** A user with a live and a paper account, and an approved app with consent for both. */
class Scene {
  readonly stage: Stage
  readonly app: TestApp
  readonly userId: UserId
  readonly accounts: Record<Side, AccountId>

  private constructor(stage: Stage, app: TestApp, userId: UserId, accounts: Record<Side, AccountId>) {
    this.stage = stage
    this.app = app
    this.userId = userId
    this.accounts = accounts
  }

  static async open(t: { after(run: () => Promise<void>): void }): Promise<Scene> {
    const stage = await openStage({}, { handlers: { ...accountEventHandlers, ...oauthHandlers } })
    t.after(stage.close)
    const { world } = stage
    const app = await registerTestApp(world, { liveTradingApproved: true, settings: { tokenSeconds: 3600 } })
    const { userId } = await execute(world, { kind: 'addUser', name: 'Ana', password: 'none' }, 'userAdded')
    const open = async (flavour: Side) => {
      const body = { flavour, cash: '10000', user: 'Ana' }
      return (await call(stage, 'POST /v1/accounts', { key: stage.operatorKey, body })).body.id as AccountId
    }
    return new Scene(stage, app, userId, { live: await open('live'), paper: await open('paper') })
  }

  async code(sides: readonly Side[]): Promise<string> {
    const code = randomUUID()
    const accounts = Object.fromEntries(sides.map((side) => [side, this.accounts[side]]))
    const { userId, app } = this
    const asked = { userId, clientId: app.clientId, redirectUri: REDIRECT, scope: SCOPE }
    await execute(
      this.stage.world,
      { kind: 'consent', ...asked, ...accounts, code: digestOf(code) },
      'codeIssued',
    )
    return code
  }

  async token(sides: readonly Side[]): Promise<{ readonly access: string; readonly refresh: string }> {
    const { status, body } = await this.exchange(await this.code(sides))
    assert.equal(status, 200)
    return { access: body.access_token, refresh: body.refresh_token }
  }

  exchange(code: string): Promise<Called> {
    return this.form('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: REDIRECT })
  }

  refresh(token: string): Promise<Called> {
    return this.form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token })
  }

  async introspect(token: string): Promise<Called['body']> {
    return (await this.form('/oauth/introspect', { token })).body
  }

  form(path: string, fields: Record<string, string>): Promise<Called> {
    const { clientId, secret } = this.app
    const body = new URLSearchParams({ ...fields, client_id: clientId, client_secret: secret }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return call(this.stage, `POST ${path}`, { headers, body })
  }

  async change(body: object): Promise<void> {
    const { stage, app } = this
    const route = `PATCH /v1/oauth/clients/${app.clientId}`
    const changed = await call(stage, route, { key: stage.operatorKey, body })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  }

  ask(token: string, route: string, body?: unknown): Promise<Called> {
    return call(this.stage, route, { headers: { authorization: `Bearer ${token}` }, body })
  }

  /** The status of GET /v2/account, with a Host that selects one side. */
  onSide(token: string, side: Side): Promise<number | undefined> {
    const { port } = this.stage.serving
    const headers = {
      host: `${side === 'live' ? 'live.' : ''}localhost:${port}`,
      authorization: `Bearer ${token}`,
    }
    return new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/v2/account', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  }

  async dataStream(token: string) {
    const client = await Client.open(`${this.stage.wsUrl}/v2/iex`)
    await client.next()
    return { client, response: await client.request({ action: 'auth', key: 'oauth', secret: token }) }
  }

  async tradeUpdates(token: string) {
    const client = await Client.open(`${this.stage.wsUrl}/stream`)
    const response = await client.request({ action: 'authenticate', data: { oauth_token: token } })
    return { client, response: response.data.status }
  }

  async eventStream(token: string) {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    return fetch(`${this.stage.url}/v2/events/trades`, { headers })
  }

  /** Opens one connection of each kind and resolves when they end. */
  async opened(token: string): Promise<Readonly<Record<string, Promise<unknown>>>> {
    const data = await this.dataStream(token)
    assert.equal(data.response[0].msg, 'authenticated')
    const trades = await this.tradeUpdates(token)
    assert.equal(trades.response, 'authorized')
    const events = await this.eventStream(token)
    assert.equal(events.status, 200)
    return { data: data.client.closed, trades: trades.client.closed, events: events.text() }
  }
}

async function assertClosed(opened: Readonly<Record<string, Promise<unknown>>>): Promise<void> {
  for (const [what, over] of Object.entries(opened)) {
    const late = sleep(PATIENCE_MS, 'late', { ref: false })
    assert.notEqual(await Promise.race([over.then(() => 'over'), late]), 'late', `${what} was not closed`)
  }
}

for (const [how, withdraw, restore] of [
  ['approval is withdrawn', { live_trading_approved: false }, { live_trading_approved: true }],
  [
    'its user is no longer the developer of an app without approval',
    { live_trading_approved: false, developer: null },
    { developer: 'Ana' },
  ],
] as const)
  test(`when ${how}, tokens of live accounts are refused until it is restored`, async (t) => {
    const scene = await Scene.open(t)
    if ('developer' in restore) await scene.change({ live_trading_approved: false, developer: 'Ana' })
    const { access, refresh } = await scene.token(['live'])
    const code = await scene.code(['live'])
    const opened = await scene.opened(access)
    await scene.change(withdraw)
    assert.equal((await scene.ask(access, 'GET /v2/account')).status, 401)
    await assertClosed(opened)
    assert.equal((await scene.dataStream(access)).response[0].code, 402)
    assert.equal((await scene.tradeUpdates(access)).response, 'unauthorized')
    assert.equal((await scene.eventStream(access)).status, 401)
    assert.deepEqual(await scene.introspect(access), { active: false })
    assert.deepEqual(await scene.introspect(refresh), { active: false })
    for (const refused of [await scene.exchange(code), await scene.refresh(refresh)])
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
    await scene.change(restore)
    assert.equal((await scene.ask(access, 'GET /v2/account')).body.id, scene.accounts.live)
    assert.equal((await scene.refresh(refresh)).status, 200)
  })

test('when approval is withdrawn, a token of two accounts keeps working for the paper one', async (t) => {
  const scene = await Scene.open(t)
  const { access } = await scene.token(['live', 'paper'])
  assert.deepEqual([await scene.onSide(access, 'live'), await scene.onSide(access, 'paper')], [200, 200])
  const { client } = await scene.dataStream(access)
  await scene.change({ live_trading_approved: false })
  assert.deepEqual([await scene.onSide(access, 'live'), await scene.onSide(access, 'paper')], [401, 200])
  const { sub, accounts } = await scene.introspect(access)
  assert.deepEqual([sub, accounts], [scene.accounts.paper, [{ id: scene.accounts.paper, env: 'paper' }]])
  assert.deepEqual(await client.rest(), [], 'the stream of the paper account goes on')
})

test('when an app loses a scope, its tokens lose it, and their connections are closed', async (t) => {
  const scene = await Scene.open(t)
  const { access, refresh } = await scene.token(['paper'])
  const order = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'market', time_in_force: 'day' }
  const bars = 'GET /v2/stocks/AAPL/trades/latest'
  assert.equal((await scene.ask(access, 'POST /v2/orders', order)).status, 200)
  assert.equal((await scene.ask(access, bars)).status, 200)
  const opened = await scene.opened(access)
  await scene.change({ scopes: ['trading'] })
  const refused = await scene.ask(access, bars)
  assert.deepEqual(
    [refused.status, refused.headers.get('www-authenticate')],
    [401, 'Bearer error="insufficient_scope"'],
  )
  assert.equal((await scene.ask(access, 'POST /v2/orders', order)).status, 200)
  await assertClosed(opened)
  assert.equal((await scene.dataStream(access)).response[0].code, 411)
  assert.equal((await scene.tradeUpdates(access)).response, 'authorized')
  assert.equal((await scene.introspect(access)).scope, 'general trading')
  const next = await scene.refresh(refresh)
  assert.deepEqual([next.status, next.body.scope], [200, 'general trading'])
  await scene.change({ scopes: [] })
  assert.equal((await scene.ask(next.body.access_token, 'POST /v2/orders', order)).status, 401)
  assert.equal((await scene.ask(next.body.access_token, 'GET /v2/account')).status, 200)
  await scene.change({ scopes: ['trading', 'data'] })
  assert.equal((await scene.ask(next.body.access_token, bars)).status, 200)
})

test('a partner gets codes and tokens for live accounts of approved apps, and of the apps of their developer', async (t) => {
  const scene = await Scene.open(t)
  const { stage, app } = scene
  const grant = (path: string, accountId: AccountId) =>
    call(stage, `POST ${path}`, {
      key: stage.partnerKey,
      body: {
        client_id: app.clientId,
        client_secret: app.secret,
        redirect_uri: REDIRECT,
        scope: 'trading',
        account_id: accountId,
      },
    })
  const nobodys = (
    await call(stage, 'POST /v1/accounts', { key: stage.partnerKey, body: { flavour: 'live' } })
  ).body.id
  for (const path of ['/v1/oauth/authorize', '/v1/oauth/token'])
    for (const [settings, ofAna, ofNobody] of [
      [{ live_trading_approved: true, developer: null }, 200, 200],
      [{ live_trading_approved: false, developer: 'Ana' }, 200, 422],
      [{ live_trading_approved: false, developer: null }, 422, 422],
    ] as const) {
      await scene.change(settings)
      const responses = [await grant(path, scene.accounts.live), await grant(path, nobodys)]
      assert.deepEqual(
        responses.map(({ status }) => status),
        [ofAna, ofNobody],
        `${path} with ${JSON.stringify(settings)}`,
      )
      assert.equal((await grant(path, found(scene.accounts.paper, 'paper'))).status, 200)
    }
})
