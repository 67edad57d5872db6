import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectOptions, connectionOf } from './environment.ts'

const key = { APCA_API_KEY_ID: 'K', APCA_API_SECRET_KEY: 'S' }
const QUIPU = 'http://127.0.0.1:7878'

type Row = readonly [
  title: string,
  options: ConnectOptions,
  env: Record<string, string>,
  urls: readonly string[],
]

const rows: readonly Row[] = [
  [
    'QUIPU_URL',
    {},
    { ...key, QUIPU_URL: `${QUIPU}/`, APCA_API_BASE_URL: 'http://other' },
    [QUIPU, QUIPU, QUIPU],
  ],
  [
    'APCA_API_BASE_URL with a version',
    {},
    { ...key, APCA_API_BASE_URL: `${QUIPU}/v2` },
    [QUIPU, QUIPU, QUIPU],
  ],
  [
    'APCA_API_DATA_URL',
    {},
    { ...key, APCA_API_BASE_URL: QUIPU, APCA_API_DATA_URL: 'http://data' },
    [QUIPU, 'http://data', 'http://data'],
  ],
  [
    'an explicit URL before the environment',
    { url: 'http://a' },
    { ...key, QUIPU_URL: QUIPU },
    ['http://a', 'http://a', 'http://a'],
  ],
  [
    'paper by default',
    {},
    key,
    ['https://paper-api.alpaca.markets', 'https://data.alpaca.markets', 'https://stream.data.alpaca.markets'],
  ],
  [
    'live',
    { paper: false },
    key,
    ['https://api.alpaca.markets', 'https://data.alpaca.markets', 'https://stream.data.alpaca.markets'],
  ],
]

for (const [title, options, env, urls] of rows)
  test(`URLs: ${title}`, () => {
    const { trading, data, streamUrl } = connectionOf(options, env)
    assert.deepEqual([trading.url, data.url, streamUrl], urls)
  })

test('an explicit credential is used before the environment, and a token of the environment before a key', () => {
  const credential = (options: ConnectOptions, env: Record<string, string>) => {
    const { url: _, ...rest } = connectionOf({ url: QUIPU, ...options }, env).trading
    return rest
  }
  const token = { APCA_API_OAUTH_TOKEN: 'T' }
  assert.deepEqual(credential({ keyId: 'A', secretKey: 'B' }, { ...key, ...token }), {
    keyId: 'A',
    secretKey: 'B',
  })
  assert.deepEqual(credential({ accessToken: 'X' }, key), { accessToken: 'X' })
  assert.deepEqual(credential({}, { ...key, ...token }), { accessToken: 'T' })
  assert.deepEqual(credential({}, key), { keyId: 'K', secretKey: 'S' })
  assert.throws(() => credential({}, {}), /APCA_API_KEY_ID/)
  const half = (options: object) => () => credential(options, { ...key, ...token })
  assert.throws(half({ keyId: 'A' }), /keyId without secretKey/)
  assert.throws(half({ secretKey: 'B' }), /secretKey without keyId/)
})

test('with QUIPU_URL a key for that server is used before another', () => {
  const both = { ...key, QUIPU_KEY_ID: 'Q', QUIPU_SECRET_KEY: 'R' }
  const keyIdOf = (options: ConnectOptions, env: Record<string, string>) => {
    const { trading } = connectionOf(options, env)
    return 'keyId' in trading ? trading.keyId : undefined
  }
  assert.equal(keyIdOf({}, { ...both, QUIPU_URL: QUIPU }), 'Q')
  assert.equal(keyIdOf({}, both), 'K')
  assert.equal(keyIdOf({ url: 'http://a' }, { ...both, QUIPU_URL: QUIPU }), 'K')
  assert.throws(() => keyIdOf({}, { QUIPU_KEY_ID: 'Q', QUIPU_SECRET_KEY: 'R' }), /no credential/)
  assert.equal(keyIdOf({}, { ...key, QUIPU_KEY_ID: 'Q', QUIPU_URL: QUIPU }), 'K', 'half a key is no key')
})
