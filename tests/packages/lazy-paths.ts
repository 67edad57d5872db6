import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { buyShares, ISSUER_KEY, mint, startNode, waitForCompletion } from '../chain/stage.ts'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { barsFile } from '../support/imported-data.ts'
import { quipu } from '../support/quipu-process.ts'
import { waitUntil } from '../support/wait-until.ts'
import { isLongRun, programIn, type Runtime } from './packed.ts'

const order = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }
const MIXED_CASE_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** Calls every part of the packed server that is loaded only when it is used. */
export function callLazyPaths(folder: string, { major, node }: Runtime): void {
  const file = programIn(folder)
  const start = (data: string, env: Readonly<Record<string, string>> = {}) =>
    startBroker(['--data', data], env, file, node)
  const run: Run = (line, env = {}) => quipu(line, { file, node, env })

  describe(`the packed server on Node ${major}`, { timeout: 120_000 }, async () => {
    const data = newFolder()
    const broker = await start(data, { QUIPU_WALLETS: 'strict' })
    after(async () => {
      // Node 22 would warn of SQLite in the main thread and in each thread of the store.
      assert.deepEqual(broker.log().match(/warning/gi), null, broker.log())
      assert.equal(await broker.stop(), 0)
    })

    test('an order fills', () => placeAndFill(broker))
    test('a mint to a mixed-case wallet is checked', () => mintToMixedCase(broker))
    test('the pages to sign in', () => readPages(broker))
    test('a token for a signed assertion', () => requestToken(broker, data, run))
    test('quipu run takes the requests of a program', () => runProgram(run, node))
    test('a scenario that ships with the package', () => runScenario(run))
    test('Parquet is written and read', () => copyByParquet(run))
    // Other tests load these parts from the same bundle on Node 24.
    const skip = !isLongRun
    test('prices of an upstream provider', { skip }, async () => {
      const { broker: provider } = await import('../support/shared-broker.ts')
      const { upstreamOf } = await import('../upstream/stage.ts')
      const reader = await start('memory', upstreamOf(provider.url, provider))
      await waitUntil('the order is accepted', async () => {
        const { status } = await call(reader, 'POST', '/v2/orders', order)
        return status === 200
      })
      assert.equal(await reader.stop(), 0)
    })
    test('PostgreSQL stores an order, also after a restart, and an audit reads it', () =>
      usePostgres(start, run))
    test('an EVM chain', { skip }, () => mintOnChain(start))
  })
}

async function runScenario(run: Run): Promise<void> {
  const { code, stdout, stderr } = await run(['scenario', 'run', 'flash-crash', '--json'])
  assert.equal(code, 0, stderr)
  assert.equal(JSON.parse(stdout).passed, true)
}

type Start = (data: string, env?: Readonly<Record<string, string>>) => Promise<Broker>
type Run = (line: readonly string[], env?: Readonly<Record<string, string>>) => ReturnType<typeof quipu>

async function placeAndFill(broker: Broker): Promise<void> {
  const { status, body } = await call(broker, 'POST', '/v2/orders', order)
  assert.equal(status, 200, JSON.stringify(body))
  await waitUntil('the order is filled', async () => {
    const { body: found } = await call(broker, 'GET', `/v2/orders/${body.id}`)
    return found.status === 'filled'
  })
}

/** The account has no shares: 400 means that the address was accepted and the position was refused. */
async function mintToMixedCase(broker: Broker): Promise<void> {
  const request = { underlying_symbol: 'AAPL', qty: '1', issuer: 'xstocks', network: 'base' }
  for (const [wallet, expected] of [
    [MIXED_CASE_WALLET, 400],
    [MIXED_CASE_WALLET.replace('aA', 'Aa'), 422],
  ] as const) {
    const sent = { ...request, wallet_address: wallet }
    const { status, body } = await call(broker, 'POST', '/v2/tokenization/mint', sent)
    assert.equal(status, expected, JSON.stringify(body))
  }
}

