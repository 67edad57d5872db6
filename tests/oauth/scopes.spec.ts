import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { examples, type Operation, type OperationName, operations, routes } from '@quipu/contract'
import { prepare, type RequestParts } from '../../sdk/src/request.ts'
import { type Body, call, callAsOperator, newWorld } from '../broker.ts'
import { broker } from '../shared-broker.ts'
import { REDIRECT } from './app.ts'

/** What a token may have been granted, and what it then may do beyond reading. */
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
  // Its clock stands still: whatever changes there, a call has changed.
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
    // That an app acts at all is noted once.
    assert.equal((await asked('getAccount', body.access_token)).status, 200)
  }
})

type Answer = { readonly status: number; readonly headers: Headers; readonly body: Body }

/** The operation's example, sent with a token. What would stay open is left. */
async function asked(name: OperationName, token: string): Promise<Answer> {
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

/** Where the world's journal ends. */
async function head(): Promise<unknown> {
  const { status, body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/journal`)
  assert.equal(status, 200)
  return body
}

type Expected = 'let in' | 'insufficient scope' | 'forbidden' | 'unauthorized'

/** What the contract says. */
function expectedOf({ family, who, scope }: Operation, has: readonly string[]): Expected {
  if (!who.includes('account')) return family === 'broker' ? 'unauthorized' : 'forbidden'
  if (scope === 'read' || has.includes(scope)) return 'let in'
  return family === 'tokenization' || scope === 'never' ? 'forbidden' : 'insufficient scope'
}

const refusals = new Set(['unauthorized', 'unauthorizedTokenization', 'insufficientScope', 'forbidden'])

/** What an answer says of the token; anything but a refusal of it is an answer to the call itself. */
function saidBy({ status, headers, body }: Answer): Expected {
  if (!refusals.has(body?.reason)) return 'let in'
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
  test(`${method} ${path} (${scope}): a token is let in exactly as far as it was granted`, async () => {
    const before = await head()
    const refused = granted.filter((one) => expectedOf(operation, grants[one]) !== 'let in')
    const allowed = granted.filter((one) => !refused.includes(one))
    for (const one of refused)
      assert.equal(saidBy(await asked(name, tokens.get(one)!)), expectedOf(operation, grants[one]), one)
    assert.deepEqual(await head(), before, 'a refused call changed something')
    for (const one of allowed) assert.equal(saidBy(await asked(name, tokens.get(one)!)), 'let in', one)
  })
}

test('of what is for partners and operators, nothing is open to a token', () => {
  const open = Object.entries<Operation>(operations)
    .filter(([, { path }]) => path.startsWith('/sim/v1/') || path.startsWith('/v1/'))
    .filter(([, operation]) =>
      granted.some(
        (one) => expectedOf(operation, grants[one]) === 'let in' && !operation.who.includes('anyone'),
      ),
    )
    .map(([name]) => name)
  // Borrowing shares and the calendar of corporate actions stand under /v1, and are for accounts.
  assert.deepEqual(open.sort(), [
    'corporateActions',
    'createLocate',
    'getLocate',
    'listLocateQuotes',
    'listLocates',
  ])
})

test('what each kind of operation asks for', () => {
  const rows: readonly (readonly [RegExp, string])[] = [
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
    if (scope === 'read') assert.equal(method, 'GET', path)
  }
})
