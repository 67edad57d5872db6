import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { openIssuerServer } from './issuer-server.ts'
import { signatureFault } from './verify-signature.ts'

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
