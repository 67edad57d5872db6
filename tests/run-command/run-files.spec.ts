import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type RunFile, readRun, runPage, tradesOf } from '../../sdk/src/runs/index.ts'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { runOnShared as run } from './run-on-shared.ts'
import { programs } from './run-process.ts'

/** Sends an order again without an id of its own when the response is lost. */
const careless = `const url = 'https://paper-api.alpaca.markets/v2/orders'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
const body = JSON.stringify({ symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' })
const place = () => fetch(url, { method: 'POST', headers, body })
let placed = await place().catch(place)
while (placed.status === 429) {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  placed = await place()
}
let order = await placed.json()
while (order.status !== 'filled') order = await fetch(url + '/' + order.id, { headers }).then((one) => one.json())`

/** Buys, then sells, and prints its keys. */
const bot = `const headers = { 'APCA-API-KEY-ID': 'PKWRITTENINTOPROGRAM', 'APCA-API-SECRET-KEY': 'written-secret' }
console.log('key', process.env.APCA_API_KEY_ID, process.env.APCA_API_SECRET_KEY, process.env.MY_TOKEN)
console.error('Authorization: Bearer abcdefghijklmnop, password=hunter2hunter2')
for (const side of ['buy', 'sell']) {
  const order = { symbol: 'AAPL', qty: '10', side, type: 'market', time_in_force: 'day' }
  const url = 'https://paper-api.alpaca.markets/v2/orders'
  const placed = await fetch(url, { method: 'POST', headers, body: JSON.stringify(order) })
  console.log(side, placed.status)
  await new Promise((resolve) => setTimeout(resolve, 3_600_000))
}
setInterval(() => undefined, 3_600_000)`

const { url, brokerKey, brokerSecret } = broker

const inFolder = (folder: string) => readdirSync(folder).map((name) => join(folder, name))

async function onlyFile(folder: string): Promise<RunFile> {
  const files = inFolder(folder)
  assert.equal(files.length, 1, files.join(', '))
  return readRun(readFileSync(files[0]!))
}

test('a run makes a file with result, trades, requests and output, and no keys', async () => {
  const folder = newFolder()
  const program = join(folder, 'bot.mjs')
  writeFileSync(program, bot)
  const runs = join(folder, 'runs')
  const { code, stdout, stderr } = await run(
    ['--runs', runs, '--seed', '7', '--from', '2026-01-05T15:00:00Z', '--to', '2026-01-06T18:00:00Z'],
    [process.execPath, program, '--token=command-line-token'],
    { env: { MY_TOKEN: 'my-own-token-value' } },
  )
  assert.equal(code, 0)
  assert.match(stdout, /my-own-token-value\nbuy 200\nsell 200/)
  assert.match(stderr, /run file .*bot\.mjs-seed-7-/)
  const text = gunzipSync(readFileSync(inFolder(runs)[0]!)).toString()
  for (const secret of [
    'my-own-token',
    'PKWRITTEN',
    'written-secret',
    'abcdefghij',
    'hunter2',
    'command-line-token',
  ])
    assert.equal(text.includes(secret), false, secret)
  assert.doesNotMatch(text, /\b[PC]K[A-Z0-9]{18}\b/)
  const file = await onlyFile(runs)
  const { parts } = file
  assert.deepEqual(
    [file.run.program, file.run.seed, file.run.verdict, file.run.orders, file.run.requests, file.run.symbols],
    ['bot.mjs', '7', 'passed', 2, 2, ['AAPL']],
  )
  assert.deepEqual(
    parts.output.map((line) => line.text),
    [
      'key removed removed removed',
      'Authorization: Bearer removed, password=removed',
      'buy 200',
      'sell 200',
    ].sort(
      (a, b) => parts.output.findIndex((l) => l.text === a) - parts.output.findIndex((l) => l.text === b),
    ),
  )
  // A line has the time of the world when the program wrote it.
  assert.deepEqual(
    parts.output.map(({ at }) => at.slice(0, 16)),
    ['2026-01-05T15:00', '2026-01-05T15:00', '2026-01-05T15:00', '2026-01-05T16:00'],
  )
  assert.deepEqual(
    parts.request.map(({ method, path, status, at }) => [method, path, status, at]),
    [
      ['POST', '/v2/orders', 200, '2026-01-05T15:00:00.000Z'],
      ['POST', '/v2/orders', 200, '2026-01-05T16:00:00.000Z'],
    ],
  )
  const [trade] = tradesOf(parts.fill, parts.price)
  assert.ok(trade)
  assert.deepEqual([trade.symbol, trade.qty, trade.side], ['AAPL', 10, 'long'])
  // The account pays fees besides.
  assert.ok(Math.abs(trade.profit! - file.run.profit_loss) < 0.1)
  assert.ok(parts.event.some(({ kind }) => kind === 'orderFilled'))
  assert.equal(parts.equity[0]?.hold, 100_000)
  const last = parts.equity.at(-1)?.hold
  assert.equal(file.run.buy_and_hold, Math.round((last! - 100_000) * 100) / 100)
  assert.equal(file.run.sharpe, undefined)
})

