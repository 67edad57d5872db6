import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callAsOperator, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { run } from './run-process.ts'

const { url, brokerKey, brokerSecret } = broker
const env = { QUIPU_URL: url, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret }
const quipu = (...line: string[]) => command(line, { env })

const headers = `{ 'APCA-API-KEY-ID': 'PKWRITTENINTOPROGRAM', 'APCA-API-SECRET-KEY': 'secret' }`
/** Asks for the price of an unknown symbol, and prints the status. */
const asks = `fetch('https://data.alpaca.markets/v2/stocks/ZQXW/trades/latest', { headers: ${headers} })
  .then((response) => { console.log(response.status); return response.text() })`
/** Ends with 20 after a status of 200, with 40 after 404. */
const ends = asks.replace(
  'console.log(response.status)',
  'process.exitCode = Math.floor(response.status / 10)',
)
const script = (text: string): readonly string[] => [process.execPath, '-e', text]
const start = ['--start', '2026-01-05T15:00:00Z']

const cases: readonly (readonly [string, readonly string[], number])[] = [
  ['in a new world', ['--world', 'first-use', ...start], 200],
  ['in a new world, strict', ['--world', 'first-strict', ...start, '--strict-symbols'], 404],
  ['in main of another process', [], 404],
  ['in a scenario', ['--scenario', 'flash-crash'], 200],
  ['in a scenario, strict', ['--scenario', 'flash-crash', '--strict-symbols'], 404],
]
for (const [name, flags, status] of cases)
  test(`quipu run ${name}: an unknown symbol gets ${status}`, async () => {
    const { code, stderr } = await quipu('run', '--url', url, ...flags, '--', ...script(ends))
    assert.equal(code, Math.floor(status / 10), stderr)
  })

const text = `name: first-use
about: Buys a symbol that the market does not have.
world:
  start: 2026-01-05T15:00:00Z
steps:
  - place: { symbol: ZQXW, qty: "1", side: buy, type: market, time_in_force: day, client_order_id: one }
`

test('scenario run lists symbols on first use, and not with --strict-symbols or symbols of its own', async () => {
  const file = join(newFolder(), 'first.yml')
  writeFileSync(file, text)
  const passed = await quipu('scenario', 'run', file)
  assert.equal(passed.code, 0, passed.stdout + passed.stderr)
  const strict = await quipu('scenario', 'run', file, '--strict-symbols')
  assert.equal(strict.code, 1)
  assert.match(strict.stdout, /asset "?ZQXW"? not found|assetNotFound/)
  writeFileSync(file, text.replace('world:', 'world:\n  symbols: [AAPL]'))
  assert.equal((await quipu('scenario', 'run', file)).code, 1)
})

test('a recording names the symbols of its world, so that its check has them too', async () => {
  const file = join(newFolder(), 'bot.ndjson')
  const flags = ['--url', url, '--world', 'recorded-any', ...start, '--record', file]
  const ran = await run(flags, script(asks), { env })
  assert.equal(ran.stdout, '200\n', ran.stderr)
  const [world] = readFileSync(file, 'utf8').split('\n')
  assert.deepEqual(JSON.parse(world!).symbols, ['any'])
  const checked = await quipu('replay-check', file)
  assert.match(checked.stdout, /1 request, .* 0 differences/)
})

const buys = `fetch('https://paper-api.alpaca.markets/v2/orders', { method: 'POST', headers: ${headers},
  body: JSON.stringify({ symbol: 'ZQXW', qty: '1', side: 'buy', type: 'market', time_in_force: 'gtc',
    client_order_id: 'only-one' }) })
  .then(async (response) => { await response.text(); if (!response.ok) process.exitCode = 1 })`

test('drill makes worlds that list on first use', async () => {
  const drill = (...flags: string[]) =>
    command(['drill', '--only', 'answer-lost', '--json', ...flags, '--', ...script(buys)], { env })
  const { stdout, stderr } = await drill()
  assert.equal(JSON.parse(stdout || '{}').baseline?.orders, 1, stderr)
  const strict = await drill('--strict-symbols')
  assert.notEqual(strict.code, 0)
  assert.equal((await callAsOperator(broker, 'GET', '/v2/assets/ZQXW')).status >= 400, true)
})

const names = `(async () => {
  const headers = ${headers}
  const data = 'https://data.alpaca.markets/v2/stocks'
  for (const symbol of ['ZQXW', 'ZQYVYV', 'ZQZZZZ'])
    await (await fetch(data + '/bars/latest?symbols=AAPL,' + symbol, { headers })).text()
  console.log((await fetch(data + '/ZQXW/trades/latest', { headers })).status)
  await (await fetch('https://paper-api.alpaca.markets/v2/positions/KO', { headers })).text()
  for (const symbol of ['ZQYYYY', 'ZQYYYY'])
    await (await fetch('https://paper-api.alpaca.markets/v2/orders', { method: 'POST', headers, body: JSON.stringify(
      { symbol, qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }) })).text()
})()`

test('the summary names unknown symbols, refusals by cause and lookups that found nothing', async () => {
  const file = join(newFolder(), 'summary.json')
  const { stdout, stderr } = await run(['--summary', file], script(names))
  assert.equal(stdout, '200\n')
  const { symbols, refusals, lookups_not_found } = JSON.parse(readFileSync(file, 'utf8'))
  const unknown = ['ZQYVYV', 'ZQZZZZ', 'ZQYYYY']
  assert.deepEqual(symbols, { listed: ['ZQXW'], unknown, limit_reached: false })
  assert.deepEqual(
    refusals.map(({ cause, count }: { cause: string; count: number }) => [cause, count]),
    [['assetNotFound', 2]],
  )
  assert.equal(lookups_not_found, 1)
  assert.match(
    stderr,
    /symbols {3}listed on first use: ZQXW\n {2}symbols {3}unknown: ZQYVYV, ZQZZZZ, ZQYYYY\n/,
  )
  assert.match(stderr, /refused {3}POST \/v2\/orders: 422 .*ZQYYYY.* \(2 times\)/)
  assert.doesNotMatch(stderr, /positions/)
  const strict = await run(['--strict-symbols'], script(names))
  assert.equal(strict.stdout, '404\n')
  assert.match(strict.stderr, /symbols {3}unknown: ZQXW, ZQYVYV/)
})

test('the summary says when the world lists no more symbols', async () => {
  const many = `(async () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const symbols = letters.flatMap((one) => letters.map((other) => 'ZQ' + one + other))
    for (let from = 0; from < symbols.length; from += 100)
      await (await fetch('https://data.alpaca.markets/v2/stocks/trades/latest?symbols=' +
        symbols.slice(from, from + 100), { headers: ${headers} })).text()
  })()`
  const { stderr } = await run(['--url', url, '--world', 'first-many', ...start], script(many), { env })
  assert.match(stderr, /listed on first use: ZQAA, .* and 480 more\n/)
  assert.match(stderr, /the world lists no more symbols on first use/)
})
