import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples, type OperationName, routes } from '@quipu/contract'
import { collect, createClient, createQuipu, iterate, type ListName } from '@quipu/sdk'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

/** Every list is read page by page in one loop, or as a whole. */

async function account() {
  const world = await newWorld(broker)
  const { url, keyId, secretKey } = world
  const requests: URL[] = []
  const record: typeof fetch = (to, init) => {
    requests.push(new URL(String(to)))
    return fetch(to, init)
  }
  return { ...world, requests, quipu: createQuipu({ url, keyId, secretKey, fetch: record }) }
}

test('orders: newest and oldest first, with times, over all pages', async () => {
  const { quipu, advance, requests } = await account()
  const ids: string[] = []
  const times: string[] = []
  for (let n = 0; n < 7; n++) {
    const { id, submittedAt } = await quipu.orders.limit({
      symbol: 'AAPL',
      qty: 1,
      side: 'buy',
      limitPrice: 1,
    })
    ids.push(id)
    times.push(submittedAt)
    await advance('1s')
  }
  const read = async (query: object) =>
    (await collect(quipu.iterate('listOrders', { query: { status: 'all', limit: 2, ...query } }))).map(
      ({ id }) => id,
    )
  requests.length = 0
  assert.deepEqual(await read({}), ids.toReversed())
  assert.equal(requests.length, 4)
  assert.deepEqual(await read({ direction: 'asc' }), ids)
  assert.deepEqual(await read({ after: times[1], until: times[5] }), ids.slice(2, 5).reverse())
  assert.deepEqual(await read({ after: times[1], until: times[5], direction: 'asc' }), ids.slice(2, 5))
  assert.deepEqual(
    await collect(quipu.orders.iterate({ limit: 3 }), 2),
    (await quipu.orders.list()).slice(0, 2),
  )
})

test('activities are paged by their ids', async () => {
  const { quipu, advance } = await account()
  for (let n = 0; n < 5; n++) {
    await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
    await advance('1m')
  }
  const query = { activity_types: 'FILL', page_size: 2 } as const
  const fills = await collect(quipu.iterate('listActivities', { query }))
  assert.equal(fills.length, 5)
  assert.equal(new Set(fills.map(({ id }) => id)).size, 5)
})

test('market data is paged by its token, and each row has its symbol', async () => {
  const { quipu } = await account()
  const span = { symbols: ['AAPL', 'MSFT'], start: '2025-06-02', end: '2025-06-20' }
  const bars = await collect(quipu.iterate('stockBars', { query: { ...span, timeframe: '1Day', limit: 5 } }))
  assert.ok(bars.length > 20)
  assert.deepEqual([...new Set(bars.map(({ symbol }) => symbol))], ['AAPL', 'MSFT'])
  const [first] = await collect(
    quipu.iterate('stockTradeSingle', {
      params: { symbol: 'AAPL' },
      query: { start: '2025-06-02', limit: 3 },
    }),
    4,
  )
  assert.equal(typeof first?.p, 'number')
  const trades = quipu.iterate('cryptoTrades', {
    params: { loc: 'us' },
    query: { symbols: 'BTC/USD', limit: 3 },
  })
  assert.equal((await collect(trades, 7)).length, 7)
})

test('lists of operators are paged by their cursor, and lists without pages are read once', async () => {
  const { url, brokerKey: id, brokerSecret: secret } = broker
  const operator = createClient({ url, basic: { id, secret } })
  const { world, quipu, requests } = await account()
  const call = { params: { world }, query: { limit: 3 } }
  const events = await collect(iterate(operator, 'listEvents', call))
  const { events: all } = await operator.listEvents({ params: { world }, query: { limit: 1000 } })
  assert.ok(events.length > 3)
  assert.deepEqual(events, all)
  requests.length = 0
  assert.ok((await collect(quipu.iterate('listAssets', { query: { status: 'active' } }))).length > 100)
  assert.deepEqual(
    requests.map(({ pathname }) => pathname),
    ['/v2/assets'],
  )
})

test('a list ends where the loop ends, and one that repeats a position ends too', async () => {
  const { quipu, requests } = await account()
  const query = { symbols: 'AAPL', timeframe: '1Min', start: '2025-06-02', limit: 10 } as const
  for await (const _ of quipu.iterate('stockBars', { query })) break
  assert.equal(requests.length, 1)
  const page = { bars: { AAPL: [{ t: 'T' }] }, next_page_token: 'again' }
  const stuck = createClient({ url: 'http://a', fetch: async () => Response.json(page) })
  assert.equal((await collect(iterate(stuck, 'stockBars', { query }))).length, 2)
})

test('positions are closed, one, in part, and all', async () => {
  const { quipu, advance } = await account()
  for (const symbol of ['AAPL', 'MSFT', 'KO']) await quipu.orders.market({ symbol, qty: 4, side: 'buy' })
  await advance('1m')
  await quipu.orders.limit({ symbol: 'KO', qty: 1, side: 'sell', limitPrice: 900 })
  assert.equal((await quipu.positions.close('AAPL', { qty: 1 })).qty, '1')
  await quipu.positions.close('MSFT')
  await advance('1m')
  assert.deepEqual((await quipu.positions.list()).map(({ symbol, qty }) => [symbol, qty]).sort(), [
    ['AAPL', '3'],
    ['KO', '4'],
  ])
  const closed = await quipu.positions.closeAll({ cancelOrders: true })
  assert.deepEqual(closed.map(({ symbol, status }) => [symbol, status]).sort(), [
    ['AAPL', 200],
    ['KO', 200],
  ])
  await advance('1m')
  assert.deepEqual([await quipu.positions.list(), await quipu.orders.list()], [[], []])
})

type ExamplePage = Readonly<Record<string, unknown>> | readonly unknown[]

/** The rows of an example, counted without the code of the SDK. */
function rowCount(page: ExamplePage): number {
  if (Array.isArray(page)) return page.length
  const lists = Object.entries(page).find(
    ([name, value]) => !/^next_/.test(name) && typeof value === 'object',
  )
  const values = Object.values(lists?.[1] ?? {})
  return Array.isArray(lists?.[1]) ? values.length : values.flat().length
}

const isList = (name: OperationName): boolean => {
  const page = examples[name].output as ExamplePage | undefined
  if (routes[name].method !== 'GET' || routes[name].response !== 'json' || page === undefined) return false
  return Array.isArray(page) || 'next_page_token' in page || 'next_cursor' in page
}

test('every list of the API is read by the same loop', async () => {
  const names = (Object.keys(routes) as OperationName[]).filter(isList)
  assert.ok(names.length > 60, `${names.length} lists`)
  for (const name of names) {
    const { input, output } = examples[name] as { readonly input: never; readonly output: ExamplePage }
    const pages = [output]
    const fetch = async () => Response.json(pages.shift() ?? [])
    const rows = iterate(createClient({ url: 'http://a', fetch }), name as ListName, input)
    assert.equal((await collect(rows)).length, rowCount(output), name)
  }
})
