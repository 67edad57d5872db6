import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Broker, call, newFolder, startBroker } from './broker.ts'
import { sourceProgram } from './program.ts'
import { quipu } from './quipu-process.ts'

const HOOK = pathToFileURL(join(import.meta.dirname, 'loaded-modules.child.ts')).href

/** What must not be there before it is needed; a look at what a failure is called is no loading of the thing. */
const LAZY: readonly (readonly [what: string, where: RegExp])[] = [
  ['another library', /node_modules\/(?!ws\/|@noble\/hashes\/)/],
  ['the real chain', /server\/src\/chain\/evm/],
  ['pages for browsers', /server\/src\/pages\//],
  ['files of other programs', /server\/src\/import\/(?!failures)/],
  ['PostgreSQL', /postgres(?!\/failures)/],
  ['the prices of somebody else', /server\/src\/market\/upstream\/(?!failure)/],
]

type Watched = Broker & { loaded(): readonly string[] }

async function startWatched(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  const file = join(newFolder(), 'loaded')
  writeFileSync(file, '')
  const broker = await startBroker(
    flags,
    { ...env, NODE_OPTIONS: `--import=${HOOK}`, LOADED_MODULES: file },
    sourceProgram,
  )
  return { ...broker, loaded: () => readFileSync(file, 'utf8').split('\n') }
}

const found = (broker: Watched): readonly string[] =>
  LAZY.filter(([, where]) => broker.loaded().some((url) => where.test(url))).map(([what]) => what)

for (const [where, flags] of [
  ['in memory', ['--data', 'memory']],
  ['in a folder', ['--data', newFolder()]],
] as const)
  test(`a broker ${where} loads what it needs, and pages with the first that is asked for`, async () => {
    const broker = await startWatched(flags)
    try {
      assert.ok(
        broker.loaded().some((url) => url.endsWith('server/src/world/engine.ts')),
        'modules are seen',
      )
      const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
      assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
      assert.equal((await call(broker, 'GET', '/v2/tokenization/requests')).status, 200)
      assert.deepEqual(found(broker), [])
      const { status, body } = await call(broker, 'GET', '/oauth/sign-in')
      assert.equal(status, 200)
      assert.match(body, /<form/)
      assert.deepEqual(found(broker), ['pages for browsers'])
    } finally {
      await broker.stop()
    }
  })

test('a broker that is told of a chain loads what speaks with it', async () => {
  const key = join(newFolder(), 'key')
  writeFileSync(key, `0x${'1'.repeat(64)}\n`)
  const chain = { QUIPU_CHAIN_URL: 'http://127.0.0.1:9', QUIPU_CHAIN_KEY_FILE: key }
  const broker = await startWatched(['--data', 'memory'], chain)
  try {
    assert.deepEqual(found(broker), ['another library', 'the real chain'])
    assert.ok(broker.loaded().some((url) => url.includes('micro-eth-signer')))
  } finally {
    await broker.stop()
  }
})

test('a command that asks a server loads the values of the core, not its rules', async () => {
  const file = join(newFolder(), 'loaded')
  writeFileSync(file, '')
  const env = { NODE_OPTIONS: `--import=${HOOK}`, LOADED_MODULES: file }
  assert.equal((await quipu(['--version'], { env, file: sourceProgram })).code, 0)
  const loaded = readFileSync(file, 'utf8').split('\n')
  assert.ok(loaded.some((url) => url.endsWith('core/src/values.ts')))
  assert.ok(!loaded.some((url) => url.endsWith('core/src/index.ts')))
})