test('each line has the time of the world when the program wrote it', async () => {
  const runs = newFolder()
  const program = `const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
    const say = () => console.log(new Date().toISOString() + 'x'.repeat(100_000))
    await fetch('https://paper-api.alpaca.markets/v2/account', { headers })
    setInterval(() => { for (let n = 0; n < 3; n++) say(); console.error(new Date().toISOString()) }, 7 * 60_000)`
  const file = join(newFolder(), 'clock.mjs')
  writeFileSync(file, program)
  const span = ['--from', '2026-01-05T15:00:00Z', '--to', '2026-01-05T16:00:00Z']
  await run(['--runs', runs, '--quiet', ...span], [process.execPath, file])
  const { output } = (await onlyFile(runs)).parts
  assert.ok(output.length >= 4 * 8, String(output.length))
  assert.deepEqual(
    output.filter(({ at, text }) => at !== text.slice(0, 24)),
    [],
  )
})

test('a scenario run and a drill make files; a failed drill says what to change and has its requests', async () => {
  const runs = newFolder()
  const env = { QUIPU_URL: url, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret }
  const scenario = await command(['scenario', 'run', 'flash-crash', '--quiet', '--runs', runs], { env })
  assert.equal(scenario.code, 0, scenario.stderr)
  const crash = await onlyFile(runs)
  assert.deepEqual(
    [crash.run.kind, crash.run.scenario, crash.run.verdict],
    ['scenario', 'flash-crash', 'passed'],
  )
  assert.deepEqual(
    crash.parts.fault.map(({ kind }) => kind),
    ['market'],
  )
  assert.equal(crash.run.faults_met, 1)

  const drills = newFolder()
  const program = join(newFolder(), 'careless.mjs')
  writeFileSync(program, careless)
  const flags = ['--only', 'answer-lost,rate-limited', '--limit', '30s', '--runs', drills]
  const drill = await command(['drill', ...flags, '--', process.execPath, program], { env })
  assert.match(drill.stdout, /failed +answer-lost/, drill.stderr)
  const { run, parts } = await onlyFile(drills)
  assert.deepEqual([run.kind, run.verdict, run.reason], ['drill', 'failed', '1 of 2 drills failed'])
  const [lost, limited] = parts.drill
  assert.deepEqual([lost?.result, limited?.result], ['failed', 'passed'])
  assert.match(lost?.advice ?? '', /client_order_id/)
  assert.match(lost?.evidence ?? '', /^sent \d placements, \d orders, /)
  const proof = parts.request.filter(({ drill, method }) => drill === 'answer-lost' && method === 'POST')
  assert.ok(proof.length >= 2)
  const page = runPage({ run, parts })
  assert.match(page, /What to change/)
  assert.match(page, /Failed: 1 of 2 drills failed/)

  // The command that repeats the whole session is a part of its provenance.
  assert.equal(
    run.repeat,
    `quipu drill --only answer-lost,rate-limited --limit 30s --seed drill -- ${process.execPath} ${program}`,
  )
  assert.ok(page.includes(`<code>${run.repeat}</code>`))
  const again = await command([...run.repeat.split(' ').slice(1), '--runs', newFolder()])
  assert.deepEqual(again.stdout.match(/^(passed|failed) .*/gm), drill.stdout.match(/^(passed|failed) .*/gm))
})

