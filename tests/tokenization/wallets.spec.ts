import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { openIssuerServer } from './issuer-server.ts'
import { signatureFault } from './verify-signature.ts'

// The account has no shares: 400 means that the address was accepted and the position was refused.
for (const [rule, env, wallet, status] of [
  ['no rule', {}, 'my-wallet', 400],
  ['no rule', {}, `0x${'0'.repeat(40)}`, 422],
  ['lenient', { QUIPU_WALLETS: 'lenient' }, 'my-wallet', 400],
  ['strict', { QUIPU_WALLETS: 'strict' }, 'my-wallet', 422],
  ['strict', { QUIPU_WALLETS: 'strict' }, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 400],
] as const)
  test(`with ${rule} a mint to ${wallet} returns ${status}`, async (t) => {
    const broker = await startBroker(['--data', 'memory'], env)
    t.after(() => broker.stop())
    const response = await fetch(`${broker.url}/v2/tokenization/mint`, {
      method: 'POST',
      headers: { 'apca-api-key-id': broker.keyId, 'apca-api-secret-key': broker.secretKey },
      body: JSON.stringify({
        underlying_symbol: 'AAPL',
        qty: '1',
        issuer: 'xstocks',
        network: 'base',
        wallet_address: wallet,
      }),
    })
    const { message } = (await response.json()) as { message: string }
    assert.equal(response.status, status, message)
    assert.equal(/^invalid wallet address/.test(message), status === 422)
  })

test('an issuer that checks signatures verifies the very first call', async (t) => {
  const { world } = await newWorld(broker)
  const issuer = await openIssuerServer()
  t.after(() => issuer.close())
  const path = `/sim/v1/worlds/${world}/tokenization`
  const { status, body: key } = await callAsOperator(broker, 'POST', `${path}/signing-key`)
  assert.equal(status, 200)
  const trust = { keyId: key.signing_key_id, publicKey: key.public_key }
  issuer.respond = (made) => {
    const fault = signatureFault(made, { ...trust, nowSeconds: Date.now() / 1000 })
    return fault === undefined ? undefined : { status: 401, body: { error: fault } }
  }
  const created = await callAsOperator(broker, 'POST', `${path}/issuers`, { issuer: 'st0x', ...issuer.urls })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.deepEqual(
    issuer.calls.map(({ method, path }) => `${method} ${path}`),
    ['GET /tokenized-assets'],
  )
  assert.equal(created.body.public_key, key.public_key)
  assert.deepEqual((await callAsOperator(broker, 'POST', `${path}/signing-key`)).body, key)
})
