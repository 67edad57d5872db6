import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Broker, call, newWorld, startBroker } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { type App, type AppRequest, type AppResponse, REDIRECT, requests, send } from './app.ts'

let broker: Broker
let world: Awaited<ReturnType<typeof newWorld>>
let other: App
before(async () => {
  // These tests make many failed attempts, so the limits are off.
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

/** The credential of an operation. */
type Credential = 'code' | 'refresh' | 'access'

async function make(
  credential: Credential,
  app: App,
): Promise<{ readonly value: string; useUp(): Promise<unknown> }> {
  const code = await codeOf(app)
  const exchange = () => send(broker, requests.exchange(app, code))
  if (credential === 'code') return { value: code, useUp: exchange }
  const { body } = await exchange()
  if (credential === 'access') return { value: body.access_token, useUp: exchange }
  const value = body.refresh_token
  const useUp = async () => {
    await send(broker, requests.refresh(app, value))
    // For ten seconds a used refresh token gives one more pair.
    await world.advance('10s')
  }
  return { value, useUp }
}

const lifetimes: Record<Credential, string> = { code: '61s', access: '601s', refresh: '1201s' }

/** The credential of a call, and the call, which returns a short result. On the live host a token acts for live accounts. */
type OperationCall = {
  readonly credential: Credential
  readonly call: (app: App, value: string | undefined, isLive: boolean) => Promise<string>
}

const brief = ({ status, body }: AppResponse): string =>
  `${status}${body?.error ? ` ${body.error}` : ''}${body?.active === undefined ? '' : ` ${body.active}`}`

const without = (request: AppRequest, field: string): AppRequest => ({
  ...request,
  body: [...new URLSearchParams(request.body)]
    .filter(([name]) => name !== field)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&'),
})

const formOf =
  (
    credential: Credential,
    field: string,
    requestFor: (app: App, value: string) => AppRequest,
  ): OperationCall['call'] =>
  async (app, value) => {
    const request = requestFor(app, value ?? 'none')
    const response = await send(broker, value === undefined ? without(request, field) : request)
    assert.equal(response.headers['cache-control'], 'no-store', credential)
    if (response.status >= 400) assert.ok(response.body.error_description)
    return brief(response)
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

const operationCalls: Readonly<Record<string, OperationCall>> = {
  'token by code': { credential: 'code', call: formOf('code', 'code', requests.exchange) },
  refresh: { credential: 'refresh', call: formOf('refresh', 'refresh_token', requests.refresh) },
  revoke: { credential: 'access', call: formOf('access', 'token', requests.revoke) },
  introspect: { credential: 'access', call: formOf('access', 'token', requests.introspect) },
  'Bearer REST': {
    credential: 'access',
    async call(_, value, isLive) {
      const { headers = {}, ...request } = requests.account(value ?? '')
      const host: Record<string, string> = isLive ? { host: 'api.localhost' } : {}
      const response = await send(broker, { ...request, headers: { ...(value ? headers : {}), ...host } })
      if (response.status === 401) {
        assert.deepEqual([response.body.code, response.body.message], [40110000, 'unauthorized.'])
        const wanted = value ? 'Bearer error="invalid_token"' : 'Bearer, Basic realm="alpaca.markets"'
        assert.equal(response.headers['www-authenticate'], wanted)
      }
      return brief(response)
    },
  },
  '/stream': {
    credential: 'access',
    async call(_, value, isLive) {
      const data = value === undefined ? {} : { oauth_token: value }
      const result = await onStream('/stream', 0, { action: 'authenticate', data }, isLive)
      return JSON.parse(result).data.status
    },
  },
  'data stream': {
    credential: 'access',
    async call(_, value, isLive) {
      const secret = value === undefined ? {} : { secret: value }
      const result = await onStream('/v2/iex', 1, { action: 'auth', key: 'oauth', ...secret }, isLive)
      const [{ T, code }] = JSON.parse(result)
      return T === 'success' ? 'authenticated' : String(code)
    },
  },
}

/** The kinds of credentials, and the call with each. A token is foreign on a host for which it has no account. */
const kinds: Readonly<Record<string, (operationCall: OperationCall) => Promise<string>>> = {
  async good(operationCall) {
    const app = await register()
    return operationCall.call(app, (await make(operationCall.credential, app)).value, false)
  },
  async missing(operationCall) {
    return operationCall.call(await register(), undefined, false)
  },
  async wrong(operationCall) {
    return operationCall.call(await register(), randomUUID(), false)
  },
  async foreign(operationCall) {
    const { value } = await make(operationCall.credential, other)
    const result = await operationCall.call(await register(), value, true)
    // The token still works for its owner.
    if (operationCall.credential === 'access')
      assert.equal((await send(broker, requests.account(value))).status, 200)
    return result
  },
  async expired(operationCall) {
    const app = await register()
    const { value } = await make(operationCall.credential, app)
    assert.equal((await world.advance(lifetimes[operationCall.credential])).status, 200)
    return operationCall.call(app, value, false)
  },
  async replayed(operationCall) {
    const app = await register()
    const { value, useUp } = await make(operationCall.credential, app)
    await useUp()
    return operationCall.call(app, value, false)
  },
  async disabled(operationCall) {
    const app = await register()
    const { value } = await make(operationCall.credential, app)
    await disable(app)
    return operationCall.call(app, value, false)
  },
}

const [missing, invalid, refused] = ['400 invalid_request', '400 invalid_grant', '401 invalid_client']
const denied = 'unauthorized'
// biome-ignore format: a table is read by its columns
const rows: Readonly<Record<string, readonly string[]>> = {
  //               good             missing  wrong        foreign      expired      replayed     disabled
  'token by code': ['200',           missing, invalid,     invalid,     invalid,     invalid,     refused],
  refresh:         ['200',           missing, invalid,     invalid,     invalid,     invalid,     refused],
  revoke:          ['200',           missing, '200',       '200',       '200',       '200',       refused],
  introspect:      ['200 true',      missing, '200 false', '200 false', '200 false', '200 false', refused],
  'Bearer REST':   ['200',           '401',   '401',       '401',       '401',       '401',       '401'],
  '/stream':       ['authorized',    denied,  denied,      denied,      denied,      denied,      denied],
  'data stream':   ['authenticated', '400',   '402',       '402',       '402',       '402',       '402'],
}

for (const [operation, operationCall] of Object.entries(operationCalls))
  for (const [column, [kind, run]] of Object.entries(kinds).entries()) {
    const expected = rows[operation]?.[column]
    test(`${operation}, ${kind}: ${expected}`, async () => assert.equal(await run(operationCall), expected))
  }

const clientFailures: Readonly<
  Record<string, (app: App) => Promise<Readonly<Record<string, string | undefined>>>>
> = {
  'no client id': async () => ({ client_id: undefined, client_secret: undefined }),
  'an unknown app': async () => ({ client_id: '0'.repeat(32) }),
  'no secret': async () => ({ client_secret: undefined }),
  'a wrong secret': async () => ({ client_secret: 'a guess' }),
  "another app's secret": async () => ({ client_secret: other.secret }),
  'an expired secret': async ({ clientId }) => {
    const path = `/v1/oauth/clients/${clientId}/secrets`
    const { status } = await call(world.partner, 'POST', path, { others_expire_in: 60 })
    assert.equal(status, 201)
    await world.advance('59s')
    return {}
  },
  'a disabled app': async (app) => {
    await disable(app)
    return {}
  },
  'a deleted app': async ({ clientId }) => {
    assert.equal((await call(world.partner, 'DELETE', `/v1/oauth/clients/${clientId}`)).status, 204)
    return {}
  },
}

for (const [failure, patchOf] of Object.entries(clientFailures))
  test(`${failure}: the same 401 from every operation of apps`, async () => {
    const app = await register()
    const [code, refresh, access] = [
      (await make('code', app)).value,
      (await make('refresh', app)).value,
      (await make('access', app)).value,
    ]
    const patch = await patchOf(app)
    if (failure === 'an expired secret') {
      // Until the expiry the secret works.
      assert.equal((await send(broker, requests.introspect(app, access))).body.active, true)
      await world.advance('1s')
    }
    const bodies = new Set<string>()
    for (const request of [
      requests.exchange(app, code),
      requests.refresh(app, refresh),
      requests.revoke(app, access),
      requests.introspect(app, access),
    ]) {
      const form = new URLSearchParams(request.body)
      for (const [name, value] of Object.entries(patch))
        if (value === undefined) form.delete(name)
        else form.set(name, value)
      const { status, body, headers } = await send(broker, { ...request, body: String(form) })
      assert.equal(status, 401)
      assert.match(headers['www-authenticate'] ?? '', /^Basic /)
      assert.equal(headers['x-quipu-world'], undefined)
      bodies.add(JSON.stringify(body))
    }
    assert.equal(bodies.size, 1)
    assert.equal(JSON.parse([...bodies][0]!).error, 'invalid_client')
  })
