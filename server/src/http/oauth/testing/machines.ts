import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { definedFields } from '@quipu/core/values'
import { SignJWT } from 'jose'
import { keyHandlers } from '../../sim/keys.ts'
import { type Called, call, openTestServer, type TestServer, type TestSetup } from '../../testing/server.ts'

const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
  Ed25519: generateKeyPairSync('ed25519'),
} as const
export type Algorithm = keyof typeof pairs
export const algorithms = Object.keys(pairs) as Algorithm[]

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export type Form = Record<string, string | undefined>
export type Claims = Record<string, unknown>

/** A server with partner keys that sign, and functions that request tokens with them. */
export type MachineStage = TestServer & {
  readonly tokenUrl: string
  readonly keyIds: Readonly<Record<Algorithm, string>>
  readonly publicPem: string
  createKey(body: object): Promise<Called>
  post(path: string, form: Form, headers?: Record<string, string>): Promise<Called>
  requestToken(form: Form, headers?: Record<string, string>): Promise<Called>
  requestWithAssertion(assertion: string, patch?: Form): Promise<Called>
  claims(keyId: string): Claims
  /** Signs an assertion with the key of the algorithm; `patch` changes claims. */
  signAssertion(patch?: Claims, algorithm?: Algorithm, key?: KeyObject): Promise<string>
}

const spki = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }) as string
export const nowS = () => Math.floor(Date.now() / 1000)
export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

export async function openMachineStage(setup: TestSetup = {}): Promise<MachineStage> {
  const handlers = {
    createKey: (input, context) => keyHandlers(context.services.worlds).createKey(input, context),
    deleteKey: (input, context) => keyHandlers(context.services.worlds).deleteKey(input, context),
    listKeys: (input, context) => keyHandlers(context.services.worlds).listKeys(input, context),
  } satisfies TestSetup['handlers']
  const opened = await openTestServer({ handlers, ...setup })
  // The address of the socket, also when the server has a public URL.
  const server = { ...opened, url: `http://127.0.0.1:${opened.serving.port}` }
  const tokenUrl = `${opened.url}/v1/oauth2/token`
  const createKey: MachineStage['createKey'] = (body) =>
    call(server, 'POST /sim/v1/worlds/lab/keys', {
      key: server.operatorKey,
      body: { kind: 'partner', ...body },
    })
  const keyIds = {} as Record<Algorithm, string>
  for (const algorithm of algorithms)
    keyIds[algorithm] = (await createKey({ public_key: spki(pairs[algorithm].publicKey) })).body.key_id
  const claims: MachineStage['claims'] = (keyId) => ({
    iss: keyId,
    sub: keyId,
    aud: tokenUrl,
    iat: nowS(),
    exp: nowS() + 300,
    jti: randomUUID(),
  })
  const post: MachineStage['post'] = (path, form, headers = {}) =>
    call(server, `POST ${path}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(definedFields(form)).toString(),
    })
  const requestToken: MachineStage['requestToken'] = (form, headers) =>
    post('/v1/oauth2/token', { grant_type: 'client_credentials', ...form }, headers)
  return {
    ...server,
    tokenUrl,
    keyIds,
    publicPem: spki(pairs.ES256.publicKey),
    createKey,
    post,
    requestToken,
    claims,
    requestWithAssertion: (assertion, patch = {}) =>
      requestToken({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, ...patch }),
    signAssertion(patch = {}, algorithm = 'ES256', key = pairs[algorithm].privateKey) {
      return new SignJWT(definedFields({ ...claims(keyIds[algorithm]), ...patch }))
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .sign(key)
    },
  }
}

/** Asserts an RFC 6749 error that is not cached and has no world header. */
export function assertMachineRefused(
  { status, body, headers }: Called,
  expectedStatus: number,
  error: string,
  field?: string,
): void {
  assert.deepEqual([status, body.error], [expectedStatus, error], JSON.stringify(body))
  assert.deepEqual(body.fields, field === undefined ? undefined : [{ name: field }])
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-quipu-world'), null)
}
