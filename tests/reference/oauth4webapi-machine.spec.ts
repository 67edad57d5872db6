import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { type Broker, callAsOperator, newWorld, startBroker } from '../broker.ts'
import { discovered, plain, witness } from './oauth4webapi.ts'

let broker: Broker
let as: oauth.AuthorizationServer
before(async () => {
  broker = await startBroker()
  as = await discovered(broker.url, `${broker.url}/v1`)
})
after(() => broker.stop())

async function tokenOf(keyId: string, auth: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> {
  const client: oauth.Client = { client_id: keyId }
  const answer = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, plain)
  return oauth.processClientCredentialsResponse(as, client, answer)
}

async function accounts(token: string): Promise<number> {
  const url = new URL(`${broker.url}/v1/accounts`)
  const { status } = await oauth
    .protectedResourceRequest(token, 'GET', url, undefined, undefined, plain)
    .catch((error: unknown) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error))
      return error
    })
  return status
}

async function revoked(keyId: string, auth: oauth.ClientAuth, token: string): Promise<void> {
  const client: oauth.Client = { client_id: keyId }
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, plain))
}

test('the server of machines is found under its own issuer', () => {
  assert.equal(as.issuer, `${broker.url}/v1`)
  assert.equal(as.token_endpoint, `${broker.url}/v1/oauth2/token`)
})

test("a partner's program gets a token by its secret, uses it and gives it up", async () => {
  const auth = oauth.ClientSecretPost(broker.brokerSecret)
  const got = await tokenOf(broker.brokerKey, auth)
  assert.deepEqual([got.token_type, got.expires_in], ['bearer', 900])
  assert.equal(await accounts(got.access_token), 200)
  await revoked(broker.brokerKey, auth, got.access_token)
  assert.equal(await accounts(got.access_token), 401)
})

for (const alg of ['ES256', 'RS256', 'Ed25519'])
  test(`a partner's program gets a token by what it signs with ${alg}, with no secret at all`, async () => {
    const { publicKey, privateKey } = await oauth.generateKeyPair(alg)
    const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', {
      kind: 'partner',
      public_key: await crypto.subtle.exportKey('jwk', publicKey),
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.secret_key, undefined)
    const auth = oauth.PrivateKeyJwt(privateKey)
    const got = await tokenOf(body.key_id, auth)
    assert.equal(got.expires_in, 900)
    assert.equal(await accounts(got.access_token), 200)
    await revoked(body.key_id, auth, got.access_token)
    assert.equal(await accounts(got.access_token), 401)
    const stranger = oauth.PrivateKeyJwt((await oauth.generateKeyPair(alg)).privateKey)
    await assert.rejects(tokenOf(body.key_id, stranger), (error: unknown) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error))
      assert.equal(error.status, 401)
      return true
    })
  })

test('a wrong secret is refused, and the key of an account may not ask', async () => {
  const world = await newWorld(broker)
  for (const [keyId, secret, then] of [
    [broker.brokerKey, 'wrong', [401, 'invalid_client']],
    [world.keyId, world.secretKey, [400, 'unauthorized_client']],
  ] as const)
    await assert.rejects(tokenOf(keyId, oauth.ClientSecretPost(secret)), (error: unknown) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error))
      assert.deepEqual([error.status, error.error], then)
      return true
    })
})

test('the compatibility page says what was seen here', () => witness.confirms(import.meta.filename))
