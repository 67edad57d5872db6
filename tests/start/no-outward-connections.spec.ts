import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@quipu/sdk'
import { WebSocket } from 'ws'
import { type Broker, newFolder, newWorld, plainEnvironment, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const recorder = pathToFileURL(join(import.meta.dirname, 'outward-recorder.ts')).href

/** An environment that records the outgoing connections of a process, and the record so far. */
function recording() {
  const file = join(newFolder(), 'outward.log')
  return {
    env: { NODE_OPTIONS: `--import ${recorder}`, OUTWARD_RECORD: file },
    record: () => readFileSync(file, 'utf8').trimEnd().split('\n'),
  }
}

const methods: readonly (readonly [method: string, code: string, expected: RegExp])[] = [
  ['fetch', `fetch('http://127.0.0.1:59999').catch(() => {})`, /^socket connect/],
  ['https', `require('node:https').get('https://127.0.0.1:59999').on('error', () => {})`, /^socket connect/],
  [
    'http2',
    `require('node:http2').connect('http://127.0.0.1:59999').on('error', () => {})`,
    /^socket connect/,
  ],
  [
    'a named import',
    `import('node:net').then(({ connect }) => connect(59999).on('error', () => {}))`,
    /^socket/,
  ],
  [
    'a datagram',
    `const s = require('node:dgram').createSocket('udp4'); s.send('x', 59999, () => s.close())`,
    /^data/,
  ],
  ['a DNS lookup', `require('node:dns').lookup('localhost', () => {})`, /^dns lookup/],
  [
    'a DNS lookup with promises',
    `import('node:dns/promises').then((dns) => dns.lookup('localhost'))`,
    /^dns lookup/,
  ],
  ['a program', `require('node:child_process').execFile('true')`, /^program spawn/],
  [
    'a thread',
    `const code = "import { connect } from 'node:net'; connect(59999).on('error', () => {})"
     new (require('node:worker_threads').Worker)(new URL('data:text/javascript,' + code))`,
    /^socket connect/,
  ],
]
for (const [method, code, expected] of methods)
  test(`the recorder detects ${method}`, async () => {
    const { env, record } = recording()
    await promisify(execFile)(process.execPath, ['-e', code], { env: plainEnvironment(env) })
    const lines = record()
    assert.equal(lines[0], 'watching')
    assert(
      lines.some((line) => expected.test(line)),
      lines.join('\n'),
    )
  })

test('the process opens only connections that a setting names', async () => {
  const { env, record } = recording()
  const folder = newFolder()
  for (const start of ['first', 'second']) {
    const broker = await startBroker(['--data', folder], env)
    await trade(broker)
    await mint(broker)
    await grant(broker)
    await listen(broker)
    await advanceWorld(broker)
    assert.equal(await broker.stop(), 0, start)
  }
  assert.deepEqual(new Set(record()), new Set(['watching']))
})

async function trade(broker: Broker): Promise<void> {
  const client = createClient(broker)
  const body = { symbol: 'AAPL', side: 'buy', time_in_force: 'gtc' } as const
  await client.placeOrder({ body: { ...body, qty: 3, type: 'market' } })
  const { id } = await client.placeOrder({ body: { ...body, qty: 1, type: 'limit', limit_price: 1 } })
  await client.cancelOrder({ params: { order_id: id } })
  await client.stockBars({ query: { symbols: 'AAPL', timeframe: '1Day', start: '2026-01-02' } })
}

async function mint(broker: Broker): Promise<void> {
  const client = createClient(broker)
  const shares = { underlying_symbol: 'AAPL', qty: '1', issuer: 'xstocks', network: 'solana' } as const
  const wallet_address = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
  const request = await client.postTokenizationMint({ body: { ...shares, wallet_address } })
  const params = { tokenization_request_id: request.tokenization_request_id }
  await waitUntil('the mint ends', async () => {
    return (await client.getTokenizationRequest({ params })).status !== 'pending'
  })
}

async function grant(broker: Broker): Promise<void> {
  const partner = createClient({ url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret })
  const app = {
    client_id: broker.oauthClientId,
    client_secret: broker.oauthClientSecret,
    redirect_uri: broker.oauthRedirectUri,
  }
  const { code } = await partner.authorizeOAuthToken({
    body: { ...app, scope: 'trading', account_id: broker.accountId },
  })
  await createClient(broker).exchangeOAuthCode({ body: { ...app, grant_type: 'authorization_code', code } })
}

async function listen({ url, keyId, secretKey }: Broker): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
  const message = new Promise((resolve) => socket.once('message', resolve))
  socket.on('open', () => socket.send(JSON.stringify({ action: 'auth', key: keyId, secret: secretKey })))
  assert.match(String(await message), /authorized/)
  socket.terminate()
}

async function advanceWorld(broker: Broker): Promise<void> {
  const world = await newWorld(broker)
  assert.equal((await world.advance('1h')).status, 200)
}
