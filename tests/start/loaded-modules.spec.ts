import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { program, sourceProgram } from '../support/program.ts'
import { quipu } from '../support/quipu-process.ts'

const HOOK = pathToFileURL(join(import.meta.dirname, 'loaded-modules.child.ts')).href

/** Modules that load only when needed. Modules with error types alone are exempt. */
const LAZY: readonly (readonly [name: string, urls: RegExp])[] = [
  ['another library', /node_modules\/(?!ws\/|@msgpack\/msgpack\/|@noble\/hashes\/|@scure\/base\/)/],
  ['the blockchain client', /broker\/src\/chain\/evm/],
  ['web pages', /server\/src\/pages\/(?!cookies)/],
  ['explanations', /server\/src\/http\/reading\/explain/],
  ['file import', /broker\/src\/import\/(?!failures)/],
  ['PostgreSQL', /postgres(?!\/(?:connection-)?failures?\b)/],
  ['upstream market data', /broker\/src\/market\/upstream\/(?!failure)/],
  ['the table of tickers', /tickers\.txt/],
]

type WatchedBroker = Broker & { loaded(): readonly string[] }

async function startWatched(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<WatchedBroker> {
  const file = join(newFolder(), 'loaded')
  writeFileSync(file, '')
  const broker = await startBroker(
    flags,
    { ...env, NODE_OPTIONS: `--import=${HOOK}`, LOADED_MODULES: file },
    sourceProgram,
  )
  return { ...broker, loaded: () => readFileSync(file, 'utf8').split('\n') }
}

const loadedEarly = (broker: WatchedBroker): readonly string[] =>
  LAZY.filter(([, urls]) => broker.loaded().some((url) => urls.test(url))).map(([name]) => name)

for (const [where, data] of casesOf([
  ['in a folder', newFolder()],
  ['in memory', 'memory'],
]))
  test(`a broker ${where} loads only what it needs, and web pages with the first page request`, async () => {
    const broker = await startWatched(['--data', data!])
    try {
      assert.ok(
        broker.loaded().some((url) => url.endsWith('broker/src/world/engine.ts')),
        'loaded modules are recorded',
      )
      const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
      assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
      assert.equal((await call(broker, 'GET', '/v2/tokenization/requests')).status, 200)
      assert.deepEqual(loadedEarly(broker), [])
      const { status, body } = await call(broker, 'GET', '/oauth/sign-in')
      assert.equal(status, 200)
      assert.match(body, /<form/)
      assert.deepEqual(loadedEarly(broker), ['web pages'])
    } finally {
      await broker.stop()
    }
  })

test('a broker in memory does not load what stores files', async () => {
  const broker = await startWatched(['--data', 'memory'])
  try {
    const isOfFiles =
      /broker\/src\/(?:journal|access)\/files\.ts$|registry\/store\/(?:main-store|durable-files)\.ts$/
    assert.deepEqual(
      broker.loaded().filter((url) => isOfFiles.test(url)),
      [],
    )
  } finally {
    await broker.stop()
  }
})

test('a broker with a chain node loads the blockchain client', async () => {
  const key = join(newFolder(), 'key')
  writeFileSync(key, `0x${'1'.repeat(64)}\n`)
  const chain = { QUIPU_CHAIN_URL: 'http://127.0.0.1:9', QUIPU_CHAIN_KEY_FILE: key }
  const broker = await startWatched(['--data', 'memory'], chain)
  try {
    assert.deepEqual(loadedEarly(broker), ['another library', 'the blockchain client'])
    assert.ok(broker.loaded().some((url) => url.includes('micro-eth-signer')))
  } finally {
    await broker.stop()
  }
})

test('a broker with symbols: any reads the table of tickers when a request names an unknown symbol', async () => {
  const broker = await startWatched(['--data', 'memory', '--symbols', 'any'])
  try {
    assert.equal((await call(broker, 'GET', '/v2/assets')).status, 200)
    assert.equal((await call(broker, 'GET', '/v2/assets/AAPL')).status, 200)
    assert.deepEqual(loadedEarly(broker), [])
    assert.equal((await call(broker, 'GET', '/v2/assets/UPRO')).status, 200)
    assert.equal((await call(broker, 'GET', '/v2/assets/SOFI')).status, 200)
    assert.deepEqual(loadedEarly(broker), ['the table of tickers'])
    assert.equal(broker.loaded().filter((path) => path.endsWith('tickers.txt')).length, 1)
  } finally {
    await broker.stop()
  }
})

test('a command loads the values of the core, not its rules', async () => {
  const file = join(newFolder(), 'loaded')
  writeFileSync(file, '')
  const env = { NODE_OPTIONS: `--import=${HOOK}`, LOADED_MODULES: file }
  assert.equal((await quipu(['--version'], { env, file: sourceProgram })).code, 0)
  const loaded = readFileSync(file, 'utf8').split('\n')
  assert.ok(loaded.some((url) => url.endsWith('core/src/values.ts')))
  assert.ok(!loaded.some((url) => url.endsWith('core/src/index.ts')))
})

/** Prints the modules of Node that the process has loaded. */
const printLoaded = encodeURIComponent(
  `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))`,
)

test('a server without TLS and a command to it load neither TLS nor the HTTP client of fetch', {
  skip: program === sourceProgram && 'only the bundle leaves them out',
}, async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${printLoaded}` }
  const folder = newFolder()
  const broker = await startBroker(['--data', folder], env)
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  const listed = await quipu(['order', 'list', '--data', folder], { env })
  assert.equal(listed.code, 0, listed.stderr)
  const closed = once(broker.process, 'close')
  await broker.stop()
  await closed
  for (const printed of [listed.stderr, broker.log()]) {
    assert.match(printed, /^NativeModule http$/m)
    assert.doesNotMatch(printed, /^NativeModule (tls|https|internal\/deps\/undici\/undici)$/m)
  }
})

for (const thread of ['sqlite/reader-thread.ts', 'postgres/reader-thread.ts'])
  test(`${thread} does not load the core`, async () => {
    const file = join(newFolder(), 'loaded')
    writeFileSync(file, '')
    const path = join(import.meta.dirname, '..', '..', 'broker', 'src', 'query-tables', thread)
    const workerData = { file: ':memory:', url: 'postgres://127.0.0.1:9/none', world: 'main' }
    // In another process, because the test runner replaces the files of threads by bundled ones.
    const script = `const { Worker } = require('node:worker_threads')
      new Worker(${JSON.stringify(path)}, ${JSON.stringify({ workerData })}).postMessage({ kind: 'close' })`
    const env = { ...process.env, LOADED_MODULES: file }
    await once(spawn(process.execPath, [`--import=${HOOK}`, '-e', script], { env }), 'exit')
    const loaded = readFileSync(file, 'utf8').split('\n')
    assert.ok(
      loaded.some((url) => url.endsWith(thread)),
      'loaded modules are recorded',
    )
    assert.deepEqual(
      loaded.filter((url) => url.includes('core/src/')),
      [],
    )
  })
