import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

/** Allows plain http, which the library refuses by default. */
const plain = { [oauth.allowInsecureRequests]: true } as const

let created: Body
let path: string
before(async () => {
  ;({ created } = await newWorld(broker))
  path = `/sim/v1/worlds/${created.world}`
})

/** Creates a rule, and returns how often it was applied until now. */
async function fault(operation: string, effect: object): Promise<() => Promise<number>> {
  const rule = { match: { operation: [operation] }, effect }
  const { status, body } = await callAsOperator(broker, 'POST', `${path}/faults`, rule)
  assert.equal(status, 201, JSON.stringify(body))
  return async () => (await callAsOperator(broker, 'GET', `${path}/faults/${body.id}`)).body.consumed
}

const server = (issuer: string, token: string): oauth.AuthorizationServer => ({
  issuer,
  token_endpoint: broker.url + token,
})

/** Exchanges a new code with a standard OAuth client. */
async function exchange(auth: (secret: string) => oauth.ClientAuth = oauth.ClientSecretPost) {
  const { client_id, client_secret, redirect_uri } = created.oauth_client
  const { partner, accounts } = created
  const partnerKey = { url: broker.url, keyId: partner.key_id, secretKey: partner.secret_key }
  const consent = { client_id, client_secret, redirect_uri, scope: 'trading' }
  const account = { account_id: accounts[0].account_id }
  const { body } = await call(partnerKey, 'POST', '/v1/oauth/authorize', { ...consent, ...account })
  const as = server(broker.url, '/oauth/token')
  const client: oauth.Client = { client_id }
  const params = oauth.validateAuthResponse(
    as,
    client,
    new URLSearchParams({ code: body.code, iss: broker.url }),
  )
  const send = () =>
    oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth(client_secret),
      params,
      redirect_uri,
      oauth.nopkce,
      plain,
    )
  return { send, read: (response: Response) => oauth.processAuthorizationCodeResponse(as, client, response) }
}

async function machineToken(): Promise<oauth.TokenEndpointResponse> {
  const { key_id, secret_key } = created.partner
  const as = server(`${broker.url}/v1`, '/v1/oauth2/token')
  const client: oauth.Client = { client_id: key_id }
  const auth = oauth.ClientSecretPost(secret_key)
  const response = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, plain)
  return oauth.processClientCredentialsResponse(as, client, response)
}

const refusal = async (attempt: Promise<unknown>): Promise<readonly [number, string]> => {
  const error = await attempt.catch((thrown: unknown) => thrown)
  assert.ok(error instanceof oauth.ResponseBodyError, String(error))
  return [error.status, error.error]
}

test('a refused exchange of a code has an error of RFC 6749, and the code stays valid', async () => {
  const { send, read } = await exchange()
  for (const [effect, error, description] of [
    [{ kind: 'status', status: 503 }, 'temporarily_unavailable', 'service unavailable'],
    [{ kind: 'status', status: 500, message: 'try later' }, 'server_error', 'try later'],
    [{ kind: 'status', status: 401 }, 'invalid_client', 'client authentication failed'],
  ] as const) {
    const consumed = await fault('exchangeOAuthCode', effect)
    const response = await send()
    const body = (await response.json()) as Body
    assert.deepEqual(
      [response.status, body.error, body.error_description],
      [effect.status, error, description],
    )
    assert.match(response.headers.get('x-quipu-fault') ?? '', /^\d+$/)
    assert.equal(await consumed(), 1)
  }
  const consumed = await fault('exchangeOAuthCode', { kind: 'status', status: 429 })
  assert.deepEqual(await refusal(read(await send())), [429, 'temporarily_unavailable'])
  assert.equal(await consumed(), 1)
  assert.equal((await read(await send())).token_type, 'bearer')
})

test('the response with a token is lost: the code is used, also by an app with Basic authentication', async () => {
  const { send, read } = await exchange(oauth.ClientSecretBasic)
  const consumed = await fault('exchangeOAuthCode', { kind: 'answer_lost' })
  await assert.rejects(send(), /fetch failed/)
  assert.equal(await consumed(), 1)
  assert.deepEqual(await refusal(read(await send())), [400, 'invalid_grant'])
  const { body: log } = await callAsOperator(broker, 'GET', `${path}/requests?operation=exchangeOAuthCode`)
  assert.ok(JSON.stringify(log).includes('"fault"'), JSON.stringify(log))
})

test('a machine token meets rules of its family and of its operation', async () => {
  for (const [operation, effect, expected] of [
    ['oauth', { kind: 'reset' }, /fetch failed/],
    ['issueMachineToken', { kind: 'truncated' }, /failed to parse|terminated/],
  ] as const) {
    const consumed = await fault(operation, effect)
    await assert.rejects(machineToken(), expected)
    assert.equal(await consumed(), 1)
  }
  assert.equal((await machineToken()).token_type, 'bearer')
})

test('the rules of a world affect no app of another world, and no unknown app', async () => {
  const consumed = await fault('oauth', { kind: 'request_lost' })
  for (const client_id of [broker.oauthClientId, 'unknown']) {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      code: 'x',
      redirect_uri: 'y',
    })
    const { status } = await fetch(`${broker.url}/oauth/token`, { method: 'POST', body })
    assert.equal(status, 401)
  }
  assert.equal(await consumed(), 0)
})
