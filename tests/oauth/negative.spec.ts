import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Broker, call, newWorld, startBroker } from '../broker.ts'
import { StreamClient } from '../stream-client.ts'
import { type Answer, type App, type Ask, ask, asks, REDIRECT } from './app.ts'

let broker: Broker
let world: Awaited<ReturnType<typeof newWorld>>
let other: App
before(async () => {
  // Whoever looks for holes so thoroughly is a guesser to the guards.
  broker = await startBroker([
    '--data',
    'memory',
    '--app-failed-attempts-max',
    '0',
    '--failed-attempts-max',
    '0',
  ])
  world = await newWorld(broker)
  other = await register()
})
after(() => broker.stop())

async function register(): Promise<App> {
  const { status, body } = await call(world.partner, 'POST', '/v1/oauth/clients', {
    name: 'An app',
    redirect_uri: [REDIRECT],
    token_expires_in: 600,
    refresh_expires_in: 1200,
  })
  assert.equal(status, 201)
  return { clientId: body.client_id, secret: body.client_secret }
}

async function disable({ clientId }: App): Promise<void> {
  const { status } = await call(world.partner, 'PATCH', `/v1/oauth/clients/${clientId}`, {
    status: 'DISABLED',
  })
  assert.equal(status, 200)
}

async function codeOf({ clientId, secret }: App): Promise<string> {
  const { status, body } = await call(world.partner, 'POST', '/v1/oauth/authorize', {
    client_id: clientId,
    client_secret: secret,
    redirect_uri: REDIRECT,
    scope: 'trading data',
    account_id: world.accountId,
  })
  assert.equal(status, 200)
  return body.code
}

/** What an operation is called with: what it wants, and how that is got, used up and outlived. */
type Thing = 'code' | 'refresh' | 'access'

async function make(thing: Thing, app: App): Promise<{ readonly value: string; useUp(): Promise<unknown> }> {
  const code = await codeOf(app)
  const exchange = () => ask(broker, asks.exchange(app, code))
  if (thing === 'code') return { value: code, useUp: exchange }
  const { body } = await exchange()
  if (thing === 'access') return { value: body.access_token, useUp: exchange }
  const value = body.refresh_token
  const useUp = async () => {
    await ask(broker, asks.refresh(app, value))
    // For ten seconds it would yield one more pair.
    await world.advance('10s')
  }
  return { value, useUp }
}

const lives: Record<Thing, string> = { code: '61s', access: '601s', refresh: '1201s' }

/** How a call is made, and what it comes to in a word. Under the name of the live side a token acts for live accounts. */
type Way = {
  readonly thing: Thing
  readonly call: (app: App, value: string | undefined, isLive: boolean) => Promise<string>
}

const brief = ({ status, body }: Answer): string =>
  `${status}${body?.error ? ` ${body.error}` : ''}${body?.active === undefined ? '' : ` ${body.active}`}`

const without = (asked: Ask, field: string): Ask => ({
  ...asked,
  body: [...new URLSearchParams(asked.body)]
    .filter(([name]) => name !== field)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&'),
})

const formOf =
  (thing: Thing, field: string, asking: (app: App, value: string) => Ask): Way['call'] =>
  async (app, value) => {
    const asked = asking(app, value ?? 'none')
    const answer = await ask(broker, value === undefined ? without(asked, field) : asked)
    assert.equal(answer.headers['cache-control'], 'no-store', thing)
    if (answer.status >= 400) assert.ok(answer.body.error_description)
    return brief(answer)
  }

async function onStream(path: string, frames: number, message: unknown, isLive: boolean): Promise<string> {
  const client = await StreamClient.open(broker.url + path, isLive ? { Host: 'api.localhost' } : {})
  try {
    for (let n = 0; n < frames; n++) await client.next()
    return JSON.stringify(await client.request(message))
  } finally {
    client.socket.terminate()
  }
}

const ways: Readonly<Record<string, Way>> = {
  'token by code': { thing: 'code', call: formOf('code', 'code', asks.exchange) },
  refresh: { thing: 'refresh', call: formOf('refresh', 'refresh_token', asks.refresh) },
  revoke: { thing: 'access', call: formOf('access', 'token', asks.revoke) },
  introspect: { thing: 'access', call: formOf('access', 'token', asks.introspect) },
  'Bearer REST': {
    thing: 'access',
    async call(_, value, isLive) {
      const { headers = {}, ...asked } = asks.account(value ?? '')
      const host: Record<string, string> = isLive ? { host: 'api.localhost' } : {}
      const answer = await ask(broker, { ...asked, headers: { ...(value ? headers : {}), ...host } })
      if (answer.status === 401) {
        assert.deepEqual([answer.body.code, answer.body.message], [40110000, 'unauthorized.'])
        const wanted = value ? 'Bearer error="invalid_token"' : 'Bearer, Basic realm="alpaca.markets"'
        assert.equal(answer.headers['www-authenticate'], wanted)
      }
      return brief(answer)
    },
  },
  '/stream': {
    thing: 'access',
    async call(_, value, isLive) {
      const data = value === undefined ? {} : { oauth_token: value }
      const said = await onStream('/stream', 0, { action: 'authenticate', data }, isLive)
      return JSON.parse(said).data.status
    },
  },
  'data stream': {
    thing: 'access',
    async call(_, value, isLive) {
      const secret = value === undefined ? {} : { secret: value }
      const said = await onStream('/v2/iex', 1, { action: 'auth', key: 'oauth', ...secret }, isLive)
      const [{ T, code }] = JSON.parse(said)
      return T === 'success' ? 'authenticated' : String(code)
    },
  },
}

