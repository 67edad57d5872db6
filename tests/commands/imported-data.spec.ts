import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  type Body,
  type Broker,
  call,
  callAsOperator,
  newFolder,
  newWorld,
  startBroker,
} from '../support/broker.ts'
import { barRows, barsFile, newFile, runOn } from '../support/imported-data.ts'
import { command } from '../support/quipu-command.ts'
import { StreamClient } from '../support/stream-client.ts'

const folder = newFolder()
const broker = await startBroker(['--data', folder])
after(() => broker.stop())
const tryCommand = (...words: string[]) => command([...words, '--data', folder])
const run = (...words: string[]) => runOn(folder, ...words)

before(async () => {
  await run('import', barsFile)
  await run('data', 'use', 'ZQXW')
})

test('daily bars follow the session, and generated prices continue from the last imported price', async () => {
  const days = (
    await call(broker, 'GET', '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-03-10&end=2025-03-14')
  ).body.bars
  const first = barRows.slice(0, 390)
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
  assert.ok(Math.abs(days[2].o / Number(barRows.at(-1)![4]) - 1) < 0.1, `${days[2].o}`)
})

test('a repeated import changes nothing; an export returns the imported rows', async () => {
  await run('import', barsFile)
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/data')
  assert.equal(body[0].rows, 780)
  const exported = join(newFolder(), 'out.csv')
  assert.equal((await tryCommand('export', exported)).code, 0)
  const [header, ...lines] = readFileSync(exported, 'utf8').trim().split('\n')
  const time = header!.split(',').indexOf('timestamp')
  assert.equal(lines.length, 780)
  for (const [index, line] of lines.entries()) {
    const [cells, imported] = [line.split(','), barRows[index]!]
    assert.equal(Date.parse(cells[time]!), Date.parse(imported[0]!))
    for (const number of imported.slice(1))
      assert.ok(
        cells.some((cell) => Number(cell) === Number(number)),
        line,
      )
  }
})

test('generated bars of any symbol can be exported and imported again', async () => {
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
  const { code, stderr } = await tryCommand('export', out, ...flags)
  assert.equal(code, 0, stderr)
  const other = newFolder()
  const imported = await command(['import', out, '--json', '--data', other])
  assert.equal(imported.code, 0, imported.stderr)
  assert.match(imported.stdout, /AAPL/)
  const back = join(newFolder(), 'back.csv')
  await command(['export', back, '--frame', '1Day', '--symbols', 'AAPL', '--data', other])
  const { bars } = (
    await call(broker, 'GET', '/v2/stocks/AAPL/bars?timeframe=1Day&start=2026-03-02&end=2026-03-06')
  ).body
  const lines = readFileSync(back, 'utf8').trim().split('\n').slice(1)
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(2).map(Number)),
    bars.map(({ o, h, l, c, v, n, vw }: Body) => [o, h, l, c, v, n, vw]),
  )
})

test('a date in an export is a New York day for stocks and a UTC day for crypto', async () => {
  const out = join(newFolder(), 'hours.csv')
  const flags = ['--from', 'market', '--symbols', 'AAPL,BTC/USD', '--frame', '1Hour']
  const { code, stderr } = await tryCommand(
    'export',
    out,
    ...flags,
    '--start',
    '2026-03-02',
    '--end',
    '2026-03-02',
  )
  assert.equal(code, 0, stderr)
  const rows = readFileSync(out, 'utf8').trim().split('\n').slice(1)
  const times = rows.map((line) => line.split(',')).filter(([symbol]) => symbol === 'BTC/USD')
  assert.deepEqual(
    [times[0]![1], times.at(-1)![1], times.length],
    ['2026-03-02T00:00:00Z', '2026-03-02T23:00:00Z', 24],
  )
})

