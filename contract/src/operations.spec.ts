import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationLines, servedChannels, servedOrderKinds } from './compatibility.ts'
import { errorResponse } from './error-responses.ts'
import { type ErrorName, type ErrorRow, errors } from './errors.table.ts'
import { examples } from './examples/index.ts'
import { mayAudit, type Operation } from './operation.ts'
import { errorsOf } from './operation-errors.ts'
import { type OperationName, operations } from './operations.ts'
import { parseInput, type RawRequest } from './parse.ts'
import { routes } from './routes.ts'
import type { Problem } from './shape/index.ts'
import { dataStreams, messageTypeOf, tradeUpdatesPath } from './streams/index.ts'
import { wireChannels, wireOrderKinds } from './wire-operations.table.ts'

const declared = Object.entries<Operation>(operations) as [OperationName, Operation][]

const nothing: RawRequest = { params: {}, query: {}, headers: {}, body: undefined }

for (const [name, operation] of declared) {
  const { input, output } = examples[name] as { input: Partial<RawRequest>; output: unknown }

  test(`the example of ${name} is valid`, () => {
    assert.deepEqual(parseInput(operation, { ...nothing, ...input }).problems, [])
    const problems: Problem[] = []
    operation.output?.parse(output, 'output', problems)
    assert.deepEqual(problems, [])
  })

  test(`${name} declares each placeholder of its path, and no other`, () => {
    const placeholders = [...operation.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map((match) => match[1])
    assert.deepEqual(Object.keys(operation.params?.fields ?? {}), placeholders)
  })

  test(`${name} has one kind of response`, () => {
    const kinds = [operation.output !== undefined, operation.raw !== undefined, operation.status === 204]
    assert.equal(kinds.filter(Boolean).length, 1)
  })
}

const lines = operationLines()
const routesOf = (some: typeof lines) => some.map(({ method, path }) => `${method} ${path}`)

test('the list of operations of the protocol has no duplicates', () => {
  assert.equal(new Set(routesOf(lines)).size, lines.length)
})

test('operations that Quipu adds are no misspelled operations of the protocol', () => {
  const withoutNames = (some: typeof lines) =>
    routesOf(some).map((route) => route.replace(/\{[^}]*\}/g, '{}'))
  const absent = withoutNames(lines.filter(({ support }) => support === 'absent'))
  const added = withoutNames(lines.filter(({ group }) => group.startsWith('Added by Quipu')))
  assert.ok(added.includes('POST /v2/orders/preview'))
  assert.deepEqual(
    added.filter((route) => absent.includes(route)),
    [],
  )
})

test('the served channels and order kinds are part of the protocol', () => {
  for (const [served, all] of [
    [servedChannels, wireChannels],
    [servedOrderKinds, wireOrderKinds],
  ] as const) {
    for (const [group, things] of Object.entries(served)) {
      for (const thing of Object.keys(things)) assert.ok(all[group]?.includes(thing), `${group} ${thing}`)
    }
  }
})

test('the served channels are the channels of the declared streams', () => {
  const described = Object.values(dataStreams).map(
    ({ path, channels }) => [path, [...channels].sort()] as const,
  )
  assert.deepEqual(
    Object.entries(servedChannels)
      .filter(([path]) => path !== tradeUpdatesPath)
      .map(([path, channels]) => [path, Object.keys(channels).sort()]),
    described,
  )
  const all = new Set(Object.values(dataStreams).flatMap(({ channels }) => [...channels]))
  assert.deepEqual(Object.keys(messageTypeOf).sort(), [...all].sort())
})

test('an error code starts with its status, except for parameters', () => {
  const exceptions = Object.entries<ErrorRow>(errors)
    .filter(([, { status, code }]) => Math.floor(code / 100_000) !== status)
    .map(([name]) => name)
  const known = [
    'invalidParameter',
    'clientOrderIdTaken',
    'assetNotActive',
    'trailPercentTooSmall',
    'trailPercentTooLarge',
    'partTooSmall',
    'watchlistNameTaken',
  ]
  assert.deepEqual(exceptions, known)
})

test('an error body has code, message, reason and further fields as text', () => {
  assert.deepEqual(errorResponse('insufficientBuyingPower', { buyingPower: '1250.4', costBasis: 9999n }), {
    status: 403,
    body: {
      code: 40310000,
      message: 'insufficient buying power',
      reason: 'insufficientBuyingPower',
      buying_power: '1250.4',
      cost_basis: '9999',
    },
  })
})

test('a value from a request cannot fill another placeholder of a message', () => {
  assert.equal(
    errorResponse('assetNotFound', { symbol: '{symbol}$&' }).body.message,
    'asset "{symbol}$&" not found',
  )
})

