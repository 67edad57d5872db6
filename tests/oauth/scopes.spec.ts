import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { examples, type Operation, type OperationName, operations, routes } from '@quipu/contract'
import { WebSocket } from 'ws'
import { prepare, type RequestParts } from '../../sdk/src/request.ts'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'
import { joinAsParticipant, REDIRECT } from './app.ts'

/** Granted scopes, and the scopes that they allow besides reading. */
const grants = {
  '': [],
  general: [],
  'account:write': ['account:write'],
  trading: ['trading'],
  data: ['data'],
  tokenization: ['tokenization'],
  'account:write trading data tokenization': ['account:write', 'trading', 'data', 'tokenization'],
} as const
type Granted = keyof typeof grants
const granted = Object.keys(grants) as readonly Granted[]

let world: Awaited<ReturnType<typeof newWorld>>
const tokens = new Map<Granted, string>()

before(async () => {
  // The clock of this world is frozen, so only requests change the journal.
  world = await newWorld(broker)
  const { body: app } = await call(world.partner, 'POST', '/v1/oauth/clients', {
    name: 'An app',
    redirect_uri: [REDIRECT],
    scopes: ['account:write', 'trading', 'data', 'tokenization'],
  })
  for (const scope of granted) {
    const { body } = await call(world.partner, 'POST', '/v1/oauth/token', {
      client_id: app.client_id,
      client_secret: app.client_secret,
      redirect_uri: REDIRECT,
      scope,
      account_id: world.accountId,
    })
    tokens.set(scope, body.access_token)
    // The first use of a grant is recorded once.
    assert.equal((await sendExample('getAccount', body.access_token)).status, 200)
  }
})

type ScopedResponse = { readonly status: number; readonly headers: Headers; readonly body: Body }

/** Sends the example of an operation with a token, and closes an event stream. */
async function sendExample(name: OperationName, token: string): Promise<ScopedResponse> {
  const { method, path, headers, body } = prepare(routes[name], examples[name].input as RequestParts)
  const response = await fetch(broker.url + path, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('event-stream')) await response.body?.cancel()
  const text = type.includes('event-stream') ? '' : await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: type.includes('json') ? JSON.parse(text) : text,
  }
}

