import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Body, call, callAsOperator, newFolder, newWorld, startBroker } from './broker.ts'
import { quipu } from './quipu-process.ts'
import { StreamClient } from './stream-client.ts'

/** Two sessions of minutes of a symbol nobody lists, with a wave for a price. */
const START = Date.parse('2025-03-10T13:30:00Z')
const rows = [0, 86_400_000].flatMap((day) =>
  Array.from({ length: 390 }, (_, minute) => {
    const middle = 20 + 2 * Math.sin(minute / 40)
    const [open, close] = [middle, 20 + 2 * Math.sin((minute + 1) / 40)].map((price) => price.toFixed(2))
    const high = (Math.max(Number(open), Number(close)) + 0.05).toFixed(2)
    const low = (Math.min(Number(open), Number(close)) - 0.05).toFixed(2)
    const time = new Date(START + day + minute * 60_000).toISOString()
    return [time, open, high, low, close, String(1000 + minute), '10', middle.toFixed(4)]
  }),
)
const csv = [
  'timestamp,open,high,low,close,volume,trade_count,vwap',
  ...rows.map((row) => row.join(',')),
].join('\n')

const folder = newFolder()
const file = join(newFolder(), 'ZQXW_1Min.csv')
writeFileSync(file, `${csv}\n`)

const broker = await startBroker(['--data', folder])
after(() => broker.stop())
const onFolder = (...words: string[]) => quipu([...words, '--data', folder])

test('a running server takes up an import: the symbol is an asset, and its bars are the rows of the file', async () => {
  assert.equal((await call(broker, 'GET', '/v2/assets/ZQXW')).status, 404)
  const { code, stdout, stderr } = await onFolder('import', file)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /780/)
  assert.equal((await call(broker, 'GET', '/v2/assets/ZQXW')).body.symbol, 'ZQXW')
  const { body } = await call(
    broker,
    'GET',
    '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-11&limit=10000',
  )
  assert.deepEqual(
    body.bars.map(({ t, o, h, l, c, v, n, vw }: Body) => [t, o, h, l, c, v, n, vw]),
    rows.map(([time, ...numbers]) => [time!.replace('.000Z', 'Z'), ...numbers.map(Number)]),
  )
  const { body: data } = await callAsOperator(broker, 'GET', '/sim/v1/data')
  assert.deepEqual(
    data.map(({ symbol, kind, frame, rows: count }: Body) => [symbol, kind, frame, count]),
    [['ZQXW', 'bars', '1Min', 780]],
  )
})

test('days are folded by the session, and the market goes on from the last price', async () => {
  const days = (
    await call(broker, 'GET', '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-03-10&end=2025-03-14')
  ).body.bars
  const first = rows.slice(0, 390)
  const [day] = days
  assert.deepEqual(
    [day.o, day.h, day.l, day.c, day.v],
    [
      Number(first[0]![1]),
      Math.max(...first.map((row) => Number(row[2]))),
      Math.min(...first.map((row) => Number(row[3]))),
      Number(first.at(-1)![4]),
      first.reduce((sum, row) => sum + Number(row[5]), 0),
    ],
  )
  assert.equal(days.length, 5)
  assert.ok(Math.abs(days[2].o / Number(rows.at(-1)![4]) - 1) < 0.1, `${days[2].o}`)
})

test('the same import again changes nothing; what was exported is what was imported', async () => {
  assert.equal((await onFolder('import', file)).code, 0)
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/data')
  assert.equal(body[0].rows, 780)
  const exported = join(newFolder(), 'out.csv')
  assert.equal((await onFolder('export', exported)).code, 0)
  const [header, ...lines] = readFileSync(exported, 'utf8').trim().split('\n')
  const time = header!.split(',').indexOf('timestamp')
  assert.equal(lines.length, 780)
  for (const [index, line] of lines.entries()) {
    const [own, given] = [line.split(','), rows[index]!]
    assert.equal(Date.parse(own[time]!), Date.parse(given[0]!))
    for (const number of given.slice(1))
      assert.ok(
        own.some((cell) => Number(cell) === Number(number)),
        line,
      )
  }
})

test('what the market has of any symbol is exported too, and can be imported again', async () => {
  const out = join(newFolder(), 'days.parquet')
  const flags = [
    '--from',
    'market',
    '--symbols',
    'AAPL,BTC/USD',
    '--frame',
    '1Day',
    '--start',
    '2026-03-02',
    '--end',
    '2026-03-06',
  ]
  const { code, stderr } = await onFolder('export', out, ...flags)
  assert.equal(code, 0, stderr)
  const other = newFolder()
  const imported = await quipu(['import', out, '--json', '--data', other])
  assert.equal(imported.code, 0, imported.stderr)
  assert.match(imported.stdout, /AAPL/)
  const back = join(newFolder(), 'back.csv')
  await quipu(['export', back, '--frame', '1Day', '--symbols', 'AAPL', '--data', other])
  const { bars } = (
    await call(broker, 'GET', '/v2/stocks/AAPL/bars?timeframe=1Day&start=2026-03-02&end=2026-03-06')
  ).body
  const lines = readFileSync(back, 'utf8').trim().split('\n').slice(1)
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(2).map(Number)),
    bars.map(({ o, h, l, c, v, n, vw }: Body) => [o, h, l, c, v, n, vw]),
  )
})

