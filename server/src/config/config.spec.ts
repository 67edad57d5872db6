import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type Config, ConfigError, readConfig, settingNames } from './config.ts'
import { nearest } from './nearest.ts'
import { flagOf, variableOf } from './setting.ts'

type Input = {
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly file?: unknown
}

const configOf = ({ flags = {}, env = {}, file }: Input) =>
  readConfig({
    flags: new Map(Object.entries(flags)),
    env,
    ...(file === undefined ? {} : { file: typeof file === 'string' ? file : JSON.stringify(file) }),
    readText: (path) => {
      if (path !== '/secret') throw new Error('no such file')
      return 'from-a-file\n'
    },
  })

const values: readonly (readonly [string, Input, keyof Config, unknown])[] = [
  ['no settings', {}, 'port', 7878],
  ['a flag', { flags: { port: '1' } }, 'port', 1],
  ['a flag beats a variable', { flags: { port: '1' }, env: { QUIPU_PORT: '2' } }, 'port', 1],
  ['the path of Node of the Python package', { env: { QUIPU_NODE: '/usr/bin/node' } }, 'port', 7878],
  ['a variable beats the file', { env: { QUIPU_PORT: '2' }, file: { port: 3 } }, 'port', 2],
  ['the file beats the default', { file: { port: 3 } }, 'port', 3],
  ['an empty variable is no value', { env: { QUIPU_PORT: '' }, file: { port: 3 } }, 'port', 3],
  ['any free port', { flags: { port: '0' } }, 'port', 0],
  ['data in memory', { env: { QUIPU_DATA: 'memory' } }, 'data', { kind: 'memory' }],
  ['data in a folder', { env: { QUIPU_DATA: 'x' } }, 'data', { kind: 'folder', path: resolve('x') }],
  ['no rate limit on loopback', {}, 'rateLimit', 0],
  ['no rate limit on ::1', { flags: { host: '::1' } }, 'rateLimit', 0],
  ['a rate limit elsewhere', { flags: { host: '0.0.0.0' } }, 'rateLimit', 200],
  [
    'a rate limit behind a proxy on loopback',
    { env: { QUIPU_PUBLIC_URL: 'https://q.io' } },
    'rateLimit',
    200,
  ],
  ['a rate limit behind a trusted proxy', { env: { QUIPU_TRUST_PROXY: 'on' } }, 'rateLimit', 200],
  ['few attempts behind a proxy', { env: { QUIPU_TRUST_PROXY: 'on' } }, 'failedAttemptsMax', 60],
  ['no rate limit with a local public URL', { env: { QUIPU_PUBLIC_URL: 'http://[::1]:9' } }, 'rateLimit', 0],
  ['a configured rate limit', { flags: { host: '0.0.0.0', rateLimit: '7' } }, 'rateLimit', 7],
  ['no seed', {}, 'seed', undefined],
  ['a switch', { file: { sim: false } }, 'sim', false],
  [
    'a list in the file',
    { file: { cors: ['http://a.b', 'http://c.d'] } },
    'cors',
    ['http://a.b', 'http://c.d'],
  ],
  ['TLS files', { env: { QUIPU_TLS: 'c,k' } }, 'tls', { kind: 'files', certificate: 'c', key: 'k' }],
  [
    'a public address loses its slash',
    { env: { QUIPU_PUBLIC_URL: 'https://q.io/' } },
    'publicUrl',
    'https://q.io',
  ],
  [
    'a secret in a file',
    { env: { QUIPU_KEY_ID: 'PK1', QUIPU_SECRET_KEY_FILE: '/secret' } },
    'secretKey',
    'from-a-file',
  ],
]