test('the seeds of a command have one group', async () => {
  const runs = newFolder()
  const summary = join(newFolder(), 'summary.json')
  const flags = ['--seeds', '2', '--parallel', '1', '--runs', runs, '--summary', summary, '--quiet']
  const { code } = await run(flags, [process.execPath, join(programs, 'orders.mjs')])
  assert.equal(code, 0)
  const files = await Promise.all(inFolder(runs).map((path) => readRun(readFileSync(path))))
  assert.deepEqual(files.map(({ run }) => run.seed).sort(), ['1', '2'])
  assert.equal(new Set(files.map(({ run }) => run.group)).size, 1)
  const { stdout } = await command(['runs', 'list', '--runs', runs])
  assert.match(stdout, /2 of 2 passed .* 2 seeds/)
  const group = files[0]!.run.group!
  assert.ok(stdout.includes(`\n${group.slice(0, 8)} `), stdout)
  const shown = await command(['runs', 'show', group.slice(0, 8), '--runs', runs])
  assert.match(
    shown.stdout,
    /2 seeds, [012] with a profit, 0 failed\nThe result is not shown to be different from zero/,
  )
  assert.match(
    shown.stdout,
    /worst {5}seed [12] with .*: quipu run --url \S+ --quiet --seed [12] --world seed-[12] -- /,
  )
  const { runs: _, violations: __, ...expected } = JSON.parse(readFileSync(summary, 'utf8'))
  const json = await command(['runs', 'show', group, '--runs', runs, '--json'])
  const { runs: listed, group: id, ...figures } = JSON.parse(json.stdout)
  assert.deepEqual([listed.length, id, figures], [2, group, expected])
})

test('output is cut at 10 MB, and --runs off writes nothing but the page of --report', async () => {
  const runs = newFolder()
  const noisy = `fetch('https://paper-api.alpaca.markets/v2/account', { headers: { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' } })
    .then(() => { for (let n = 0; n < 12 * 128; n++) console.log('x'.repeat(8191)) })`
  const { stdout } = await run(['--runs', runs, '--quiet'], [process.execPath, '-e', noisy])
  assert.equal(stdout.length, 12 * 1024 * 1024)
  const { run: record, parts } = await onlyFile(runs)
  assert.equal(record.is_cut, true)
  assert.equal(parts.output.at(-1)?.text, 'the output is cut at 10 MB')
  assert.ok(parts.output.reduce((sum, { text }) => sum + text.length, 0) <= 10 * 1024 * 1024)
  const [none, page] = [join(newFolder(), 'none'), join(newFolder(), 'page.html')]
  const flags = ['--runs', 'off', '--report', page]
  await run(flags, [process.execPath, join(programs, 'orders.mjs')], { env: { QUIPU_RUNS: none } })
  assert.equal(existsSync(none), false)
  assert.match(readFileSync(page, 'utf8'), /<h1>orders\.mjs<\/h1>[\s\S]*POST \/v2\/orders/)
  const silent = await run(['--quiet', '--report', '/dev/null/page'], ['true'])
  assert.deepEqual(
    [silent.code, /page was not written: the run has no result/.test(silent.stderr)],
    [70, true],
  )
})

test('quipu runs works on a folder: show, compare, export, import and delete', async () => {
  const runs = newFolder()
  await run(['--runs', runs, '--quiet'], [process.execPath, join(programs, 'orders.mjs')])
  const { run: record } = await onlyFile(runs)
  const name = record.id.slice(0, 8)
  const on = (...line: readonly string[]) => command(['runs', ...line, '--runs', runs])
  assert.match((await on('show', name)).stdout, /orders\.mjs/)
  assert.match((await on('compare', name, inFolder(runs)[0]!)).stdout, new RegExp(`run +${name} +${name}`))
  const folder = newFolder()
  const [page, file] = [join(folder, 'run.html'), join(folder, 'copy.quipu-run')]
  assert.equal((await on('export', name, page, '--html')).code, 0)
  assert.doesNotMatch(readFileSync(page, 'utf8'), /<script|https?:\/\/(?!paper-api)|<link/)
  assert.equal((await on('export', name, file)).code, 0)
  assert.equal((await on('export', name, file)).code, 1)
  assert.equal((await on('delete', name)).code, 0)
  assert.deepEqual(inFolder(runs), [])
  assert.match((await on('import', file)).stdout, new RegExp(name))
  assert.equal((await onlyFile(runs)).run.id, record.id)
  assert.match((await on('show', 'ffff')).stderr, /no run ffff/)
})