async function play(): Promise<{ readonly frames: Body[]; readonly order: Body }> {
  const world = await newWorld(broker, { seed: 'replay', market: 'replay', start: '2025-03-10T13:30:00Z' })
  const client = await StreamClient.open(`${broker.url}/v2/sip`)
  await client.next()
  await client.ask({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.ask({ action: 'subscribe', bars: ['*'], trades: ['ZQXW'], quotes: ['ZQXW'], dailyBars: ['*'] })
  await world.advance('10m')
  const order = (
    await call(world, 'POST', '/v2/orders', {
      symbol: 'ZQXW',
      qty: '5',
      side: 'buy',
      type: 'market',
      time_in_force: 'day',
    })
  ).body
  await world.advance('30m')
  const { body } = await call(world, 'GET', `/v2/orders/${order.id}`)
  const frames = (await client.rest()).flat()
  await client.close()
  return { frames, order: body }
}

test('a world of replay tells what was imported, twice the same, and fills at prices of that time', async () => {
  const [first, second] = [await play(), await play()]
  assert.deepEqual(first.frames, second.frames)
  const bars = first.frames.filter(({ T }) => T === 'b')
  assert.deepEqual(
    bars.map(({ S, t, o, c, v }) => [S, t, o, c, v]),
    rows
      .slice(0, 40)
      .map((row) => ['ZQXW', row[0]!.replace('.000Z', 'Z'), Number(row[1]), Number(row[4]), Number(row[5])]),
  )
  assert.equal(first.order.status, 'filled')
  const [, , high, low] = rows[10]!
  const price = Number(first.order.filled_avg_price)
  assert.ok(price <= Number(high) + 0.02 && price >= Number(low) - 0.02, `${price} in ${low}..${high}`)
  assert.ok(Date.parse(first.order.filled_at) >= Date.parse('2025-03-10T13:40:00Z'))
})

test('fractions of shares in a file are told as whole ones, which is all that clients read', async () => {
  const fractions = join(newFolder(), 'ZQYV_1Min.csv')
  const bars = 'timestamp,open,high,low,close,volume\n2025-03-10T14:00:00Z,5,6,4,5.5,1000.6\n'
  writeFileSync(fractions, bars)
  const trades = join(newFolder(), 'ZQYV_trades.csv')
  writeFileSync(trades, 'symbol,timestamp,price,size,id\nZQYV,2025-03-10T14:00:01Z,5,0.4,1\n')
  for (const path of [fractions, trades]) {
    const { code, stderr } = await onFolder('import', path)
    assert.equal(code, 0, stderr)
  }
  const get = async (path: string) => (await call(broker, 'GET', `/v2/stocks/ZQYV/${path}`)).body
  const day = 'start=2025-03-10&end=2025-03-10'
  for (const frame of ['1Min', '5Min']) {
    const { bars: told } = await get(`bars?timeframe=${frame}&${day}`)
    assert.deepEqual(
      told.map(({ v }: Body) => v),
      [1001],
    )
  }
  assert.deepEqual(
    (await get(`trades?${day}`)).trades.map(({ s: size }: Body) => size),
    [1],
  )
})

test('a world of replay knows nothing but what was imported', async () => {
  const world = await newWorld(broker, { market: 'replay', start: '2025-03-10T15:00:00Z' })
  const { body } = await call(world, 'GET', '/v2/assets')
  assert.deepEqual(body.map(({ symbol }: Body) => symbol).sort(), ['ZQXW', 'ZQYV'])
})

for (const [what, path, body] of [
  ['a symbol', 'assets', { symbol: 'SOFI', price: '12' }],
  ['a market event', 'weather', { kind: 'crash', at: '2025-03-10T16:00:00Z', depth: '0.2' }],
] as const)
  test(`${what} cannot be added to a replay world, and the attempt writes nothing`, async () => {
    const { world } = await newWorld(broker, { market: 'replay', start: '2025-03-10T15:00:00Z' })
    const { body: before } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/journal`)
    const { status, body: refused } = await callAsOperator(
      broker,
      'POST',
      `/sim/v1/worlds/${world}/${path}`,
      body,
    )
    assert.equal(status, 422, JSON.stringify(refused))
    assert.match(refused.message, /replay/)
    assert.deepEqual((await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/journal`)).body, before)
  })

test('a replay world takes no market events at its creation either', async () => {
  const weather = [{ kind: 'crash', at: '2025-03-10T16:00:00Z', depth: '0.2' }]
  const { status } = await callAsOperator(broker, 'POST', '/sim/v1/worlds', { market: 'replay', weather })
  assert.equal(status, 422)
})
