import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Broker, call, plainEnvironment, startBroker } from '../../tests/support/broker.ts'
import { quipu } from '../../tests/support/quipu-process.ts'

const file = join(import.meta.dirname, 'issuer.ts')
let broker: Broker
let home = ''
let stop = () => undefined as unknown
const output: string[] = []

before(async () => {
  broker = await startBroker()
  const child = spawn(process.execPath, [file], {
    env: plainEnvironment({
      APCA_API_BASE_URL: broker.url,
      QUIPU_BROKER_KEY: broker.brokerKey,
      QUIPU_BROKER_SECRET: broker.brokerSecret,
      ISSUER_PORT: '0',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stop = () => child.kill()
  createInterface({ input: child.stdout }).on('line', (line) => output.push(line))
  await until(() => output.length >= 2)
  home = /on (http:\S+);/.exec(output[0]!)![1]!
})
after(async () => {
  stop()
  await broker.stop()
})

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    if (await condition()) return
    await sleep(50)
  }
  assert.fail(`timeout: ${condition}; output: ${output.join('\n')}`)
}
const shares = async () => (await call(broker, 'GET', '/v2/positions/AAPL')).body.qty
const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'

test('the issuer links an account by e-mail, mints its shares and redeems them', async () => {
  const line = ['issuer', 'link', 'ondo', broker.accountId, '--email', 'ap@example.org']
  const linked = await quipu([...line, '--url', broker.url], {
    env: { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret },
  })
  assert.equal(linked.code, 0, linked.stderr)
  const order = { symbol: 'AAPL', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
  await until(async () => (await shares()) === '3')

  const mint = {
    underlying_symbol: 'AAPL',
    qty: '2',
    issuer: 'ondo',
    network: 'base',
    wallet_address: wallet,
  }
  await until(async () => (await call(broker, 'POST', '/v2/tokenization/mint', mint)).status === 200)
  const latest = async () => (await call(broker, 'GET', '/v2/tokenization/requests')).body[0]
  await until(async () => (await latest()).status === 'completed')
  assert.equal(await shares(), '1')
  // The issuer prints the second line when it has the response of the broker, after the request is completed.
  await until(() => output.length >= 4)
  assert.deepEqual(output.slice(2), [`minted 2 oAAPL to ${wallet}`, 'the broker returned 200'])

  const body = JSON.stringify({ qty: '0.5', wallet })
  const received = await fetch(`${home}/received`, { method: 'POST', body })
  assert.equal(received.status, 200)
  await until(async () => (await shares()) === '1.5')
  const { type, status } = await latest()
  assert.deepEqual([type, status], ['redeem', 'completed'])
})

test('the commands of the README work', async () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const [, ...blocks] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)
  assert.equal(blocks.length, 2)
  // The test sets the keys and has already started the issuer.
  const script = blocks.join('\n').replaceAll(/^eval .*$/gm, '')
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: plainEnvironment({
      APCA_API_BASE_URL: broker.url,
      APCA_API_KEY_ID: broker.keyId,
      APCA_API_SECRET_KEY: broker.secretKey,
      APCA_ACCOUNT_ID: broker.accountId,
      QUIPU_BROKER_KEY: broker.brokerKey,
      QUIPU_BROKER_SECRET: broker.brokerSecret,
      QUIPU_URL: broker.url,
      ISSUER_PORT: new URL(home).port,
      PATH: `${join(import.meta.dirname, '..', '..', 'node_modules', '.bin')}:${process.env['PATH']}`,
    }),
  })
  assert.match(stdout, /"issuer":"ondo"[\s\S]*"type":"redeem"[\s\S]*"status":"completed"/)
})

test('a call without the signature of the broker is refused', async () => {
  const body = JSON.stringify({ tokenization_request_id: 'x', status: 'completed' })
  for (const path of ['mint', 'confirm', 'connect'])
    assert.equal((await fetch(`${home}/${path}`, { method: 'POST', body })).status, 401)
  assert.equal((await fetch(`${home}/tokens`)).status, 401)
})

test('the error explains how to get keys', async () => {
  await assert.rejects(promisify(execFile)(process.execPath, [file], { env: plainEnvironment() }), {
    stderr: /first: eval "\$\(npm run -s quipu -- env/,
  })
})

test('it imports only Node modules', () => {
  const imported = [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]!)
  assert.deepEqual(
    imported.filter((from) => !from.startsWith('node:')),
    [],
  )
})
