import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { type Broker, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { coverage, discover, plain } from './oauth4webapi.ts'

let broker: Broker
let as: oauth.AuthorizationServer
before(async () => {
  broker = await startBroker()
  as = await discover(broker.url, `${broker.url}/v1`)
})
after(() => broker.stop())

async function tokenOf(keyId: string, auth: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> {
  const client: oauth.Client = { client_id: keyId }
  const response = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, plain)
  return oauth.processClientCredentialsResponse(as, client, response)
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

async function revoke(keyId: string, auth: oauth.ClientAuth, token: string): Promise<void> {
  const client: oauth.Client = { client_id: keyId }
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, plain))
}

test('discovery finds the server for machine tokens under its issuer', () => {
  assert.equal(as.issuer, `${broker.url}/v1`)
  assert.equal(as.token_endpoint, `${broker.url}/v1/oauth2/token`)
})

test('a partner gets a token by secret, uses it and revokes it', async () => {
  const auth = oauth.ClientSecretPost(broker.brokerSecret)
  const issued = await tokenOf(broker.brokerKey, auth)
  assert.deepEqual([issued.token_type, issued.expires_in], ['bearer', 900])
  assert.equal(await accounts(issued.access_token), 200)
  await revoke(broker.brokerKey, auth, issued.access_token)
  assert.equal(await accounts(issued.access_token), 401)
})

for (const alg of ['ES256', 'RS256', 'Ed25519'])
  test(`a partner gets a token by an assertion signed with ${alg}, without a secret`, async () => {
    const { publicKey, privateKey } = await oauth.generateKeyPair(alg)
    const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', {
      kind: 'partner',
      public_key: await crypto.subtle.exportKey('jwk', publicKey),
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.secret_key, undefined)
    const auth = oauth.PrivateKeyJwt(privateKey)
    const issued = await tokenOf(body.key_id, auth)
    assert.equal(issued.expires_in, 900)
    assert.equal(await accounts(issued.access_token), 200)
    await revoke(body.key_id, auth, issued.access_token)
    assert.equal(await accounts(issued.access_token), 401)
    const stranger = oauth.PrivateKeyJwt((await oauth.generateKeyPair(alg)).privateKey)
    await assert.rejects(tokenOf(body.key_id, stranger), (error: unknown) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error))
      assert.equal(error.status, 401)
      return true
    })
  })

test('a wrong secret and the key of an account are refused', async () => {
  const world = await newWorld(broker)
  for (const [keyId, secret, expected] of [
    [broker.brokerKey, 'wrong', [401, 'invalid_client']],
    [world.keyId, world.secretKey, [400, 'unauthorized_client']],
  ] as const)
    await assert.rejects(tokenOf(keyId, oauth.ClientSecretPost(secret)), (error: unknown) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error))
      assert.deepEqual([error.status, error.error], expected)
      return true
    })
})

test('the compatibility page lists exactly what this file uses', () =>
  coverage.assertMatches(import.meta.filename))
