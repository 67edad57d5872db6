import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { pythonWith } from '../tests/programs/debian.ts'
import { run as quipuRun } from '../tests/run-command/run-process.ts'
import { plainEnvironment } from '../tests/support/broker.ts'
import { casesOf, hasAllCases } from '../tests/support/cases.ts'
import { broker } from '../tests/support/shared-broker.ts'

const folder = import.meta.dirname

/** The variables of `quipu env --all`. */
const environment = () =>
  plainEnvironment({
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
    APCA_API_BASE_URL: broker.url,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  })

const bought = 'bought 2 AAPL at \\d+(\\.\\d+)?\nequity \\d+(\\.\\d+)?, buying power \\d+(\\.\\d+)?\n'

/** The output of each program that needs a broker. `npm test` runs the first four: one of each language and SDK. */
const outputs: Readonly<Record<string, RegExp>> = {
  'first-order.ts': new RegExp(`^${bought}$`),
  'first-order.sh': /^\{.*"symbol":"AAPL".*"qty":"\d+".*\}\n$/,
  'python/first_order.py': new RegExp(`^${bought}$`),
  'official-sdk.ts':
    /^the last price is [\d.]+\npending_new AAPL \S+\nnew AAPL \S+\nfill AAPL \S+\nfilled at [\d.]+\n$/,
  'python/notebook.py':
    /^day {3}0 +\d+\.\d\d #+\n(day .*\n){14}\d+ orders, return -?[\d.]+ %, largest fall [\d.]+ %\n$/,
  'stream.ts': /^AAPL bid [\d.]+ ask [\d.]+\npending_new AAPL 0 of 1\nnew AAPL 0 of 1\nfill AAPL 1 of 1\n$/,
  'bracket.ts':
    /^the entry is filled\nexit: sell 1 at a profit, new\nexit: sell 1 at a loss, held\nopen position: \d+ MSFT\n$/,
  'bot-in-a-world.ts': /^\[ '2026-01-05T\S+ 10 at \d+(\.\d+)?' \]\n$/,
  'mint-and-redeem.ts':
    /^minted 2\.5 AAPLx: completed, 2\.5 shares left the account\nredeemed 1: completed, 1\.5 shares are tokens\n$/,
}

const runners: Readonly<Record<string, string>> = {
  '.ts': process.execPath,
  '.sh': 'sh',
  '.py': pythonWith(['json']),
}
const run = (name: string, env: Record<string, string>) =>
  promisify(execFile)(runners[extname(name)]!, [join(folder, name)], { env })

const explanation = /first: eval \\?"\\?\$\(npm run -s quipu -- env/
const text = (name: string): string => readFileSync(join(folder, name), 'utf8')

for (const [name, output] of casesOf(Object.entries(outputs), 4))
  test(`${name} runs unchanged`, async () => {
    const { stdout } = await run(name, environment())
    assert.match(stdout, output)
  })

for (const name of Object.keys(outputs))
  test(`${name} explains how to get keys`, async () => {
    assert.match(text(name), explanation)
    // One program of each language shows that the message is printed.
    if (name.startsWith('first-order') || name.startsWith('python/first'))
      await assert.rejects(run(name, plainEnvironment()), {
        stderr: /first: eval "\$\(npm run -s quipu -- env/,
      })
  })

test('momentum-bot.ts runs unchanged under quipu run', async () => {
  const { code, stdout, stderr } = await quipuRun([], [process.execPath, join(folder, 'momentum-bot.ts')])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^([A-Z]+ -?[\d.]+ %\n){7}(bought [\d.]+ [A-Z]+ at [\d.]+\n){2}$/)
  assert.match(stderr, /2 orders \(2 filled\), 2 fills/)
  assert.doesNotMatch(text('momentum-bot.ts').replace(/^\/\/.*$/gm, ''), /quipu/i)
})

const bot = [process.execPath, join(folder, 'bot', 'bot.ts')]
/** `npm run test:long` replays the whole year. */
const end = process.env['RUN_NODES'] === 'all' ? '2025-12-31' : '2025-01-17'

test('bot/bot.ts is replayed day by day', async () => {
  const { code, stdout, stderr } = await replayBot()
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^(2025-\d\d-\d\d-(buy|sell)-[A-Z]+ \d+ at [\d.]+\n){3,}$/)
  assert.match(stderr, /replay .*\(exact\)/)
  assert.doesNotMatch(text('bot/bot.ts').replace(/^\/\/.*$/gm, ''), /quipu/i)
})

// tests/run-command/replay.spec.ts shows in each run that two replays are equal.
test('bot/bot.ts trades once, and two replays are equal', { skip: !hasAllCases }, async () => {
  const [live, first, second] = await Promise.all([quipuRun([], [...bot, 'once']), replayBot(), replayBot()])
  assert.equal(live.code, 0, live.stderr)
  assert.equal(second.stdout, first.stdout)
})

const replayBot = () =>
  quipuRun(['--from', '2025-01-02', '--to', end, '--step', '1d', '--hours', 'nyse'], bot)

const programs = globSync('**/*.{ts,js,py,sh,go,yml}', {
  cwd: folder,
  exclude: (path) => path.includes('node_modules'),
})
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => !name.endsWith('.spec.ts'))
  // These files are parts of programs that open with their command.
  .filter((name) => !['tests-vitest/dip-buyer.ts', 'pytest/conftest.py'].includes(name))

test('each program opens with the command that runs it, and another spec runs what this one does not', () => {
  const inOtherSpecs = /^(tests-|pytest\/|go\/|oauth-app\/|issuer\/|github-actions|momentum-bot|bot\/|crash)/
  for (const name of programs) {
    const [first, second] = text(name).split('\n')
    const opening = first === '#!/bin/sh' ? second! : first!
    assert.match(opening, /^(\/\/|#) .*\b(npm|npx|node|sh|python3|go run|pytest|cp) /, name)
    assert.ok(name in outputs || inOtherSpecs.test(name), `${name}: add its output to this spec`)
  }
})

test('programs in TypeScript and JavaScript import only published packages', () => {
  const published =
    /^(\.\/.*|node:.+|@quipu\/(sdk|testing|testing\/vitest)|@alpacahq\/alpaca-trade-api|vitest)$/
  for (const name of programs.filter((one) => /\.[jt]s$/.test(one))) {
    const imported = [...text(name).matchAll(/(?:from |require\()'([^']+)'/g)].map((match) => match[1]!)
    assert.deepEqual(
      imported.filter((from) => !published.test(from)),
      [],
      name,
    )
  }
})
