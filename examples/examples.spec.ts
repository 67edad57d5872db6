import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Broker, plainEnvironment, startBroker } from '../tests/broker.ts'

let broker: Broker
before(async () => {
  broker = await startBroker()
})
after(() => broker.stop())

/** The variables of `quipu env --all`. */
const environment = () =>
  plainEnvironment({
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
    APCA_API_BASE_URL: broker.url,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  })

const outputs: Readonly<Record<string, RegExp>> = {
  'first-order.ts': /^bought 2 AAPL at \d+(\.\d+)?\nequity \d+(\.\d+)?, buying power \d+(\.\d+)?\n$/,
  'bot-in-a-world.ts': /^\[ '2026-01-05T\S+ 10 at \d+(\.\d+)?' \]\n$/,
  'mint-and-redeem.ts':
    /^minted 2\.5 AAPLx: completed, 2\.5 shares left the account\nredeemed 1: completed, 1\.5 shares are tokens\n$/,
  'official-sdk.ts':
    /^the last price is [\d.]+\npending_new AAPL \S+\nnew AAPL \S+\nfill AAPL \S+\nfilled at [\d.]+\n$/,
}

const programs = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
)

for (const name of programs) {
  const file = join(import.meta.dirname, name)

  test(`${name} runs unchanged`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: environment() })
    assert.match(stdout, outputs[name] ?? assert.fail(`add the output of ${name} to this test`))
  })

  test(`${name} explains how to get keys`, async () => {
    await assert.rejects(promisify(execFile)(process.execPath, [file], { env: plainEnvironment() }), {
      stderr: /first: eval "\$\(npm run -s quipu -- env/,
    })
  })

  test(`${name} imports only published packages`, () => {
    const imported = [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]!)
    assert.deepEqual(
      imported.filter((from) => !/^(node:.+|@quipu\/sdk|@alpacahq\/alpaca-trade-api)$/.test(from)),
      [],
    )
  })
}
