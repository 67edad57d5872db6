import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../contract/src/index.ts'
import { namingField } from '../../server/src/http/steps/first-use.ts'
import { type Body, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import {
  assertRefused,
  bearer,
  broker,
  callWithHeaders,
  get,
  marketBuy,
  newWorld,
  openStream,
  placeOrder,
  postOrder,
  type World,
} from './stage.ts'

const anyWorld = (settings: object = {}) => newWorld({ symbols: ['any'], ...settings })

/** The symbols that a world has listed on first use, in the order of its journal. */
async function listedIn({ world }: Pick<World, 'world'>): Promise<string[]> {
  const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/events?limit=1000`)
  return body.events.flatMap(({ kind, event }: Body) => (kind === 'symbolAdded' ? [event.added.symbol] : []))
}

const SEQ = '/v2/stocks/trades/latest?symbols=AAPL'
const data = '/v2/stocks'
const days = 'timeframe=1Day&start=2025-12-01&end=2025-12-31'

/** A request that names ZQXW, and what shows that the world has it. */
const doors: readonly (readonly [string, (world: World) => Promise<{ status: number; body: Body }>])[] = [
  ['an order', (world) => postOrder(world, { ...marketBuy, symbol: 'ZQXW' })],
  [
    'a preview of an order',
    (world) => call(world, 'POST', '/v2/orders/preview', { ...marketBuy, symbol: 'ZQXW' }),
  ],
  ['an asset', (world) => get(world, '/v2/assets/ZQXW')],
  ['a watchlist', (world) => call(world, 'POST', '/v2/watchlists', { name: 'one', symbols: ['ZQXW'] })],
  ['bars', (world) => get(world, `${data}/bars?symbols=ZQXW,AAPL&${days}`)],
  ['bars of one', (world) => get(world, `${data}/ZQXW/bars?${days}`)],
  ['trades', (world) => get(world, `${data}/trades?symbols=ZQXW&limit=10&start=2025-12-01`)],
  ['quotes', (world) => get(world, `${data}/ZQXW/quotes?limit=10&start=2025-12-01`)],
  ['auctions', (world) => get(world, `${data}/ZQXW/auctions?start=2025-12-01`)],
  ['the latest trade', (world) => get(world, `${data}/ZQXW/trades/latest`)],
  ['the latest quotes', (world) => get(world, `${data}/quotes/latest?symbols=ZQXW`)],
  ['the latest bars', (world) => get(world, `${data}/bars/latest?symbols=ZQXW`)],
  ['a snapshot', (world) => get(world, `${data}/ZQXW/snapshot`)],
  ['snapshots', (world) => get(world, `${data}/snapshots?symbols=ZQXW`)],
  [
    'a market event',
    ({ world }) =>
      callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/market-events`, {
        kind: 'halt',
        symbol: 'ZQXW',
        from: '2026-01-06T15:00:00Z',
        to: '2026-01-06T16:00:00Z',
      }),
  ],
  [
    'a corporate action',
    ({ world }) =>
      callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/corporate-actions`, {
        type: 'forward_split',
        symbol: 'ZQXW',
        ex_date: '2026-01-06',
        new_rate: 2,
        old_rate: 1,
      }),
  ],
]
for (const [name, request] of doors)
  test(`${name} lists an unknown ticker on first use, once, and only where the world says so`, async () => {
    const world = await anyWorld()
    for (const round of ['first', 'second']) {
      const { status, body } = await request(world)
      assert.ok(status < 300 || round === 'second', `${round}: ${status} ${JSON.stringify(body)}`)
    }
    assert.deepEqual(await listedIn(world), ['ZQXW'])
    const { body: asset } = await get(world, '/v2/assets/ZQXW')
    assert.deepEqual([asset.symbol, asset.status, asset.tradable], ['ZQXW', 'active', true])
    const { bars } = (await get(world, `${data}/ZQXW/bars?${days}`)).body
    assert.ok(bars.length > 20)
    const other = await newWorld()
    await request(other)
    assert.deepEqual(await listedIn(other), [])
    assertRefused(await get(other, '/v2/assets/ZQXW'), 404, 40410000)
  })

test('every operation that names a stock is a door, or only looks for something that exists', () => {
  const lookups =
    /^(list|get(?!Asset)|close|remove|deleteData|exercise|doNot|crypto|option|corporateActions|news|logo|index)/
  const others = ['createJournal', 'createLocate', 'createWorld', 'createAsset', 'useData', 'stockHalts']
  const tokens = /Tokenization|createWorldMint|simulateRedemption/
  for (const [name, { params, query, body }] of Object.entries<Body>(operations)) {
    const fields = [params, query, body].flatMap((shape) => Object.keys(shape?.fields ?? {}))
    if (!fields.some((field) => /symbol|positions/.test(field)) || tokens.test(name)) continue
    const isDoor = namingField(name) !== undefined
    assert.equal(isDoor, !lookups.test(name) && !others.includes(name), name)
  }
})

test('a subscription lists an unknown ticker, whose bars then arrive', async () => {
  const world = await anyWorld()
  const stream = await openStream('/v2/sip')
  await stream.next()
  await stream.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  const [answer] = await stream.request({ action: 'subscribe', bars: ['ZQXW'], trades: ['ZQXW'] })
  assert.deepEqual(answer.bars, ['ZQXW'])
  await world.advance('20m')
  const received: Body[] = (await stream.rest()).flat()
  for (const T of ['b', 't'])
    assert.ok(
      received.some((one) => one.T === T && one.S === 'ZQXW'),
      T,
    )
  await stream.close()
  assert.deepEqual(await listedIn(world), ['ZQXW'])
})

const PRICES = `${data}/bars?timeframe=1Hour&start=2025-12-01&end=2026-01-02&limit=10000&symbols=`
const pricesOf = async (world: World, symbol: string) => (await get(world, PRICES + symbol)).body.bars[symbol]

test('the order of first use changes no price, and neither does the way of listing', async () => {
  const [one, other, added] = [await anyWorld(), await anyWorld(), await newWorld()]
  const tickers = ['ZQXW', 'ZQYV', 'ZQZ.B']
  for (const ticker of tickers) await pricesOf(one, ticker)
  for (const ticker of tickers.toReversed()) await pricesOf(other, ticker)
  for (const symbol of tickers) {
    await callAsOperator(broker, 'POST', `/sim/v1/worlds/${added.world}/assets`, { symbol })
    const expected = await pricesOf(one, symbol)
    assert.ok(expected.length > 100)
    assert.deepEqual(await pricesOf(other, symbol), expected)
    assert.deepEqual(await pricesOf(added, symbol), expected)
    assert.deepEqual(
      (await get(other, `/v2/assets/${symbol}`)).body,
      (await get(one, `/v2/assets/${symbol}`)).body,
    )
  }
  assert.deepEqual(await pricesOf(one, 'AAPL'), await pricesOf(added, 'AAPL'))
  const seeded = await anyWorld({ market_seed: 'another' })
  assert.notDeepEqual(await pricesOf(seeded, 'ZQXW'), await pricesOf(one, 'ZQXW'))
})

for (const name of ['zqxw', 'ZQXWVU', 'ZQX.BC', 'ZQ1', 'ZQX/USD', 'ZQX-B', 'FAULT.X', 'FAKEPACA'])
  test(`${name} is no ticker of the United States, so it stays unknown`, async () => {
    const world = await anyWorld()
    assert.equal((await get(world, `/v2/assets/${encodeURIComponent(name)}`)).status, 404)
    assert.deepEqual(await listedIn(world), [])
  })

test('lookups and deletes list nothing', async () => {
  const world = await anyWorld()
  for (const [method, path] of [
    ['GET', '/v2/positions/ZQXW'],
    ['DELETE', '/v2/positions/ZQXW'],
    ['GET', '/v2/orders?symbols=ZQXW'],
    ['GET', '/v1beta1/news?symbols=ZQXW'],
    ['GET', SEQ],
  ] as const)
    await call(world, method, path)
  assert.deepEqual(await listedIn(world), [])
})

test('a credential that only reads lists nothing', async () => {
  const world = await anyWorld()
  const grant = { ...world.created.oauth_client, scope: 'data', account_id: world.accountId }
  const issued = await call(world.partner, 'POST', '/v1/oauth/token', grant)
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const headers = bearer(issued.body.access_token)
  assert.equal((await callWithHeaders('GET', `${data}/ZQXW/trades/latest`, headers)).status, 404)
  const { body } = await callWithHeaders('GET', `${data}/bars?symbols=ZQXW,AAPL&${days}`, headers)
  assert.deepEqual(Object.keys(body.bars), ['AAPL'])
  assert.deepEqual(await listedIn(world), [])
})

test('after 500 symbols the next one is not found, and what is listed stays', async () => {
  const world = await anyWorld()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXY'
  const tickers = [...letters].flatMap((a) => [...letters.slice(0, 20)].map((b) => `ZQ${a}${b}`))
  assert.equal(tickers.length, 500)
  for (let from = 0; from < 500; from += 100)
    await get(world, `${data}/bars/latest?symbols=${tickers.slice(from, from + 100).join(',')}`)
  assert.equal((await listedIn(world)).length, 500)
  assertRefused(await postOrder(world, { ...marketBuy, symbol: 'ZZZZZ' }), 422, 42210000)
  assertRefused(await get(world, '/v2/assets/ZZZZZ'), 404, 40410000)
  assert.equal((await get(world, `/v2/assets/${tickers[499]}`)).status, 200)
  assert.equal((await listedIn(world)).length, 500)
})

test('a fork keeps what was listed and lists more; a reset drops it', async () => {
  const world = await anyWorld()
  await placeOrder(world, { ...marketBuy, symbol: 'ZQXW' })
  const path = `/sim/v1/worlds/${world.world}`
  const { body: fork } = await callAsOperator(broker, 'POST', `${path}/fork`, {})
  assert.deepEqual(fork.symbols, ['any'])
  const [{ key_id: keyId, secret_key: secretKey }] = fork.accounts
  const caller = { url: broker.url, keyId, secretKey }
  assert.equal((await get(caller, '/v2/assets/ZQYV')).status, 200)
  assert.deepEqual(await listedIn({ world: fork.world }), ['ZQXW', 'ZQYV'])
  assert.equal((await callAsOperator(broker, 'POST', `${path}/reset`)).status, 200)
  assert.deepEqual(await listedIn(world), [])
  assert.equal((await get(world, '/v2/assets/ZQXW')).status, 200)
})

test('a symbol that was renamed stays away, and its new name has its prices', async () => {
  const world = await anyWorld()
  const before = await pricesOf(world, 'ZQXW')
  const path = `/sim/v1/worlds/${world.world}/corporate-actions`
  const change = { type: 'name_change', symbol: 'ZQXW', new_symbol: 'ZQYV', ex_date: '2026-01-06' }
  const made = await callAsOperator(broker, 'POST', path, change)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assertRefused(await get(world, '/v2/assets/ZQYV'), 404, 40410000)
  await world.advance('30h')
  assert.deepEqual(await pricesOf(world, 'ZQYV'), before)
  assert.equal((await get(world, '/v2/assets/ZQXW')).body.status, 'inactive')
  assert.deepEqual(await listedIn(world), ['ZQXW'])
})

test('with any, a world has all symbols, those with a price, and others on first use', async () => {
  const world = await newWorld({ symbols: ['any', 'ZQXW:14', 'KO'] })
  assert.deepEqual(world.created.symbols, ['any', 'ZQXW'])
  for (const symbol of ['AAPL', 'KO', 'ZQXW', 'ZQYV'])
    assert.equal((await get(world, `/v2/assets/${symbol}`)).status, 200, symbol)
  assert.deepEqual(await listedIn(world), ['ZQYV'])
})

test('main lists on first use only with any, and has the symbols after a restart', async (t) => {
  const flags = ['--data', newFolder(), '--symbols', 'any,ZQYV:14']
  let bars: unknown
  for (const round of ['first', 'second']) {
    const main = await startBroker(flags)
    t.after(() => main.kill())
    const { body } = await get(main, `${data}/ZQXW/bars?${days}`)
    assert.ok(body.bars.length > 20, round)
    bars ??= body.bars
    assert.deepEqual(body.bars, bars)
    assert.equal((await get(main, '/v2/assets/ZQYV')).status, 200)
    const { body: events } = await callAsOperator(main, 'GET', '/sim/v1/worlds/main/events?limit=1000')
    const added = events.events.filter(({ kind }: Body) => kind === 'symbolAdded')
    assert.deepEqual(added.map(({ event }: Body) => event.added.symbol).sort(), ['ZQXW', 'ZQYV'])
    await main.stop()
  }
  assertRefused(await get(broker, '/v2/assets/ZQXW'), 404, 40410000)
})

test('a world names what it listed on first use, and the unknown symbols that clients named', async () => {
  const world = await anyWorld()
  const read = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/symbols`)).body
  assert.deepEqual(await read(), { any: true, listed: [], limit: 500, unknown: [] })
  await get(world, `${data}/bars/latest?symbols=AAPL,ZQXW,ZQYVYV`)
  await get(world, '/v2/assets/ZQXWVU')
  await postOrder(world, { ...marketBuy, symbol: 'ZQYVYV' })
  const stream = await openStream('/v2/sip')
  await stream.next()
  await stream.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await stream.request({ action: 'subscribe', bars: ['*', 'ZQYVYV', 'ZQZV'] })
  await stream.close()
  const unknown = [
    { symbol: 'ZQYVYV', requests: 3 },
    { symbol: 'ZQXWVU', requests: 1 },
  ]
  assert.deepEqual(await read(), { any: true, listed: ['ZQXW', 'ZQZV'], limit: 500, unknown })
})
