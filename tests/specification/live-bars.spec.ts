import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { type StreamClient, Timestamp } from '../support/stream-client.ts'
import { bearer, broker, get, newWorld, openStream, type World } from './stage.ts'

const packed = { 'Content-Type': 'application/msgpack' }
const connected = [{ T: 'success', msg: 'connected' }]
const authenticated = [{ T: 'success', msg: 'authenticated' }]
const error = (code: number, msg: string) => [{ T: 'error', code, msg }]
const auth = ({ keyId, secretKey }: Pick<World, 'keyId' | 'secretKey'>) => ({
  action: 'auth',
  key: keyId,
  secret: secretKey,
})
const subscription = (lists: Readonly<Record<string, readonly string[]>>) => [
  {
    T: 'subscription',
    trades: [],
    quotes: [],
    bars: [],
    updatedBars: [],
    dailyBars: [],
    statuses: [],
    lulds: [],
    imbalances: [],
    corrections: [],
    cancelErrors: [],
    ...lists,
  },
]

async function openReader(world: World, path = '/v2/iex', headers: Readonly<Record<string, string>> = {}) {
  const client = await openStream(path, headers)
  assert.deepEqual(await client.next(), connected)
  assert.deepEqual(await client.request(auth(world)), authenticated)
  return client
}

/** All messages so far; a frame may have several messages. */
const messages = async (client: StreamClient): Promise<Body[]> => (await client.rest()).flat()

for (const feed of ['/v2/iex', '/v2/sip'])
  test(`${feed}: connected, authenticated, subscribed, and a live bar for each minute equal to the history`, async (t) => {
    const world = await newWorld()
    const client = await openReader(world, feed)
    t.after(() => client.close())
    const bars = ['AAPL', 'MSFT']
    assert.deepEqual(await client.request({ action: 'subscribe', bars }), subscription({ bars }))
    await world.advance('3m')
    const live = await messages(client)
    const { body } = await get(
      world,
      '/v2/stocks/bars?symbols=AAPL,MSFT&timeframe=1Min&start=2026-01-05T15:00:00Z&end=2026-01-05T15:02:00Z',
    )
    const history = Object.entries<Body[]>(body.bars).flatMap(([S, list]) =>
      list.map((bar) => ({ T: 'b', S, ...bar })),
    )
    const inOrder = (one: Body, other: Body) => (one.S + one.t < other.S + other.t ? -1 : 1)
    assert.equal(live.length, 6)
    assert.deepEqual(live.toSorted(inOrder), history.toSorted(inOrder))
    for (const bar of live) assert.deepEqual(Object.keys(bar).slice(0, 2), ['T', 'S'])
  })

test('JSON is sent in text frames', async (t) => {
  const client = await openStream('/v2/iex')
  t.after(() => client.close())
  assert.deepEqual(await client.nextFrame(), { message: connected, isBinary: false })
})

test('MessagePack: binary frames, T first, integers, and timestamps with nanoseconds', async (t) => {
  const world = await newWorld()
  const client = await openStream('/v2/iex', packed)
  t.after(() => client.close())
  assert.deepEqual(await client.nextFrame(), { message: connected, isBinary: true })
  assert.deepEqual(await client.request(auth(world)), authenticated)
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  await world.advance('1m')
  const [bar] = await messages(client)
  assert.deepEqual(Object.keys(bar), ['T', 'S', 't', 'o', 'h', 'l', 'c', 'v', 'n', 'vw'])
  assert.deepEqual(bar.t, new Timestamp({ sec: Date.parse('2026-01-05T15:00:00Z') / 1000, nsec: 0 }))
  const { body } = await get(world, '/v2/stocks/AAPL/bars?timeframe=1Min&start=2026-01-05T15:00:00Z')
  const { t: _, ...numbers } = body.bars[0]
  assert.deepEqual(bar, { T: 'b', S: 'AAPL', t: bar.t, ...numbers })
  assert.ok(Number.isInteger(bar.v) && Number.isInteger(bar.n))
})

test('authentication works before the connected message is read, and by handshake headers', async (t) => {
  const world = await newWorld()
  const eager = await openStream('/v2/iex')
  eager.send(auth(world))
  assert.deepEqual([await eager.next(), await eager.next()], [connected, authenticated])
  const headers = { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }
  const silent = await openStream('/v2/iex', headers)
  t.after(() => Promise.all([eager.close(), silent.close()]))
  assert.deepEqual([await silent.next(), await silent.next()], [connected, authenticated])
  assert.deepEqual(await silent.request(auth(world)), error(403, 'already authenticated'))
})

for (const [scope, response] of [
  ['data', authenticated],
  ['trading', error(411, 'insufficient scope')],
] as const)
  test(`an OAuth token of scope ${scope}, by message and by header`, async (t) => {
    const world = await newWorld()
    const grant = { ...world.created.oauth_client, scope, account_id: world.accountId }
    const { access_token: token } = (await call(world.partner, 'POST', '/v1/oauth/token', grant)).body
    const byMessage = await openStream('/v2/iex')
    const byHeader = await openStream('/v2/iex', bearer(token))
    t.after(() => Promise.all([byMessage.close(), byHeader.close()]))
    assert.deepEqual(await byMessage.next(), connected)
    assert.deepEqual(await byMessage.request({ action: 'auth', key: 'oauth', secret: token }), response)
    assert.deepEqual([await byHeader.next(), await byHeader.next()], [connected, response])
  })