test('every error can be returned by an operation, or by all of them', () => {
  const everywhere = new Set<ErrorName>([
    'unauthorized',
    'insufficientScope',
    'readOnlyToken',
    'auditorReadsOnly',
    'issuerCallbacksOnly',
    'hostNotAllowed',
    'crossSite',
    'endpointNotFound',
    'methodNotAllowed',
    'requestTimeout',
    'bodyTooLarge',
    'unsupportedMediaType',
    'headersTooLarge',
    'badRequest',
    'severalHosts',
    'bodyNotJson',
    'pathNotDecodable',
    'tooManyRequests',
    'tooManyFailedAttempts',
    'responsesUnread',
    'diskFull',
    'internal',
    'queueFull',
    'notApplied',
    'worldStopped',
    'queryTablesBehind',
    'shuttingDown',
    'upstreamUnavailable',
    'readerStopped',
    // Only with a fault rule.
    'faultBadGateway',
    'faultUnavailable',
    'faultGatewayTimeout',
  ])
  // Errors of the setup of a world, and errors that are returned as RFC 6749 errors or as pages.
  const inside = [
    'partnerNotFound',
    'userNotFound',
    'keyTaken',
    'worldAlreadyOpen',
    'issuerNotFound',
  ] as const
  for (const name of [
    ...inside,
    'issuerAccountInvalid',
    'oauthCodeInvalid',
    'signInRefused',
    'factorExists',
    'factorNotFound',
    'factorReplayed',
    'lastFactorRequired',
  ] as const)
    everywhere.add(name)
  const answered = new Set(declared.flatMap(([, operation]) => errorsOf(operation)))
  const unused = Object.keys(errors).filter(
    (name) => !everywhere.has(name as ErrorName) && !answered.has(name as ErrorName),
  )
  assert.deepEqual(unused, [])
})

test('the route table has the location of each input', () => {
  assert.deepEqual(routes.postTokenizationMint, {
    method: 'POST',
    path: '/v2/tokenization/mint',
    params: [],
    query: [],
    headers: ['idempotency-key'],
    days: [],
    body: 'json',
    response: 'json',
  })
  assert.equal(routes.cancelOrder.response, 'empty')
  assert.equal(routes.getMetrics.response, 'text')
  assert.equal(routes.exchangeOAuthCode.body, 'form')
})

const posts = declared.filter(([, { method }]) => method === 'POST')
const takesKey = ({ headers }: Operation): boolean => 'idempotency-key' in (headers?.fields ?? {})
const isControl = ({ family }: Operation): boolean => ['sim', 'system', 'oauth'].includes(family)

test('a POST that places an order or moves money, shares, coins or tokens takes an Idempotency-Key', () => {
  const without = posts.filter(([, one]) => !isControl(one) && !takesKey(one))
  assert.deepEqual(
    new Set(without.map(([name]) => name.replace(/ForAccount$/, ''))),
    new Set([
      ...['previewOrder', 'doNotExerciseOption', 'createWatchlist', 'addToWatchlist', 'addToWatchlistByName'],
      ...['createWhitelistedAddress', 'createAccountKey', 'blockAccount', 'unblockAccount'],
      ...['createOAuthClient', 'createOAuthClientSecret', 'authorizeOAuthToken', 'issueOAuthToken'],
    ]),
  )
  const control = posts.filter(([, one]) => isControl(one) && takesKey(one))
  assert.deepEqual(
    new Set(control.map(([name]) => name)),
    new Set([
      ...['createWorldMint', 'simulateRedemption', 'completeRequest', 'rejectRequest', 'releaseRequest'],
      'createCorporateAction',
    ]),
  )
})

test('closing a position takes an Idempotency-Key, because the order has no client order id of the caller', () => {
  assert.ok(takesKey(operations.closePosition) && takesKey(operations.closePositionForAccount))
  const others = declared.filter(([, one]) => one.method !== 'POST' && takesKey(one))
  assert.deepEqual(
    others.map(([name]) => name),
    ['closePosition', 'closePositionForAccount'],
  )
})

test('an operation that takes an Idempotency-Key returns no secret, because its response is stored', () => {
  for (const [name, one] of declared.filter(([, one]) => takesKey(one)))
    assert.doesNotMatch(JSON.stringify(one.output?.json() ?? {}), /secret|access_token/, name)
})

test('an auditor reads no secret', () => {
  for (const [name, one] of declared.filter(([, one]) => mayAudit(one)))
    assert.doesNotMatch(
      JSON.stringify(one.output?.json() ?? {}),
      /secret_key|client_secret|access_token/,
      name,
    )
})

test('an auditor may call a GET, and a POST that only reads', () => {
  const named = (name: OperationName) => mayAudit(operations[name])
  assert.ok(named('listWorlds') && named('getOrderForAccount') && named('previewOrderForAccount'))
  assert.ok(!named('createWorld') && !named('placeOrderForAccount') && !named('getOrder'))
  const reading = declared.filter(([, one]) => one.method !== 'GET' && mayAudit(one))
  assert.deepEqual(
    reading.map(([name]) => name),
    ['previewOrderForAccount'],
  )
})