for (const [name, from, setting, value] of values) {
  test(`${name}: ${setting} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(configOf(from).config[setting], value)
  })
}

const refusals: readonly (readonly [Input, string])[] = [
  [{ flags: { port: 'abc' } }, '--port: expected a whole number from 0 to 65535, received "abc"'],
  [{ flags: { port: '65536' } }, '--port: expected a whole number from 0 to 65535, received "65536"'],
  [{ flags: { port: '' } }, '--port: expected a whole number from 0 to 65535, received ""'],
  [{ env: { QUIPU_HOURS: 'nysee' } }, 'QUIPU_HOURS: expected always or nyse, received "nysee"'],
  [
    { env: { QUIPU_VENUE: 'often' } },
    'QUIPU_VENUE: expected name=value or name=min..max, separated by commas, received "often"',
  ],
  [
    { flags: { margin: 'rate=1' } },
    '--margin: expected names of interest_rate, call_sessions, received "rate=1"',
  ],
  [
    { env: { QUIPU_VENUE: 'reject_share=2' } },
    'QUIPU_VENUE: expected other values (venue.reject_share: expected a share from 0 to 1), received "reject_share=2"',
  ],
  [{ file: { sim: 'maybe' } }, 'quipu.json: sim: expected on or off, received "maybe"'],
  [{ file: { prot: 1 } }, 'quipu.json: unknown setting prot: did you mean port?'],
  [{ file: { port: null } }, 'quipu.json: port: expected a string, a number or a list of strings'],
  [{ file: [] }, 'quipu.json: expected one object, such as {"port": 7878}'],
  [{ env: { QUIPU_PROT: '1' } }, 'unknown variable QUIPU_PROT: did you mean QUIPU_PORT?'],
  [{ env: { QUIPU_ZZZZZZ: '1' } }, 'unknown variable QUIPU_ZZZZZZ; `quipu config show` lists them all'],
  [
    { env: { QUIPU_STORE: 'mysql://localhost/q' } },
    'QUIPU_STORE: expected embedded or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE, received another value (not shown: secret)',
  ],
  [
    { flags: { tls: 'auto' } },
    '--tls: expected off or two files CERT.pem,KEY.pem (this release does not create certificates), received "auto"',
  ],
  [
    { env: { QUIPU_KEY_ID: 'PK1', QUIPU_SECRET_KEY: 'short' } },
    'QUIPU_SECRET_KEY: expected 8 to 256 printable characters without spaces, received another value (not shown: secret)',
  ],
  [{ env: { QUIPU_KEY_ID: 'PK1' } }, 'QUIPU_KEY_ID is set without QUIPU_SECRET_KEY; set both or neither'],
  [
    { env: { QUIPU_UPSTREAM_URL: 'https://data.example.com' } },
    'QUIPU_UPSTREAM_URL is set without QUIPU_UPSTREAM_KEY_ID; set both or neither',
  ],
  [
    { env: { QUIPU_CHAIN_URL: 'http://127.0.0.1:8545' } },
    'QUIPU_CHAIN_URL is set without QUIPU_CHAIN_KEY; set both or neither',
  ],
  [
    { env: { QUIPU_CHAIN_URL: 'http://127.0.0.1:8545', QUIPU_CHAIN_KEY: 'abc' } },
    'QUIPU_CHAIN_KEY: expected 64 hex digits, received another value (not shown: secret)',
  ],
  [
    { env: { QUIPU_CHAIN_NETWORK: 'solana' } },
    'QUIPU_CHAIN_NETWORK: expected arbitrum or base or binance or cronos or ethereum or hyperevm or mantle or robinhood, received "solana"',
  ],
  [
    { env: { QUIPU_UPSTREAM_STREAM_URL: 'ftp://data.example.com' } },
    'QUIPU_UPSTREAM_STREAM_URL: expected a URL such as wss://stream.data.example.com, received "ftp://data.example.com"',
  ],
  [
    { env: { QUIPU_BROKER_SECRET: '12345678' } },
    'QUIPU_BROKER_SECRET is set without QUIPU_BROKER_KEY; set both or neither',
  ],
  [{ env: { QUIPU_SECRET_KEY_FILE: '/none' } }, 'QUIPU_SECRET_KEY_FILE: cannot read "/none": no such file'],
]

for (const [from, message] of refusals) {
  test(message, () => {
    assert.throws(() => configOf(from), new ConfigError(message))
  })
}

test('an invalid quipu.json is named in the error', () => {
  assert.throws(() => configOf({ file: '{' }), /^ConfigError: quipu\.json: expected JSON: /)
})

test('each value has its source', () => {
  const { sources } = configOf({ flags: { port: '1' }, env: { QUIPU_HOURS: 'nyse' }, file: { sim: 'off' } })
  assert.deepEqual(
    [sources.port.source, sources.hours.source, sources.sim.source, sources.host.source],
    ['--port', 'QUIPU_HOURS', 'quipu.json', 'default'],
  )
})

test('every default is valid, and no two settings share a flag or a variable', () => {
  const { config } = configOf({})
  assert.equal(Object.keys(config).length, settingNames.length)
  assert.equal(new Set(settingNames.map(flagOf)).size, settingNames.length)
  assert.equal(new Set(settingNames.map(variableOf)).size, settingNames.length)
})

for (const [word, near] of [
  ['prot', 'port'],
  ['por', 'port'],
  ['PORT', 'port'],
  ['hots', 'host'],
  ['xyzzy', undefined],
] as const) {
  test(`${word} is nearest to ${near}`, () => assert.equal(nearest(word, ['port', 'host', 'hours']), near))
}