async function runReplay(): Promise<{ readonly frames: Body[]; readonly order: Body }> {
  const world = await newWorld(broker, {
    seed: 'replay',
    market: 'replay',
    symbols: ['ZQXW'],
    start: '2025-03-10T13:30:00Z',
  })
  const client = await StreamClient.open(`${broker.url}/v2/sip`)
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({
    action: 'subscribe',
    bars: ['*'],
    trades: ['ZQXW'],
    quotes: ['ZQXW'],
    dailyBars: ['*'],
  })
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

test('a replay world sends the imported data, the same in every run, and fills at imported prices', async () => {
  const [first, second] = [await runReplay(), await runReplay()]
  assert.deepEqual(first.frames, second.frames)
  const bars = first.frames.filter(({ T }) => T === 'b')
  assert.deepEqual(
    bars.map(({ S, t, o, c, v }) => [S, t, o, c, v]),
    barRows
      .slice(0, 40)
      .map((row) => ['ZQXW', row[0]!.replace('.000Z', 'Z'), Number(row[1]), Number(row[4]), Number(row[5])]),
  )
  assert.equal(first.order.status, 'filled')
  const [, , high, low] = barRows[10]!
  const price = Number(first.order.filled_avg_price)
  assert.ok(price <= Number(high) + 0.02 && price >= Number(low) - 0.02, `${price} in ${low}..${high}`)
  assert.ok(Date.parse(first.order.filled_at) >= Date.parse('2025-03-10T13:40:00Z'))
})

test('fractional sizes in a file are sent as whole numbers, because clients read only those', async () => {
  const fractions = join(newFolder(), 'ZQYV_1Min.csv')
  const bars = 'timestamp,open,high,low,close,volume\n2025-03-10T14:00:00Z,5,6,4,5.5,1000.6\n'
  writeFileSync(fractions, bars)
  const trades = join(newFolder(), 'ZQYV_trades.csv')
  writeFileSync(trades, 'symbol,timestamp,price,size,id\nZQYV,2025-03-10T14:00:01Z,5,0.4,1\n')
  for (const path of [fractions, trades]) {
    const { code, stderr } = await tryCommand('import', path)
    assert.equal(code, 0, stderr)
  }
  const world = await newWorld(broker, { market: 'replay', start: '2025-03-11T00:00:00Z' })
  const get = async (path: string) => (await call(world, 'GET', `/v2/stocks/ZQYV/${path}`)).body
  const day = 'start=2025-03-10&end=2025-03-10'
  for (const frame of ['1Min', '5Min']) {
    const { bars: minutes } = await get(`bars?timeframe=${frame}&${day}`)
    assert.deepEqual(
      minutes.map(({ v }: Body) => v),
      [1001],
    )
  }
  assert.deepEqual(
    (await get(`trades?${day}`)).trades.map(({ s: size }: Body) => size),
    [1],
  )
})

test('a replay world lists only imported symbols', async () => {
  const world = await newWorld(broker, { market: 'replay', start: '2025-03-10T15:00:00Z' })
  const { body } = await call(world, 'GET', '/v2/assets')
  assert.deepEqual(body.map(({ symbol }: Body) => symbol).sort(), ['ZQXW', 'ZQYV'])
})

test('a replay world keeps its data after a later import; a new world has the later data', async () => {
  const settings = { market: 'replay', symbols: ['ZQXW'], start: '2025-03-13T00:00:00Z' }
  const path = '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-03-10&end=2025-03-12'
  const days = async (world: Pick<Broker, 'url' | 'keyId' | 'secretKey'>) =>
    (await call(world, 'GET', path)).body.bars?.length
  const first = await newWorld(broker, settings)
  const more = join(newFolder(), 'ZQXW_1Min.csv')
  writeFileSync(more, 'timestamp,open,high,low,close\n2025-03-12T14:00:00Z,20,20,20,20\n')
  // The second import removes files that the first one replaced, unless a world uses them.
  for (const path of [more, barsFile, more]) await run('import', path)
  const second = await newWorld(broker, settings)
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${first.world}/fork`, {})
  const [{ key_id: keyId, secret_key: secretKey }] = fork.body.accounts
  assert.deepEqual(
    [await days(first), await days(second), await days({ ...first, keyId, secretKey }), await days(broker)],
    [2, 3, 2, 3],
  )
})

for (const [what, path, body] of [
  ['a symbol', 'assets', { symbol: 'SOFI', price: '12' }],
  ['a market event', 'market-events', { kind: 'crash', at: '2025-03-10T16:00:00Z', depth: '0.2' }],
] as const)
  test(`${what} cannot be added to a replay world, and the refused request writes nothing`, async () => {
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
  const market_events = [{ kind: 'crash', at: '2025-03-10T16:00:00Z', depth: '0.2' }]
  const { status } = await callAsOperator(broker, 'POST', '/sim/v1/worlds', {
    market: 'replay',
    market_events,
  })
  assert.equal(status, 422)
})

test('of two concurrent requests for the same world name, one is refused', async () => {
  const create = () => callAsOperator(broker, 'POST', '/sim/v1/worlds', { world: 'twice', market: 'replay' })
  const statuses = (await Promise.all([create(), create()])).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [201, 409])
})

test('a scenario uses imported data, alone or for some symbols', async () => {
  const text = (world: string, more: string) => `name: imported
about: ZQXW costs about 20 dollars.
world: { start: 2025-03-10T14:00:00Z, fees: none${world} }
${more}
steps:
  - place: { client_order_id: entry, symbol: ZQXW, side: buy, qty: 1, type: market }
  - after: 1m
expect:
  accounts: { trader: { positions: { ZQXW: 1 }, cash: { min: 99975, max: 99985 } } }
`
  for (const [world, more] of [
    [', market: replay', ''],
    ['', 'imported: [ZQXW]'],
  ] as const) {
    const path = newFile('scenario.yml', text(world, more))
    const { code, stdout } = await tryCommand('scenario', 'run', path, '--json')
    assert.equal(code, 0, stdout)
  }
})