/** The head of the journal of the world. */
async function head(): Promise<unknown> {
  const { status, body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/journal`)
  assert.equal(status, 200)
  return body
}

type Expected = 'allowed' | 'insufficient scope' | 'forbidden' | 'unauthorized'

/** The expected result from the contract. */
function expectedOf({ family, who, scope }: Operation, has: readonly string[]): Expected {
  if (!who.includes('account')) return family === 'broker' ? 'unauthorized' : 'forbidden'
  if (scope === 'read' || has.includes(scope)) return 'allowed'
  return family === 'tokenization' || scope === 'never' ? 'forbidden' : 'insufficient scope'
}

const refusals = new Set(['unauthorized', 'unauthorizedTokenization', 'insufficientScope', 'forbidden'])

/** The result of a response; any response except a refusal of the token means allowed. */
function resultOf({ status, headers, body }: ScopedResponse): Expected {
  if (!refusals.has(body?.reason)) return 'allowed'
  if (body.reason === 'forbidden') {
    assert.deepEqual([status, body.code], [403, 40310000])
    return 'forbidden'
  }
  assert.deepEqual([status, body.code], [401, 40110000])
  const challenge = headers.get('www-authenticate')
  if (body.reason === 'unauthorized') {
    assert.equal(challenge, 'Bearer error="invalid_token"')
    return 'unauthorized'
  }
  assert.equal(body.message, 'token is not authorized for this scope')
  assert.equal(challenge, 'Bearer error="insufficient_scope"')
  return 'insufficient scope'
}

for (const [name, operation] of Object.entries<Operation>(operations) as [OperationName, Operation][]) {
  const { method, path, scope, who } = operation
  if (who.includes('anyone')) continue
  test(`${method} ${path} (${scope}): a token is allowed exactly what it was granted`, async () => {
    const before = await head()
    const isAllowed = (one: Granted) => expectedOf(operation, grants[one]) === 'allowed'
    // If no scope makes a difference, the tokens with none and with all of them show it.
    const isSame = granted.every((one) => isAllowed(one) === isAllowed(''))
    const asked = isSame && !hasAllCases ? [granted[0]!, granted.at(-1)!] : granted
    const refused = asked.filter((one) => !isAllowed(one))
    const allowed = asked.filter(isAllowed)
    for (const one of refused)
      assert.equal(
        resultOf(await sendExample(name, tokens.get(one)!)),
        expectedOf(operation, grants[one]),
        one,
      )
    assert.deepEqual(await head(), before, 'a refused call changed something')
    for (const one of allowed)
      assert.equal(resultOf(await sendExample(name, tokens.get(one)!)), 'allowed', one)
  })
}

test('a token cannot call operations for partners and operators', () => {
  const open = Object.entries<Operation>(operations)
    .filter(([, { path }]) => path.startsWith('/sim/v1/') || path.startsWith('/v1/'))
    .filter(([, operation]) =>
      granted.some(
        (one) => expectedOf(operation, grants[one]) === 'allowed' && !operation.who.includes('anyone'),
      ),
    )
    .map(([name]) => name)
  // These operations for accounts have paths under /v1.
  assert.deepEqual(open.sort(), [
    'corporateActions',
    'createLocate',
    'getLocate',
    'listLocateQuotes',
    'listLocates',
  ])
})

test('the scope of each kind of operation', () => {
  const rows: readonly (readonly [RegExp, string])[] = [
    // A preview places no order.
    [/^POST \/v2\/orders\/preview$/, 'read'],
    [/^(POST|PATCH|DELETE) \/v2\/(orders|positions)/, 'trading'],
    [/^(POST|DELETE) \/v2\/wallets\//, 'trading'],
    [/^POST \/v1\/locates/, 'trading'],
    [/^(POST|PUT|DELETE) \/v2\/watchlists/, 'account:write'],
    [/^PATCH \/v2\/account\/configurations/, 'account:write'],
    [/^POST \/v2\/tokenization\//, 'tokenization'],
    [/^\w+ \/sim\/v1\//, 'never'],
  ]
  for (const { method, path, scope, family, who } of Object.values<Operation>(operations)) {
    const row = rows.find(([pattern]) => pattern.test(`${method} ${path}`))
    const isForAccounts = who.includes('account')
    const expected = row?.[1] ?? (family === 'data' ? 'data' : isForAccounts ? 'read' : 'never')
    assert.equal(scope, expected, `${method} ${path}`)
    if (scope === 'read' && row === undefined) assert.equal(method, 'GET', path)
  }
})

test('only a token that may trade takes part in the steps of the clock', async () => {
  for (const scope of granted)
    assert.equal(
      await joinAsParticipant(broker, { authorization: `Bearer ${tokens.get(scope)}` }),
      scope.includes('trading') ? 'joined' : 'refused',
      scope,
    )
})

const socketOf = (path: string, headers: Record<string, string>): WebSocket =>
  new WebSocket(broker.url.replace('http', 'ws') + path, { headers })
const readerHeaders = () => ({ authorization: `Bearer ${tokens.get('data')}` })

async function replay(): Promise<Body> {
  const { body: clock } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/clock`)
  const to = new Date(Date.parse(clock.now) + 60_000).toISOString()
  const path = `/sim/v1/worlds/${world.world}/clock/replay`
  return (await callAsOperator(broker, 'POST', path, { to, step: '1m', sessions: 'all', within: '15s' })).body
}

test('a replay does not wait for an acknowledgement of a token that may not trade', async () => {
  const stream = socketOf('/v2/sip?acknowledge=true', readerHeaders())
  await once(stream, 'message')
  const { finished, mode } = await replay()
  stream.terminate()
  assert.deepEqual({ finished, mode }, { finished: true, mode: 'best_effort' })
})

test('messages of a token that may not trade hold back a replay for a limited time', async () => {
  const stream = socketOf('/v2/sip', readerHeaders())
  await once(stream, 'message')
  stream.on('ping', () => stream.send(JSON.stringify({ action: 'subscribe', bars: ['AAPL'] })))
  const { finished } = await replay()
  stream.terminate()
  assert.equal(finished, true)
})

test('requests of a token that may not trade hold back a replay for a limited time', async () => {
  const { keyId, secretKey } = world
  const stream = socketOf('/v2/sip', { 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey })
  await once(stream, 'message')
  const ending = new AbortController()
  const sendAlways = async (): Promise<void> => {
    while (!ending.signal.aborted)
      await (await fetch(`${broker.url}/v2/account`, { headers: readerHeaders() })).arrayBuffer()
  }
  const sending = Array.from({ length: 2 }, sendAlways)
  const { finished } = await replay()
  ending.abort()
  await Promise.all(sending)
  stream.terminate()
  assert.equal(finished, true)
})
