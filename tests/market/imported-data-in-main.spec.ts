import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type Body, call, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { barRows, barsFile, runOn } from '../support/imported-data.ts'
import { command } from '../support/quipu-command.ts'

const folder = newFolder()
let broker = await startBroker(['--data', folder])
after(() => broker.stop())
const tryCommand = (...words: string[]) => command([...words, '--data', folder])
const run = (...words: string[]) => runOn(folder, ...words)
const journal = async (): Promise<Body> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/journal')).body

/** Four days of a symbol that the market lists, at half its price. */
const apple = join(newFolder(), 'AAPL_1Day.csv')
writeFileSync(
  apple,
  [
    'timestamp,open,high,low,close,volume',
    ...[2, 3, 4, 5].map((day) => `2024-01-0${day}T05:00:00Z,128,129,127,128.5,1000`),
    '',
  ].join('\n'),
)

test('an import changes neither the prices nor the equity nor the journal of main', async () => {
  const latest = async () => (await call(broker, 'GET', '/v2/stocks/AAPL/bars?timeframe=1Day&limit=5')).body
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  await call(broker, 'POST', '/v2/orders', order)
  const past = '/v2/stocks/AAPL/bars?timeframe=1Day&start=2023-12-01&end=2024-02-01'
  const before = [await latest(), (await call(broker, 'GET', past)).body]
  const { seq } = await journal()
  await run('import', apple)
  await run('import', barsFile)
  assert.deepEqual([await latest(), (await call(broker, 'GET', past)).body], before)
  assert.equal((await call(broker, 'GET', '/v2/assets/ZQXW')).status, 404)
  const { body: events } = await callAsOperator(
    broker,
    'GET',
    `/sim/v1/worlds/main/events?after=${seq}&limit=100`,
  )
  assert.ok(!JSON.stringify(events).includes('mported'), JSON.stringify(events))
  const { equity } = (await call(broker, 'GET', '/v2/account')).body
  assert.ok(Number(equity) > 99_900, equity)
})

test('imported data is listed with the worlds that use it', async () => {
  const { body: data } = await callAsOperator(broker, 'GET', '/sim/v1/data')
  assert.deepEqual(
    data.map(({ symbol, kind, frame, rows: count, worlds }: Body) => [symbol, kind, frame, count, worlds]),
    [
      ['AAPL', 'bars', '1Day', 4, []],
      ['ZQXW', 'bars', '1Min', 780, []],
    ],
  )
  assert.match(await run('data', 'list'), /bars 1Min ZQXW +780 .* none/)
})

test('`data use` makes main use imported data, and the journal records the change', async () => {
  const { seq } = await journal()
  const output = await run('data', 'use', 'ZQXW')
  assert.match(output, /^main uses:\n.*\nbars 1Min ZQXW +780 +[0-9a-f]{12}$/m)
  const { body: events } = await callAsOperator(
    broker,
    'GET',
    `/sim/v1/worlds/main/events?after=${seq}&kind=importedDataUsed`,
  )
  assert.ok(JSON.stringify(events).includes('"ZQXW"'), JSON.stringify(events))
  const again = await journal()
  await run('data', 'use', 'ZQXW')
  assert.deepEqual(await journal(), again, 'using the same data again records no event')
  assert.equal((await call(broker, 'GET', '/v2/assets/ZQXW')).body.symbol, 'ZQXW')
  const { body } = await call(
    broker,
    'GET',
    '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-11&limit=10000',
  )
  assert.deepEqual(
    body.bars.map(({ t, o, h, l, c, v, n, vw }: Body) => [t, o, h, l, c, v, n, vw]),
    barRows.map(([time, ...numbers]) => [time!.replace('.000Z', 'Z'), ...numbers.map(Number)]),
  )
})

for (const [what, symbols] of [
  ['data that was never imported', ['NOPE']],
  ['no symbols', []],
] as const)
  test(`main refuses to use ${what}`, async () => {
    const before = await journal()
    const { status } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/data', { symbols })
    assert.equal(status, 422)
    assert.deepEqual(await journal(), before)
  })

test('data that a world uses cannot be deleted, other data can', async () => {
  const refused = await tryCommand('data', 'delete', 'ZQXW')
  assert.equal(refused.code, 4)
  assert.match(refused.stderr, /^quipu data delete: bars 1Min ZQXW.*world main/)
  const { world } = await newWorld(broker, { market: 'replay', symbols: ['AAPL'] })
  assert.match(
    (await tryCommand('data', 'delete', 'AAPL')).stderr,
    new RegExp(`data delete: .*AAPL.*world ${world}`),
  )
  await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world}`)
  assert.equal((await tryCommand('data', 'delete', 'AAPL', '--kind', 'trades')).code, 4)
  assert.match(await run('data', 'delete', 'AAPL', '--kind', 'bars'), /bars 1Day AAPL/)
  assert.ok(!(await run('data', 'list')).includes('AAPL'))
})

test('a backup has the data that main uses, and the restored server has the same prices', async (t) => {
  const [backup, restored] = [join(newFolder(), 'backup'), join(newFolder(), 'restored')]
  await run('store', 'backup', backup, '--with-credentials')
  await runOn(restored, 'store', 'restore', backup)
  const other = await startBroker(['--data', restored])
  t.after(() => other.stop())
  const path = '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-03-10&end=2025-04-10'
  assert.deepEqual((await call(other, 'GET', path)).body, (await call(broker, 'GET', path)).body)
  await runOn(restored, 'import', barsFile)
})

/** Starts a server that must fail, and returns its stderr. */
async function refusedStart(): Promise<string> {
  const { code, stderr } = await tryCommand('start', '--port', '0')
  assert.equal(code, 1)
  return stderr
}

test('main starts only with the imported data that it uses', async () => {
  const path = '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-03-10&end=2025-04-10'
  const prices = async () => (await call(broker, 'GET', path)).body
  const before = await prices()
  await broker.stop()
  assert.match(await run('data', 'list'), /bars 1Min ZQXW +780 .* main/)
  assert.match((await tryCommand('data', 'delete', 'ZQXW')).stderr, /bars 1Min ZQXW is used by world main/)
  await run('import', apple)
  await run('data', 'delete', 'AAPL')

  const market = join(folder, 'market')
  renameSync(market, `${market}.away`)
  assert.match(
    await refusedStart(),
    /world main uses imported data \(bars 1Min ZQXW: 780 rows\).*does not have it/,
  )

  renameSync(`${market}.away`, market)
  const database = new DatabaseSync(join(market, 'market.sqlite'))
  const { changes } = database
    .prepare("UPDATE blocks SET data = zeroblob(length(data)) WHERE series = 'bars-1Min.ZQXW'")
    .run()
  assert.ok(Number(changes) > 0)
  database.close()
  assert.match(await refusedStart(), /ZQXW.* is damaged: .*import the same files again/)

  rmSync(market, { recursive: true })
  await run('import', barsFile)
  broker = await startBroker(['--data', folder])
  assert.deepEqual(await prices(), before)
})
