import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { call } from '../testing/server.ts'
import {
  ASSERTION_TYPE,
  algorithms,
  assertMachineRefused,
  bearer,
  type Form,
  nowS,
  openMachineStage,
} from './testing/machines.ts'

const server = await openMachineStage()
after(() => server.close())
const { partnerKey, url } = server
const { claims, keyIds, post, publicPem, requestWithAssertion, signAssertion, tokenUrl } = server

for (const algorithm of algorithms)
  test(`an assertion signed with ${algorithm} gets a token once`, async () => {
    const assertion = await signAssertion({}, algorithm)
    const { status, body } = await requestWithAssertion(assertion, { client_id: keyIds[algorithm] })
    assert.deepEqual([status, body.expires_in], [200, 900], JSON.stringify(body))
    assert.equal((await call(server, 'GET /v1/accounts', bearer(body.access_token))).status, 200)
    assertMachineRefused(await requestWithAssertion(assertion), 400, 'jti_known')
    const again = await post('/v1/oauth2/revoke', {
      token: body.access_token,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    })
    assert.equal(again.body.error, 'jti_known')
    assert.equal((await requestWithAssertion(await signAssertion({}, algorithm))).status, 200)
  })

const truncated = (assertion: string) => assertion.slice(0, -2)
for (const [when, assertion, patch, status, error, field] of [
  [
    'another type',
    () => signAssertion(),
    { client_assertion_type: 'jwt' },
    400,
    'invalid_request',
    'client_assertion_type',
  ],
  ['another client_id', () => signAssertion(), { client_id: partnerKey.keyId }, 401, 'invalid_client'],
  ['no JWT', async () => 'nothing', {}, 401, 'invalid_client'],
  ['half a JWT', async () => truncated(await signAssertion()), {}, 401, 'invalid_client'],
  [
    'the signature of another key',
    () => signAssertion({}, 'ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    {},
    401,
    'invalid_client',
  ],
  ['an unknown key', () => signAssertion({ sub: 'CK0', iss: 'CK0' }), {}, 401, 'invalid_client'],
  [
    'the id of a key with a secret',
    () => signAssertion({ sub: partnerKey.keyId, iss: partnerKey.keyId }),
    {},
    401,
    'invalid_client',
  ],
  ['no signature', async () => unsigned({ alg: 'none' }), {}, 401, 'invalid_client'],
  ['the public key as a secret', async () => signedByPublicKey(), {}, 401, 'invalid_client'],
  ['another issuer', () => signAssertion({ iss: 'me' }), {}, 401, 'token_claim', 'iss'],
  [
    'another audience',
    () => signAssertion({ aud: 'https://elsewhere.example/v1/oauth2/token' }),
    {},
    401,
    'token_claim',
    'aud',
  ],
  ['no audience', () => signAssertion({ aud: undefined }), {}, 401, 'token_claim', 'aud'],
  ['no exp', () => signAssertion({ exp: undefined }), {}, 401, 'token_claim', 'exp'],
  ['an exp in the past', () => signAssertion({ exp: nowS() - 60 }), {}, 401, 'token_claim', 'exp'],
  [
    'an exp too far in the future',
    () => signAssertion({ exp: nowS() + 7200 }),
    {},
    401,
    'token_claim',
    'exp',
  ],
  ['an nbf in the future', () => signAssertion({ nbf: nowS() + 300 }), {}, 401, 'token_claim', 'nbf'],
  ['no iat', () => signAssertion({ iat: undefined }), {}, 401, 'token_claim', 'iat'],
  ['an iat in the future', () => signAssertion({ iat: nowS() + 300 }), {}, 401, 'token_claim', 'iat'],
  ['no jti', () => signAssertion({ jti: undefined }), {}, 401, 'token_claim', 'jti'],
  ['an empty jti', () => signAssertion({ jti: '' }), {}, 401, 'token_claim', 'jti'],
  ['a jti that is not a text', () => signAssertion({ jti: 7 }), {}, 401, 'token_claim', 'jti'],
] as readonly (readonly [string, () => Promise<string>, Form, number, string, string?])[])
  test(`an assertion with ${when}: ${error}${field ? ` of ${field}` : ''}`, async () =>
    assertMachineRefused(await requestWithAssertion(await assertion(), patch), status, error, field))

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object) => `${encoded(header)}.${encoded(claims(keyIds.ES256))}.`

/** A known attack: an HMAC with the public key as secret. */
function signedByPublicKey(): string {
  const text = unsigned({ alg: 'HS256' }).slice(0, -1)
  return `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`
}

test('the audience of an assertion may be the issuer, the address of the request, or a list', async () => {
  const { port } = new URL(url)
  for (const aud of [
    `${url}/v1`,
    [tokenUrl, 'https://elsewhere.example'],
    `http://localhost:${port}/v1/oauth2/token`,
  ]) {
    const headers = typeof aud === 'string' && aud.includes('localhost') ? { host: `localhost:${port}` } : {}
    const form = { client_assertion_type: ASSERTION_TYPE, client_assertion: await signAssertion({ aud }) }
    const { status } = await postWithHeaders({ grant_type: 'client_credentials', ...form }, headers)
    assert.equal(status, 200, String(aud))
  }
})

/** Sends a custom Host header, which fetch does not allow. */
async function postWithHeaders(form: Record<string, string>, headers: Record<string, string>) {
  const body = new URLSearchParams(form).toString()
  return new Promise<{ status: number }>((resolve, reject) => {
    const sent = request(tokenUrl, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0 })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('with a public URL the audience is the public URL, at any address of the server', async (t) => {
  const publicServer = await openMachineStage({ binding: { publicUrl: 'https://broker.example/' } })
  t.after(() => publicServer.close())
  for (const [aud, status] of [
    ['https://broker.example/v1/oauth2/token', 200],
    ['https://broker.example/v1', 200],
    ['https://broker.example/oauth/token', 401],
    ['http://broker.example/v1/oauth2/token', 401],
  ] as const)
    assert.equal(
      (await publicServer.requestWithAssertion(await publicServer.signAssertion({ aud }))).status,
      status,
      aud,
    )
  const { body } = await call(publicServer, 'GET /.well-known/oauth-authorization-server/v1')
  assert.equal(body.token_endpoint, 'https://broker.example/v1/oauth2/token')
})

test('an assertion that is sent many times at once gets one token', async () => {
  const assertion = await signAssertion()
  const all = await Promise.all(Array.from({ length: 20 }, () => requestWithAssertion(assertion)))
  assert.equal(all.filter(({ status }) => status === 200).length, 1)
  assert.equal(all.filter(({ body }) => body.error === 'jti_known').length, 19)
})
