import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AuthError,
  createQuipu,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from '@quipu/sdk'
import { callAsOperator } from '../../support/broker.ts'
import { broker } from '../../support/shared-broker.ts'
import { assertRefused, client, mintRequest, participant, UNKNOWN_ID } from './stage.ts'

/** Section 7 of the specification: the status of each operation, as the error that a program receives. */

const { partnerClient, app, accountId, quipu, url, keyId, secretKey } = await participant()
const anonymous = createQuipu({ url, accessToken: 'nobody' })
const { tokenization } = quipu
const body = { ...app, account_id: accountId, scope: 'trading' }
const params = (client_id: string) => ({ params: { client_id } })
const id = (tokenization_request_id: string) => ({ params: { tokenization_request_id } })

type Row = readonly [operation: string, condition: string, call: () => Promise<unknown>, status: number]

const refusals: readonly Row[] = [
  ...(['authorizeOAuthToken', 'issueOAuthToken'] as const).flatMap((name): readonly Row[] => {
    const send = (patch: object) => () => partnerClient[name]({ body: { ...body, ...patch } })
    return [
      [name, 'the client does not exist', send({ client_id: '0'.repeat(32) }), 401],
      [name, 'the caller has no access', () => quipu.client[name]({ body }), 401],
      [name, 'client_secret is incorrect', send({ client_secret: 'wrong' }), 401],
      [name, 'the redirect URI is invalid', send({ redirect_uri: 'https://elsewhere.example' }), 422],
      [name, 'the scope is invalid', send({ scope: 'everything' }), 422],
    ]
  }),
  [
    'getOAuthClient',
    'the client does not exist',
    () => partnerClient.getOAuthClient(params('0'.repeat(32))),
    401,
  ],
  [
    'getOAuthClient',
    'the caller has no access',
    () => quipu.client.getOAuthClient(params(app.client_id)),
    401,
  ],
  ['getTokenizationRequest', 'credentials are invalid', () => anonymous.tokenization.get(UNKNOWN_ID), 401],
  [
    'getTokenizationRequest',
    'the caller is not authorized',
    () => partnerClient.getTokenizationRequest(id(UNKNOWN_ID)),
    403,
  ],
  ['getTokenizationRequest', 'no such request exists', () => tokenization.get(UNKNOWN_ID), 404],
  ['getTokenizationRequest', 'the id is not a UUID', () => tokenization.get('mine'), 422],
  [
    'getTokenizationRequestByClientRequestID',
    'credentials are invalid',
    () => anonymous.tokenization.byClientRequestId('a'),
    401,
  ],
  [
    'getTokenizationRequestByClientRequestID',
    'the caller is not authorized',
    () => partnerClient.getTokenizationRequestByClientRequestID({ query: { client_request_id: 'a' } }),
    403,
  ],
  [
    'getTokenizationRequestByClientRequestID',
    'no such request exists',
    () => tokenization.byClientRequestId('none'),
    404,
  ],
  [
    'getTokenizationRequestByClientRequestID',
    'the label is missing',
    () => quipu.client.getTokenizationRequestByClientRequestID({ query: {} as never }),
    422,
  ],
  ['getTokenizationRequests', 'credentials are invalid', () => anonymous.tokenization.list(), 401],
  [
    'getTokenizationRequests',
    'the caller is not authorized',
    () => partnerClient.getTokenizationRequests(),
    403,
  ],
  [
    'getTokenizationRequests',
    'a parameter is invalid',
    () => tokenization.list({ status: 'done' as never }),
    422,
  ],
  [
    'postTokenizationMint',
    'the position is insufficient',
    () => tokenization.mint({ ...mintRequest, qty: '100' }),
    400,
  ],
  [
    'postTokenizationMint',
    'the account may not mint',
    () => tokenization.mint({ ...mintRequest, issuer: 'ondo' }),
    400,
  ],
  [
    'postTokenizationMint',
    'the key is malformed',
    () => tokenization.mint(mintRequest, { idempotencyKey: 'a b' }),
    400,
  ],
  ['postTokenizationMint', 'credentials are invalid', () => anonymous.tokenization.mint(mintRequest), 401],
  [
    'postTokenizationMint',
    'the caller is not authorized',
    () => partnerClient.postTokenizationMint({ body: mintRequest }),
    403,
  ],
  [
    'postTokenizationMint',
    'a parameter is invalid',
    () => tokenization.mint({ ...mintRequest, network: 'moon' as never }),
    422,
  ],
]

for (const [operation, condition, call, status] of refusals)
  test(`${operation} ${status}: ${condition}`, async () => {
    const error = await assertRefused(call(), status)
    const expected = { 400: ValidationError, 401: AuthError, 404: NotFoundError, 422: ValidationError }[
      status
    ]
    if (expected) assert.ok(error instanceof expected)
    assert.equal(typeof error.code, 'number')
    assert.ok(error.message.length > 0)
  })

test('postTokenizationMint 422: the same key was reused with a different body', async () => {
  const idempotencyKey = 'reused'
  await tokenization.mint(mintRequest, { idempotencyKey })
  await assertRefused(
    tokenization.mint({ ...mintRequest, qty: '1' }, { idempotencyKey }),
    422,
    /different body/,
  )
})

test('a rate-limit error has the delay in milliseconds too', async () => {
  const world = await client()
  const rule = {
    match: { operation: 'getAccount', next: 9 },
    effect: { kind: 'status', status: 429, retry_after_seconds: 2 },
  }
  const { status } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/faults`, rule)
  assert.equal(status, 201)
  const limited = createQuipu({ url: world.url, keyId: world.keyId, secretKey: world.secretKey, retries: 0 })
  const error = await assertRefused(limited.account.get(), 429)
  assert.ok(error instanceof RateLimitError)
  assert.equal(error.retryAfterMs, 2000)
})

test('a failure of the network is no API error', async () => {
  const nowhere = createQuipu({ url: 'http://127.0.0.1:9', keyId, secretKey, retries: 0 })
  await assert.rejects(nowhere.account.get(), NetworkError)
})