/** How what is brought is wrong, and the call that is then made. A bearer is foreign on the side it has no account on. */
const wrongs: Readonly<Record<string, (way: Way) => Promise<string>>> = {
  async good(way) {
    const app = await register()
    return way.call(app, (await make(way.thing, app)).value, false)
  },
  async missing(way) {
    return way.call(await register(), undefined, false)
  },
  async wrong(way) {
    return way.call(await register(), randomUUID(), false)
  },
  async foreign(way) {
    const { value } = await make(way.thing, other)
    const said = await way.call(await register(), value, true)
    // Whose it is has lost nothing by it.
    if (way.thing === 'access') assert.equal((await ask(broker, asks.account(value))).status, 200)
    return said
  },
  async expired(way) {
    const app = await register()
    const { value } = await make(way.thing, app)
    assert.equal((await world.advance(lives[way.thing])).status, 200)
    return way.call(app, value, false)
  },
  async replayed(way) {
    const app = await register()
    const { value, useUp } = await make(way.thing, app)
    await useUp()
    return way.call(app, value, false)
  },
  async disabled(way) {
    const app = await register()
    const { value } = await make(way.thing, app)
    await disable(app)
    return way.call(app, value, false)
  },
}

const gone = '400 invalid_grant'
const [unnamed, refused] = ['400 invalid_request', '401 invalid_client']
const out = 'unauthorized'
// biome-ignore format: a table is read by its columns
const rows: Readonly<Record<string, readonly string[]>> = {
  //               good             missing  wrong        foreign      expired      replayed     disabled
  'token by code': ['200',           unnamed, gone,        gone,        gone,        gone,        refused],
  refresh:         ['200',           unnamed, gone,        gone,        gone,        gone,        refused],
  revoke:          ['200',           unnamed, '200',       '200',       '200',       '200',       refused],
  introspect:      ['200 true',      unnamed, '200 false', '200 false', '200 false', '200 false', refused],
  'Bearer REST':   ['200',           '401',   '401',       '401',       '401',       '401',       '401'],
  '/stream':       ['authorized',    out,     out,         out,         out,         out,         out],
  'data stream':   ['authenticated', '400',   '402',       '402',       '402',       '402',       '402'],
}

for (const [operation, way] of Object.entries(ways))
  for (const [column, [wrong, run]] of Object.entries(wrongs).entries()) {
    const then = rows[operation]?.[column]
    test(`${operation}, ${wrong}: ${then}`, async () => assert.equal(await run(way), then))
  }

const doubts: Readonly<Record<string, (app: App) => Promise<Readonly<Record<string, string | undefined>>>>> =
  {
    'no app': async () => ({ client_id: undefined, client_secret: undefined }),
    'an app nobody has': async () => ({ client_id: '0'.repeat(32) }),
    'no secret': async () => ({ client_secret: undefined }),
    'a wrong secret': async () => ({ client_secret: 'a guess' }),
    "another app's secret": async () => ({ client_secret: other.secret }),
    'a secret that has ended': async ({ clientId }) => {
      const path = `/v1/oauth/clients/${clientId}/secrets`
      const { status } = await call(world.partner, 'POST', path, { others_expire_in: 60 })
      assert.equal(status, 201)
      await world.advance('59s')
      return {}
    },
    'an app that is disabled': async (app) => {
      await disable(app)
      return {}
    },
    'an app that was deleted': async ({ clientId }) => {
      assert.equal((await call(world.partner, 'DELETE', `/v1/oauth/clients/${clientId}`)).status, 204)
      return {}
    },
  }

for (const [doubt, patchOf] of Object.entries(doubts))
  test(`${doubt} is one and the same 401 wherever an app calls`, async () => {
    const app = await register()
    const [code, refresh, access] = [
      (await make('code', app)).value,
      (await make('refresh', app)).value,
      (await make('access', app)).value,
    ]
    const patch = await patchOf(app)
    if (doubt === 'a secret that has ended') {
      // Until then it serves, and the things that are brought are good.
      assert.equal((await ask(broker, asks.introspect(app, access))).body.active, true)
      await world.advance('1s')
    }
    const bodies = new Set<string>()
    for (const asked of [
      asks.exchange(app, code),
      asks.refresh(app, refresh),
      asks.revoke(app, access),
      asks.introspect(app, access),
    ]) {
      const form = new URLSearchParams(asked.body)
      for (const [name, value] of Object.entries(patch))
        if (value === undefined) form.delete(name)
        else form.set(name, value)
      const { status, body, headers } = await ask(broker, { ...asked, body: String(form) })
      assert.equal(status, 401)
      assert.match(headers['www-authenticate'] ?? '', /^Basic /)
      assert.equal(headers['x-quipu-world'], undefined)
      bodies.add(JSON.stringify(body))
    }
    assert.equal(bodies.size, 1)
    assert.equal(JSON.parse([...bodies][0]!).error, 'invalid_client')
  })
