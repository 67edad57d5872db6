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
const { asserted, claims, keyIds, post, publicPem, signed, tokenUrl } = server

for (const algorithm of algorithms)
  test(`a partner gets a token for what it signs by ${algorithm}, once`, async () => {
    const assertion = await signed({}, algorithm)
    const { status, body } = await asserted(assertion, { client_id: keyIds[algorithm] })
    assert.deepEqual([status, body.expires_in], [200, 900], JSON.stringify(body))
    assert.equal((await call(server, 'GET /v1/accounts', bearer(body.access_token))).status, 200)
    assertMachineRefused(await asserted(assertion), 400, 'jti_known')
    const again = await post('/v1/oauth2/revoke', {
      token: body.access_token,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    })
    assert.equal(again.body.error, 'jti_known')
    assert.equal((await asserted(await signed({}, algorithm))).status, 200)
  })

const half = (assertion: string) => assertion.slice(0, -2)
for (const [when, made, patch, status, error, field] of [
  [
    'another type',
    () => signed(),
    { client_assertion_type: 'jwt' },
    400,
    'invalid_request',
    'client_assertion_type',
  ],
  ['another client_id', () => signed(), { client_id: partnerKey.keyId }, 401, 'invalid_client'],
  ['no JWT', async () => 'nothing', {}, 401, 'invalid_client'],
  ['half a JWT', async () => half(await signed()), {}, 401, 'invalid_client'],
  [
    "another's signature",
    () => signed({}, 'ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    {},
    401,
    'invalid_client',
  ],
  ['an unknown key', () => signed({ sub: 'CK0', iss: 'CK0' }), {}, 401, 'invalid_client'],
  [
    "a key's id that has a secret",
    () => signed({ sub: partnerKey.keyId, iss: partnerKey.keyId }),
    {},
    401,
    'invalid_client',
  ],
  ['no signature', async () => unsigned({ alg: 'none' }), {}, 401, 'invalid_client'],
  ['the public key as a secret', async () => byPublicKey(), {}, 401, 'invalid_client'],
  ['another issuer', () => signed({ iss: 'me' }), {}, 401, 'token_claim', 'iss'],
  [
    'another audience',
    () => signed({ aud: 'https://elsewhere.example/v1/oauth2/token' }),
    {},
    401,
    'token_claim',
    'aud',
  ],
  ['no audience', () => signed({ aud: undefined }), {}, 401, 'token_claim', 'aud'],
  ['no end', () => signed({ exp: undefined }), {}, 401, 'token_claim', 'exp'],
  ['an end that has passed', () => signed({ exp: nowS() - 60 }), {}, 401, 'token_claim', 'exp'],
  ['an end too far', () => signed({ exp: nowS() + 7200 }), {}, 401, 'token_claim', 'exp'],
  ['a beginning that has not come', () => signed({ nbf: nowS() + 300 }), {}, 401, 'token_claim', 'nbf'],
  ['no iat', () => signed({ iat: undefined }), {}, 401, 'token_claim', 'iat'],
  ['an iat to come', () => signed({ iat: nowS() + 300 }), {}, 401, 'token_claim', 'iat'],
  ['no jti', () => signed({ jti: undefined }), {}, 401, 'token_claim', 'jti'],
  ['a jti of no letters', () => signed({ jti: '' }), {}, 401, 'token_claim', 'jti'],
  ['a jti that is no text', () => signed({ jti: 7 }), {}, 401, 'token_claim', 'jti'],
] as readonly (readonly [string, () => Promise<string>, Form, number, string, string?])[])
  test(`an assertion with ${when}: ${error}${field ? ` of ${field}` : ''}`, async () =>
    assertMachineRefused(await asserted(await made(), patch), status, error, field))

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object) => `${encoded(header)}.${encoded(claims(keyIds.ES256))}.`

/** The old trick: what everyone may know taken for a secret that both know. */
function byPublicKey(): string {
  const text = unsigned({ alg: 'HS256' }).slice(0, -1)
  return `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`
}

test('an assertion may be meant for the issuer, the address it is reached by, or several', async () => {
  const { port } = new URL(url)
  for (const aud of [
    `${url}/v1`,
    [tokenUrl, 'https://elsewhere.example'],
    `http://localhost:${port}/v1/oauth2/token`,
  ]) {
    const headers = typeof aud === 'string' && aud.includes('localhost') ? { host: `localhost:${port}` } : {}
    const form = { client_assertion_type: ASSERTION_TYPE, client_assertion: await signed({ aud }) }
    const { status } = await raw({ grant_type: 'client_credentials', ...form }, headers)
    assert.equal(status, 200, String(aud))
  }
})

/** With a Host of its own, which fetch does not send. */
async function raw(form: Record<string, string>, headers: Record<string, string>) {
  const body = new URLSearchParams(form).toString()
  return new Promise<{ status: number }>((resolve, reject) => {
    const sent = request(tokenUrl, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode ?? 0 })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('an assertion is meant for the address that the world knows, however the server is reached', async (t) => {
  const known = await openMachineStage({ binding: { publicUrl: 'https://broker.example/' } })
  t.after(() => known.close())
  for (const [aud, then] of [
    ['https://broker.example/v1/oauth2/token', 200],
    ['https://broker.example/v1', 200],
    ['https://broker.example/oauth/token', 401],
    ['http://broker.example/v1/oauth2/token', 401],
  ] as const)
    assert.equal((await known.asserted(await known.signed({ aud }))).status, then, aud)
  const { body } = await call(known, 'GET /.well-known/oauth-authorization-server/v1')
  assert.equal(body.token_endpoint, 'https://broker.example/v1/oauth2/token')
})

test('of many at once one assertion gets one token', async () => {
  const assertion = await signed()
  const all = await Promise.all(Array.from({ length: 20 }, () => asserted(assertion)))
  assert.equal(all.filter(({ status }) => status === 200).length, 1)
  assert.equal(all.filter(({ body }) => body.error === 'jti_known').length, 19)
})