test('subscribe adds, unsubscribe removes, and each response lists all subscriptions', async (t) => {
  const world = await newWorld()
  const client = await openReader(world)
  t.after(() => client.close())
  for (const [message, lists] of [
    [{ action: 'subscribe', bars: ['AAPL'] }, { bars: ['AAPL'] }],
    [{ action: 'subscribe', bars: ['AAPL'] }, { bars: ['AAPL'] }],
    [{ action: 'subscribe', bars: ['KO'], trades: [], news: null }, { bars: ['AAPL', 'KO'] }],
    [
      { action: 'subscribe', trades: ['KO'], quotes: ['KO'] },
      { bars: ['AAPL', 'KO'], trades: ['KO'], quotes: ['KO'], corrections: ['KO'], cancelErrors: ['KO'] },
    ],
    [{ action: 'unsubscribe', trades: ['KO'], quotes: ['KO'], bars: ['AAPL'] }, { bars: ['KO'] }],
  ] as const)
    assert.deepEqual(await client.request(message), subscription(lists))
  await world.advance('1m')
  assert.deepEqual(
    (await messages(client)).map(({ T, S }) => T + S),
    ['bKO'],
  )
})

test('* subscribes to every symbol', async (t) => {
  const world = await newWorld({ symbols: ['AAPL', 'KO', 'SPY'] })
  const client = await openReader(world)
  t.after(() => client.close())
  assert.deepEqual(await client.request({ action: 'subscribe', bars: ['*'] }), subscription({ bars: ['*'] }))
  await world.advance('1m')
  const symbols = (await messages(client)).map(({ S }) => S)
  assert.deepEqual(symbols.toSorted(), ['AAPL', 'KO', 'SPY'])
})

const unauthenticated = await newWorld()
for (const [title, message, response] of [
  ['an unknown key', { action: 'auth', key: 'PKNOBODY', secret: 'x' }, error(402, 'auth failed')],
  ['a wrong secret', { ...auth(unauthenticated), secret: 'wrong' }, error(402, 'auth failed')],
  [
    'a subscription before authentication',
    { action: 'subscribe', bars: ['AAPL'] },
    error(401, 'not authenticated'),
  ],
  ['an unknown action', { action: 'dance' }, error(400, 'invalid syntax')],
] as const)
  for (const headers of [{}, packed])
    test(`${title}, in ${'Content-Type' in headers ? 'MessagePack' : 'JSON'}: ${response[0]!.code}`, async (t) => {
      const client = await openStream('/v2/iex', headers)
      t.after(() => client.close())
      assert.deepEqual(await client.next(), connected)
      assert.deepEqual(await client.request(message), response)
    })

for (const [title, message, response] of [
  [
    'a channel of another stream',
    { action: 'subscribe', orderbooks: ['AAPL'] },
    error(410, 'invalid subscribe action for this feed'),
  ],
  ['an invalid symbol', { action: 'subscribe', bars: ['!'] }, error(400, 'invalid syntax')],
  ['symbols that are not a list', { action: 'subscribe', bars: 'AAPL' }, error(400, 'invalid syntax')],
] as const)
  test(`${title}: ${response[0]!.code}, and nothing changes`, async (t) => {
    const client = await openReader(await newWorld())
    t.after(() => client.close())
    await client.request({ action: 'subscribe', bars: ['KO'] })
    assert.deepEqual(await client.request(message), response)
    assert.deepEqual(await client.request({ action: 'subscribe' }), subscription({ bars: ['KO'] }))
  })

test('an unknown stream is refused at the handshake: 404', async () => {
  await assert.rejects(openStream('/v2/elsewhere'), /Unexpected server response: 404/)
})

test('main has the same stream protocol', async (t) => {
  const client = await openReader(broker as unknown as World)
  t.after(() => client.close())
  const bars = ['AAPL']
  assert.deepEqual(await client.request({ action: 'subscribe', bars }), subscription({ bars }))
})

test('a clock that skips silent nights sends every bar of the next session', async () => {
  const world = await newWorld({ start: '2026-01-09T20:55:00Z', hours: 'nyse' })
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', bars: ['AAPL', 'F'] })
  // From Friday before the close to Monday after the open; a market event in the night changes the search.
  await world.advance('6h')
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/market-events`, {
    kind: 'gap',
    symbol: 'AAPL',
    on: '2026-01-12',
    percent: -3,
  })
  await world.advance('60h')
  const sent = (await client.rest()).flat().filter(({ T }: Body) => T === 'b')
  await client.close()
  for (const symbol of ['AAPL', 'F']) {
    const query = `timeframe=1Min&start=2026-01-09T20:55:00Z&end=2026-01-12T14:54:00Z&limit=10000`
    const { body } = await get(world, `/v2/stocks/${symbol}/bars?${query}`)
    assert.ok(body.bars.length > 500)
    assert.deepEqual(
      sent.filter(({ S }: Body) => S === symbol).map(({ t }: Body) => t),
      body.bars.map(({ t }: Body) => t),
    )
  }
})
