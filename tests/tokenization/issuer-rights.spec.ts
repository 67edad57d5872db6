import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { type Operation, type OperationName, operations } from '@quipu/contract'
import { call, callAsOperator, newWorld } from '../support/broker.ts'
import { type Key, sendExample } from '../support/send-example.ts'
import { broker } from '../support/shared-broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { addIssuer, type Side } from './stage.ts'

/** What an issuer may call besides the operations that everybody may call. */
const ALLOWED: readonly OperationName[] = [
  'postTokenizationCallbackMint',
  'postTokenizationRedeem',
  'postTokenizationRedeemAlias',
  'getTokenizationRequestsBroker',
  'getTokenizationRequestBroker',
  'getTokenizationRequestByClientRequestIDBroker',
  'getTokenizationRequestByIssuerRequestID',
  'streamTokenizationEventsBroker',
]

let world: Awaited<ReturnType<typeof newWorld>>
let side: Side

const issuerSettings = {
  issuer: 'st0x',
  // Nothing listens there, and nothing is called: the tokens are listed here.
  mint_url: 'http://127.0.0.1:9/mint',
  confirm_url: 'http://127.0.0.1:9/confirm',
  api_key: 'shared',
  tokens: [{ underlying: 'AAPL', token: 'tAAPL', networks: ['base'] }],
}

before(async () => {
  world = await newWorld(broker)
  side = (await addIssuer(broker, world.world, issuerSettings)).side
})

const sim = (path: string) => `/sim/v1/worlds/${world.world}${path}`
const journalHead = async () => (await callAsOperator(broker, 'GET', sim('/journal'))).body

/** The operations that need a credential. */
const called = (Object.entries<Operation>(operations) as [OperationName, Operation][]).filter(
  ([, { who }]) => !who.includes('anyone'),
)

async function assertOnlyItsRequests(key: Key): Promise<void> {
  const before = await journalHead()
  const own = { world: world.world, account_id: side.accountId }
  let count = 0
  for (const [name, { method, path }] of called) {
    const { status, body } = await sendExample(broker.url, name, key, own)
    const route = `${method} ${path}: ${status} ${body?.message}`
    if (ALLOWED.includes(name)) assert.notEqual(body?.reason, 'issuerCallbacksOnly', route)
    else assert.deepEqual([status, body?.reason], [403, 'issuerCallbacksOnly'], route)
    count += 1
  }
  assert.ok(count > 250, `${count} operations`)
  assert.deepEqual(await journalHead(), before)
}

test('an issuer may call its callbacks and read its requests, and no other operation', () =>
  assertOnlyItsRequests(side))

test('a key that an operator adds to an issuer has the same rights', async () => {
  const { body: keys } = await callAsOperator(broker, 'GET', sim('/keys'))
  const listed = keys.find(({ key_id }: { key_id: string }) => key_id === side.keyId)
  assert.equal(listed.issuer, 'st0x')
  const body = { kind: 'partner', partner_id: listed.partner_id }
  const made = await callAsOperator(broker, 'POST', sim('/keys'), body)
  const key = { url: broker.url, keyId: made.body.key_id, secretKey: made.body.secret_key }
  const refused = await call(key, 'GET', '/v1/accounts')
  assert.deepEqual([refused.status, refused.body.reason], [403, 'issuerCallbacksOnly'])
  assert.equal((await call(key, 'GET', `/v1/accounts/${side.accountId}/tokenization/requests`)).status, 200)
})

test('the credential of an issuer introspects no tokens', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = ['POST', '/oauth/introspect', 'token=any', form] as const
  const refused = await call({ url: broker.url, ...side }, ...sent)
  assert.deepEqual([refused.status, refused.body.reason], [403, 'issuerCallbacksOnly'])
  assert.equal((await call(world.partner, ...sent)).status, 200)
})

async function machineToken(): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: side.keyId, client_secret: side.secretKey }
  const asked = await fetch(`${broker.url}/v1/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return ((await asked.json()) as { access_token: string }).access_token
}

const refusal = [{ T: 'error', code: 402, msg: 'auth failed' }]

for (const path of ['/v2/sip', '/v2/iex', '/v1beta3/crypto/us', '/v1beta1/news'])
  test(`the credential of an issuer is refused by the stream ${path}`, async () => {
    for (const [key, secret] of [
      [side.keyId, side.secretKey],
      ['oauth', await machineToken()],
    ]) {
      const client = await StreamClient.open(broker.url + path)
      await client.next()
      assert.deepEqual(await client.request({ action: 'auth', key, secret }), refusal)
      await client.close()
    }
  })

test('a handshake with the credential of an issuer opens no stream', async () => {
  const headers = { 'APCA-API-KEY-ID': side.keyId, 'APCA-API-SECRET-KEY': side.secretKey }
  const data = await StreamClient.open(`${broker.url}/v2/sip`, headers)
  await data.next()
  assert.deepEqual(await data.next(), refusal)
  await data.close()
  const participant = await StreamClient.open(`${broker.url}/sim/v1/participant`, headers)
  const closed = once(participant.socket, 'close').then(([code]) => code)
  assert.equal(await Promise.race([closed, participant.next()]), 1008)
  participant.socket.close()
})

test('a machine token of an issuer has the same rights', async () => {
  const access_token = await machineToken()
  const response = await fetch(`${broker.url}/v1/accounts`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  const { reason } = (await response.json()) as { reason: string }
  assert.deepEqual([response.status, reason], [403, 'issuerCallbacksOnly'])
})

test('after the built-in issuer is restored, the key has no more rights until it ends', async () => {
  const restored = await callAsOperator(broker, 'POST', sim('/tokenization/issuers/st0x/restore'), {
    grace_seconds: 3600,
  })
  assert.equal(restored.status, 200, JSON.stringify(restored.body))
  const refused = await call({ url: broker.url, ...side }, 'POST', '/v1/accounts', {})
  assert.deepEqual([refused.status, refused.body.reason], [403, 'issuerCallbacksOnly'])
})

test('only an operator opens an account for another partner, such as the custody account of an issuer', async () => {
  const { body: partners } = await callAsOperator(broker, 'GET', sim('/partners'))
  const { partner_id } = partners.find(({ name }: { name: string }) => name === 'st0x')
  const refused = await call(world.partner, 'POST', '/v1/accounts', { partner_id })
  assert.deepEqual([refused.status, refused.body.reason], [404, 'partnerNotFound'])
  const inWorld = { 'x-quipu-world': world.world }
  const opened = await callAsOperator(broker, 'POST', '/v1/accounts', { partner_id }, inWorld)
  assert.deepEqual([opened.status, opened.body.partner_id], [200, partner_id])
})