async function readPages(broker: Broker): Promise<void> {
  for (const path of ['/', '/docs', '/openapi.json', '/metrics', '/readyz', '/oauth/sign-in'])
    assert.equal((await fetch(broker.url + path)).status, 200, path)
  const signedIn = await fetch(broker.signInUrl!, { redirect: 'manual' })
  assert(signedIn.status < 400, String(signedIn.status))
}

async function requestToken({ url }: Broker, data: string, run: Run): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = join(newFolder(), 'key.pem')
  writeFileSync(pem, publicKey.export({ format: 'pem', type: 'spki' }))
  const at = ['--data', data, '--url', url, '--json']
  const made = await run(['key', 'create', '--kind', 'partner', '--public-key', pem, ...at])
  assert.equal(made.code, 0, made.stderr)
  const { key_id: id } = JSON.parse(made.stdout)
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: id, sub: id, aud: `${url}/v1/oauth2/token`, iat, exp: iat + 300, jti: randomUUID() }
  const text = [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const response = await fetch(`${url}/v1/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${text}.${signature.toString('base64url')}`,
    }),
  })
  assert.match(((await response.json()) as { access_token: string }).access_token, /./)
}

async function runProgram(run: Run, node: string): Promise<void> {
  const file = join(newFolder(), 'bot.mjs')
  const headers = `{ 'APCA-API-KEY-ID': process.env.APCA_API_KEY_ID, 'APCA-API-SECRET-KEY': process.env.APCA_API_SECRET_KEY }`
  writeFileSync(
    file,
    `const response = await fetch('https://paper-api.alpaca.markets/v2/account', { headers: ${headers} })
    console.log((await response.json()).status)`,
  )
  const { code, stdout, stderr } = await run(['run', '--', node, file])
  assert.deepEqual([code, stdout], [0, 'ACTIVE\n'], stderr)
}

async function copyByParquet(run: Run): Promise<void> {
  const [from, to, files] = [newFolder(), newFolder(), newFolder()]
  const [parquet, csv, again] = ['bars.parquet', 'bars.csv', 'again.csv'].map((name) => join(files, name))
  const frame = ['--frame', '1Min', '--symbols', 'ZQXW']
  for (const line of [
    ['import', barsFile, '--data', from],
    ['export', parquet!, ...frame, '--data', from],
    ['export', csv!, ...frame, '--data', from],
    ['import', parquet!, '--data', to],
    ['export', again!, ...frame, '--data', to],
  ]) {
    const { code, stderr } = await run(line)
    assert.equal(code, 0, stderr)
  }
  assert.equal(readFileSync(parquet!).subarray(0, 4).toString(), 'PAR1')
  assert.equal(readFileSync(again!, 'utf8'), readFileSync(csv!, 'utf8'))
  assert(readFileSync(csv!, 'utf8').length > 10_000)
}

async function usePostgres(start: Start, run: Run): Promise<void> {
  const cluster = await Cluster.start()
  after(() => cluster.stop())
  const [data, url] = [newFolder(), await cluster.database('packed')]
  const first = await start(data, { QUIPU_STORE: url })
  await placeAndFill(first)
  assert.equal(await first.stop(), 0)
  const second = await start(data, { QUIPU_STORE: url })
  assert.equal((await call(second, 'GET', '/v2/orders?status=all')).body.length, 1)
  assert.equal(await second.stop(), 0)
  const audit = await run(['audit', '--json', '--data', data], { QUIPU_STORE: url })
  assert.equal(JSON.parse(audit.stdout).sound, true, audit.stderr)
}

async function mintOnChain(start: Start): Promise<void> {
  const chain = await startNode()
  after(() => chain.close())
  const keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, `${ISSUER_KEY}\n`)
  const broker = await start(newFolder(), { QUIPU_CHAIN_URL: chain.url, QUIPU_CHAIN_KEY_FILE: keyFile })
  await buyShares(broker, 'AAPL', '2')
  const done = await waitForCompletion(broker, await mint(broker, '1'))
  assert.match(done.tx_hash, /^0x[0-9a-f]{64}$/)
  assert.equal(await broker.stop(), 0)
}
