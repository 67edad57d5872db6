import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, newWorld } from '../broker.ts'
import { broker } from '../shared-broker.ts'
import { asOperator } from './people.ts'

const reset = (world: string) => asOperator(broker, 'POST', `/${world}/reset`)

/** The credential of an external issuer, which replaces the earlier one after the time of grace. */
async function issuerKey(world: string, grace_seconds = 0) {
  const { key_id, secret_key }: Body = await asOperator(broker, 'POST', `/${world}/tokenization/issuers`, {
    issuer: 'st0x',
    mint_url: 'http://127.0.0.1:9/mint',
    confirm_url: 'http://127.0.0.1:9/confirm',
    api_key: 'shared',
    tokens: [{ underlying: 'AAPL', token: 'tAAPL', networks: ['base'] }],
    grace_seconds,
  })
  return { url: broker.url, keyId: key_id as string, secretKey: secret_key as string }
}

type Key = Awaited<ReturnType<typeof issuerKey>>

const isAccepted = async (key: Key) => (await call(key, 'GET', '/v1/accounts')).status !== 401

test('a key that has expired stays expired after a reset', async () => {
  const { world, advance } = await newWorld(broker)
  const old = await issuerKey(world)
  await advance('30d')
  await issuerKey(world, 60)
  await advance('1h')
  assert.equal(await isAccepted(old), false)
  await reset(world)
  assert.equal(await isAccepted(old), false)
})

test('a key that expires soon has the same time left after a reset', async () => {
  const { world, advance } = await newWorld(broker)
  const old = await issuerKey(world)
  await advance('30d')
  await issuerKey(world, 3600)
  await advance('20m')
  await reset(world)
  await advance('39m')
  assert.equal(await isAccepted(old), true)
  await advance('2m')
  assert.equal(await isAccepted(old), false)
})
