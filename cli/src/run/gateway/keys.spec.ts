import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayKeys } from './keys.ts'
import { Traffic } from './traffic.ts'

const account = { keyId: 'PKWORLD', secretKey: 'of-the-world' }
const partner = { keyId: 'CKWORLD', secretKey: 'of-the-partner' }

/** Keys of a broker that knows `PKKNOWN`, and the key ids it was asked for. */
function keysOf() {
  const [traffic, asked] = [new Traffic(), [] as string[]]
  const isKnown = async (keyId: string): Promise<boolean> => {
    asked.push(keyId)
    return keyId === 'PKKNOWN'
  }
  return { keys: new GatewayKeys({ account, partner }, isKnown, traffic), traffic, asked }
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`
const forms: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  [
    'the headers of the Trading API',
    'api.alpaca.markets',
    ['Host', 'x', 'Apca-Api-Key-Id', 'PKOTHER', 'APCA-API-SECRET-KEY', 'y'],
    ['Host', 'x', 'APCA-API-KEY-ID', 'PKWORLD', 'APCA-API-SECRET-KEY', 'of-the-world'],
  ],
  [
    'Basic',
    'data.alpaca.markets',
    ['authorization', basic('PKOTHER:y')],
    ['Authorization', basic('PKWORLD:of-the-world')],
  ],
  [
    'Basic of the Broker API',
    'broker-api.sandbox.alpaca.markets',
    ['Authorization', basic('CKOTHER:a:b')],
    ['Authorization', basic('CKWORLD:of-the-partner')],
  ],
]

for (const [name, host, sent, expected] of forms)
  test(`an unknown key in ${name} is replaced`, async () => {
    const { keys, traffic } = keysOf()
    assert.deepEqual(await keys.inHeaders(sent, host), expected)
    assert.equal(traffic.keysReplaced, true)
  })

test('known keys, keys of the world, tokens and requests without a key pass unchanged', async () => {
  const { keys, traffic } = keysOf()
  for (const raw of [
    ['APCA-API-KEY-ID', 'PKKNOWN', 'APCA-API-SECRET-KEY', 'y'],
    ['APCA-API-KEY-ID', 'PKWORLD', 'APCA-API-SECRET-KEY', 'wrong'],
    ['Authorization', 'Bearer abc'],
    ['Accept', '*/*'],
  ])
    assert.equal(await keys.inHeaders(raw, 'api.alpaca.markets'), raw)
  assert.equal(traffic.keysReplaced, false)
})

test('prices of coins, which need no key, are those of the world', async () => {
  const { keys, traffic } = keysOf()
  const raw = ['Host', 'data.alpaca.markets']
  const sent = await keys.inHeaders(
    raw,
    'data.alpaca.markets',
    '/v1beta3/crypto/us/snapshots?symbols=BTC%2FUSD',
  )
  assert.deepEqual(sent, [...raw, 'APCA-API-KEY-ID', 'PKWORLD', 'APCA-API-SECRET-KEY', 'of-the-world'])
  assert.equal(await keys.inHeaders(raw, 'data.alpaca.markets', '/v2/stocks/snapshots?symbols=SPY'), raw)
  assert.equal(traffic.keysReplaced, false)
})

test('the broker is asked once for each key, and again after a failure', async () => {
  const { keys, asked } = keysOf()
  const raw = ['APCA-API-KEY-ID', 'PKOTHER', 'APCA-API-SECRET-KEY', 'y']
  for (let index = 0; index < 3; index++) await keys.inHeaders(raw, 'api.alpaca.markets')
  assert.deepEqual(asked, ['PKOTHER'])
  let attempts = 0
  const failing = async (): Promise<boolean> => {
    attempts += 1
    throw new Error('no response')
  }
  const unlucky = new GatewayKeys({ account }, failing, new Traffic())
  for (let index = 0; index < 2; index++) await assert.rejects(unlucky.inHeaders(raw, ''), /no response/)
  assert.equal(attempts, 2)
})

test('login messages of streams', async () => {
  const { keys } = keysOf()
  assert.deepEqual(await keys.inMessage({ action: 'auth', key: 'PKOTHER', secret: 'y' }), {
    action: 'auth',
    key: 'PKWORLD',
    secret: 'of-the-world',
  })
  const data = { key_id: 'PKOTHER', secret_key: 'y' }
  assert.deepEqual(await keys.inMessage({ action: 'authenticate', data }), {
    action: 'authenticate',
    data: { key_id: 'PKWORLD', secret_key: 'of-the-world' },
  })
  for (const other of [
    { action: 'auth', key: 'PKKNOWN', secret: 'y' },
    { action: 'authenticate', data: { oauth_token: 'abc' } },
    { action: 'subscribe', trades: ['AAPL'] },
    { action: 'listen', data: { streams: ['trade_updates'] } },
    'auth',
    null,
  ])
    assert.equal(await keys.inMessage(other), undefined)
})
