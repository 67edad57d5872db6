import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { call, newFolder, startBroker } from '../support/broker.ts'
import { sourceProgram } from '../support/program.ts'
import { type Options, quipu } from '../support/quipu-process.ts'

type Case = { readonly line?: readonly string[]; readonly options?: Options }

/** Each failing start: its cause, the exit code, and the one line on stderr. */
const rows: readonly (readonly [string, (t: TestContext) => Promise<Case> | Case, number, RegExp])[] = [
  [
    'an unknown flag',
    () => ({ line: ['--prot', '1'] }),
    2,
    /^quipu: unknown flag --prot: did you mean --port\?$/,
  ],
  [
    'an unknown variable',
    () => ({ options: { env: { QUIPU_HOST_NAME: 'x' } } }),
    2,
    /^quipu: unknown variable QUIPU_HOST_NAME(: did you mean QUIPU_\w+\?|;.*)$/,
  ],
  [
    'a bad value of a flag',
    () => ({ line: ['--hours', 'nysee'] }),
    2,
    /^quipu: --hours: expected always or nyse, received "nysee"$/,
  ],
  [
    'a bad value of a variable',
    () => ({ options: { env: { QUIPU_RATE_LIMIT: '-1' } } }),
    2,
    /^quipu: QUIPU_RATE_LIMIT: expected a whole number from 0 to \d+, received "-1"$/,
  ],
  [
    'a bad value in quipu.json',
    () => {
      const cwd = newFolder()
      writeFileSync(join(cwd, 'quipu.json'), '{"port": "eighty"}')
      return { options: { cwd } }
    },
    2,
    /^quipu: quipu\.json: port: expected a whole number from 0 to 65535, received "eighty"$/,
  ],
  [
    'a shared server without the required protections',
    () => ({ options: { env: { QUIPU_PROFILE: 'shared', QUIPU_PUBLIC_URL: 'http://broker.example' } } }),
    2,
    /^quipu: QUIPU_PROFILE=shared refuses to start, .*QUIPU_TLS.*QUIPU_SIM=off.*QUIPU_METRICS=operator$/,
  ],
  [
    'a PostgreSQL that does not answer',
    () => ({ line: ['--store', 'postgres://quipu:hunter2@127.0.0.1:1/books'] }),
    1,
    /^quipu: PostgreSQL at 127\.0\.0\.1:1, database books cannot be used: [^@]*REFUSED[^@]*: start it, or correct.*QUIPU_STORE.*$/,
  ],
  [
    'a Node version that is too old',
    () => ({
      options: {
        nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(oldNode)}`],
        file: sourceProgram,
      },
    }),
    1,
    /^quipu needs Node 24 or newer, this is v20\.1\.0: .*npm start.*$/,
  ],
  ['a port in use', portTaken, 1, /^quipu: 127\.0\.0\.1:\d+ is already in use: .*--port.*$/],
  [
    'a folder in use',
    async (t) => {
      const folder = newFolder()
      const { stop } = await startBroker(['--data', folder])
      t.after(stop)
      return { line: ['--port', '0', '--data', folder] }
    },
    1,
    /^quipu: \/.* is in use by process \d+: end it with `quipu stop --data \/.*`, or use another folder with --data$/,
  ],
  [
    'a folder that cannot be written',
    () => {
      const file = join(newFolder(), 'file')
      writeFileSync(file, '')
      return { line: ['--port', '0', '--data', join(file, 'data')] }
    },
    1,
    /^quipu: \/.*\/file\/data cannot be written: .*: make it writable for this user, or use another folder/,
  ],
  [
    'a folder on a file system without folder creation',
    () => ({ line: ['--port', '0', '--data', '/proc/quipu/data'] }),
    1,
    /^quipu: \/proc\/quipu\/data cannot be written: .*: make it writable for this user, or use another folder/,
  ],
  [
    'a folder of a newer release',
    () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'format.json'), '{"version": 99}')
      return { line: ['--port', '0', '--data', folder] }
    },
    1,
    /^quipu: \/.* has data format 99, this version reads up to \d+: install the newer version of quipu/,
  ],
  [
    'a folder of another market model',
    () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'format.json'), '{"version": 1, "market": 2}')
      return { line: ['--port', '0', '--data', folder] }
    },
    1,
    /^quipu: \/.* has prices of market model 2, this version computes those of model 1: use a new folder with --data/,
  ],
  [
    'a damaged journal',
    damagedJournal,
    1,
    /^quipu: journal damaged from event 1 on: \/.* at byte \d+: .*: restore a backup/,
  ],
  [
    'a broken credentials file',
    () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'credentials.json'), '{')
      return { line: ['--port', '0', '--data', folder] }
    },
    1,
    /^quipu: \/.*\/credentials\.json: expected JSON; restore it from a copy, or delete it$/,
  ],
  [
    'an invalid certificate file',
    () => {
      const file = join(newFolder(), 'cert.pem')
      writeFileSync(file, 'hello')
      return { line: ['--port', '0', '--data', 'memory', '--tls', `${file},${file}`] }
    },
    1,
    /^quipu: the certificate and key cannot be used \(.*\): check the files of --tls$/,
  ],
  [
    'a missing certificate file',
    () => ({ line: ['--port', '0', '--data', 'memory', '--tls', `${newFolder()}/cert.pem,key.pem`] }),
    1,
    /^quipu: \/.*\/cert\.pem does not exist: /,
  ],
]

const oldNode = `
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })
  Object.defineProperty(process, 'version', { value: 'v20.1.0' })`

async function portTaken(t: TestContext): Promise<Case> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { line: ['--data', newFolder(), '--port', String((server.address() as AddressInfo).port)] }
}

async function damagedJournal(): Promise<Case> {
  const folder = newFolder()
  const { stop } = await startBroker(['--data', folder])
  await stop()
  const [file] = globSync(join(folder, 'journal', '*')).sort()
  const bytes = readFileSync(file!)
  // A byte of the first event, after the header of its record.
  const offset = bytes.indexOf('\n', bytes.indexOf('\x1equipu ')) + 5
  bytes[offset] = bytes[offset]! ^ 1
  writeFileSync(file!, bytes)
  return { line: ['--port', '0', '--data', folder] }
}

for (const [name, prepare, exit, line] of rows) {
  test(`${name}: one line on stderr and exit code ${exit}`, async (t) => {
    const { line: words = [], options = {} } = await prepare(t)
    const { code, stdout, stderr } = await quipu(['start', ...words], { cwd: newFolder(), ...options })
    assert.match(stderr, /^[^\n]*\n$/, 'one line')
    assert.match(stderr.trimEnd(), line)
    assert.equal(stdout, '')
    assert.equal(code, exit)
  })
}

test('no command waits for a folder that cannot be created', async () => {
  const file = join(newFolder(), 'AAPL.csv')
  writeFileSync(file, 'timestamp,open,high,low,close\n1704205800,2,3,1,2\n')
  for (const line of [
    ['start', '--detach'],
    ['import', file, '--frame', '1Min'],
  ]) {
    const { code, stderr } = await quipu([...line, '--data', '/proc/quipu'])
    assert.match(stderr, /^quipu: \/proc\/quipu\S* cannot be written: [^\n]*\n$/)
    assert.equal(code, 1)
  }
})

test('a failing start in the background also prints one line', async (t) => {
  const { line = [] } = await portTaken(t)
  const { code, stderr, stdout } = await quipu(['start', '--detach', ...line])
  assert.match(stderr, /^quipu: 127\.0\.0\.1:\d+ is already in use: [^\n]*\n$/)
  assert.deepEqual([code, stdout], [1, ''])
})

test('a server that other computers can reach warns about missing protections', async () => {
  const exposed = await startBroker(['--data', 'memory'], { QUIPU_PUBLIC_URL: 'http://broker.example' })
  assert.equal(await exposed.stop(), 0)
  assert.match(
    exposed.log(),
    /^warning: other computers can reach .*TLS.*QUIPU_SIM=off.*QUIPU_METRICS=operator$/m,
  )
})

test('a shared server behind a proxy on loopback limits requests and wrong keys', async () => {
  const broker = await startBroker(['--data', 'memory'], {
    QUIPU_PROFILE: 'shared',
    QUIPU_PUBLIC_URL: 'https://broker.example',
    QUIPU_TRUST_PROXY: 'on',
    QUIPU_SIM: 'off',
    QUIPU_METRICS: 'operator',
  })
  const limited = await call(broker, 'GET', '/v2/account')
  assert.equal(limited.headers.get('x-ratelimit-limit'), '200')
  const wrong = { ...broker, secretKey: 'a wrong secret' }
  // At once, because the limit of 60 a minute allows one more each second.
  const tries = Array.from({ length: 100 }, () => call(wrong, 'GET', '/v2/account'))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  assert(statuses.filter((status) => status === 401).length >= 60)
  assert(statuses.includes(429), 'more wrong keys than allowed must wait')
  assert.equal(await broker.stop(), 0)
})

/** Emits a warning of Node and an error that nobody catches, once the program has begun. */
const troubled = `
  const timer = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(timer)
    process.emitWarning('be careful')
    setTimeout(() => { throw new Error('nobody catches this') }, 50)
  }, 5)`

const warningsAndErrors = {
  QUIPU_PUBLIC_URL: 'http://broker.example',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(troubled)}`,
}

for (const [what, line, env, code, messages] of [
  ['a failing start', ['--prot', '1'], {}, 2, [['error', /^unknown flag --prot/]]],
  [
    'warnings and an uncaught error',
    ['--port', '0', '--data', 'memory'],
    warningsAndErrors,
    1,
    [
      ['warn', /^other computers can reach/],
      ['warn', /^be careful$/],
      ['error', /^nobody catches this$/],
    ],
  ],
] as const)
  test(`stderr of a service has only JSON lines: ${what}`, async () => {
    const result = await quipu(['start', '--quiet', ...line], { env })
    assert.equal(result.code, code, result.stderr)
    const lines = result.stderr
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    for (const [level, message] of messages)
      assert(
        lines.some((one) => one.level === level && message.test(one.message)),
        result.stderr,
      )
  })
