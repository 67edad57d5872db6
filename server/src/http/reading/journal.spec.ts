import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instant, KeyId } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'
import { readingHandlers } from './index.ts'
import { readSse } from './testing/reading.ts'

const server = await openTestServer({
  handlers: readingHandlers,
  limits: { scanMax: 20, eventStreamsMax: 2 },
})
after(() => server.close())
const { key, otherKey, operatorKey, accountId } = server

const resting = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  time_in_force: 'gtc',
  limit_price: '1',
}
const read = (path: string, headers: Record<string, string> = {}) =>
  call(server, `GET /sim/v1/worlds/lab/${path}`, { key: operatorKey, headers })
async function placeOrder(by = key, order: object = resting) {
  const placed = await call(server, 'POST /v2/orders', { key: by, body: order })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  return placed
}
const step = () => server.clock.advance((server.world.engine.now + 1_000_000_000n) as Instant)

test('a request id finds its events, and they name the order', async () => {
  const placed = await placeOrder()
  const requestId = placed.headers.get('x-request-id')!
  const { body } = await read(`events?request_id=${requestId}&last=20`)
  assert.deepEqual(
    body.events.map(({ kind, order_id, request_id, account_id }: Record<string, string>) => [
      kind,
      order_id,
      request_id,
      account_id,
    ]),
    [['orderAccepted', placed.body.id, requestId, accountId]],
  )
  await step()
  const all = await read(`events?order_id=${placed.body.id}&last=20`)
  assert.deepEqual(
    all.body.events.map((event: Record<string, string>) => [event['kind'], event['request_id']]),
    [
      ['orderAccepted', requestId],
      ['orderAcknowledged', undefined],
    ],
  )
  assert.equal(all.body.events[0].event.order.limit, '1')
  assert.match(all.body.events[0].event.order.createdAt, /^2026-11-02T15:00:0/)
})

test('pages of any size together have every event once, in order', async () => {
  for (let count = 0; count < 6; count++) await placeOrder(otherKey)
  const first = await read('events?limit=1000')
  const { seq } = server.world.storage.journal.head()
  // A page scans at most scanMax events.
  assert.equal(first.body.events.length, 20)
  for (const limit of [1, 7, 20]) {
    const numbers: number[] = []
    let cursor: string | null = '0'
    while (cursor !== null) {
      const { body }: Awaited<ReturnType<typeof read>> = await read(`events?limit=${limit}&cursor=${cursor}`)
      numbers.push(...body.events.map(({ number }: { number: number }) => number))
      cursor = body.next_cursor
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: seq }, (_, index) => index + 1),
    )
  }
})

const filters: readonly (readonly [string, (event: Record<string, string>) => boolean])[] = [
  [`account_id=${accountId}`, (event) => event['account_id'] === accountId],
  ['kind=orderAccepted', (event) => event['kind'] === 'orderAccepted'],
  ['kind=orderAccepted,orderAcknowledged', (event) => /^order(Accepted|Acknowledged)$/.test(event['kind']!)],
  ['kind=nothingOfTheKind', () => false],
]
for (const [query, isExpected] of filters)
  test(`a filter returns exactly the matching events: ${query.replace(accountId, 'ID')}`, async () => {
    const collect = async (filter: string): Promise<Record<string, string>[]> => {
      const found: Record<string, string>[] = []
      for (let cursor: string | null = '0'; cursor !== null; ) {
        const { body }: Awaited<ReturnType<typeof read>> = await read(`events?${filter}&cursor=${cursor}`)
        found.push(...body.events)
        cursor = body.next_cursor
      }
      return found
    }
    assert.deepEqual(await collect(query), (await collect('')).filter(isExpected))
  })

test('events name keys and never contain a digest or a secret', async () => {
  const { body } = await read('events?limit=1000')
  const text = JSON.stringify(body)
  assert.equal(text.includes('sealed'), false)
  for (const { keyId, secretKey } of [key, operatorKey]) {
    const { digest } = server.world.view.keys.get(keyId as KeyId)!
    assert.equal(text.includes(digest) || text.includes(secretKey), false)
    const issued = body.events.filter(
      ({ kind, event }: Record<string, Record<string, string>>) =>
        [kind, event!['keyId']].join() === `keyIssued,${keyId}`,
    )
    assert.equal(issued.length, 1)
  }
})

test('postings are listed leg by leg and sum to zero', async () => {
  await placeOrder(key, { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' })
  await step()
  const { body } = await read('postings?last=10&kind=orderFilled')
  assert.deepEqual(
    body.postings.map(({ asset }: { asset: string }) => asset),
    ['USD', 'USD', 'AAPL', 'AAPL'],
  )
  assert.deepEqual(
    ['USD', 'AAPL'].map((asset) =>
      body.postings
        .filter((leg: { asset: string }) => leg.asset === asset)
        .reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0),
    ),
    [0, 0],
  )
  const usd = await read(`postings?last=10&kind=orderFilled&asset=USD&account_id=${accountId}`)
  assert.equal(usd.body.postings.length, 1)
  assert.equal(usd.body.postings[0].account_id, accountId)
  const { body: last } = await read('events?last=10&kind=orderFilled')
  const { price, quantity, executionId } = last.events.at(-1).event
  const { symbol, qty, price: paid, execution_id } = usd.body.postings[0]
  assert.deepEqual([symbol, qty, paid, execution_id], ['AAPL', quantity, price, executionId])
})

test('only events with a matching posting count towards the limit', async () => {
  const events = (await read('events?limit=20')).body.events
  const opened = events.find(({ kind }: { kind: string }) => kind === 'accountOpened').number
  const [filled] = (await read('events?last=10&kind=orderFilled')).body.events
  const before = filled.number - 3
  for (const [query, number] of [
    ['cursor=0&limit=1', opened],
    [`cursor=${before}&limit=1`, filled.number],
    [`cursor=${opened - 1}&limit=1&asset=USD`, opened],
    [`cursor=${before}&limit=1&asset=AAPL&account_id=${accountId}`, filled.number],
  ] as const) {
    const { body } = await read(`postings?${query}`)
    const numbers = new Set(body.postings.map((leg: { number: number }) => leg.number))
    assert.deepEqual([...numbers], [number], query)
  }
})

const formats = [
  ['format=csv', {}, 'text/csv; charset=utf-8'],
  ['', { accept: 'text/csv' }, 'text/csv; charset=utf-8'],
  ['format=ndjson', {}, 'application/x-ndjson'],
  ['', { accept: 'application/x-ndjson' }, 'application/x-ndjson'],
] as const
for (const [accept, type] of [
  ['application/json, text/event-stream', 'application/json'],
  ['text/event-stream;q=0.5, application/json', 'application/json'],
  ['text/csv;q=0.2, application/x-ndjson; q=0.9', 'application/x-ndjson'],
  ['text/csv;q=0', 'application/json'],
  ['text/html, */*', 'application/json'],
  ['TEXT/CSV, application/json', 'text/csv; charset=utf-8'],
] as const)
  test(`Accept: ${accept} gives ${type}`, async () =>
    assert.equal((await read('postings?limit=1', { accept })).headers.get('content-type'), type))

for (const [query, headers, type] of formats)
  test(`postings as ${type}, by ${query || 'Accept'}`, async () => {
    const json = await read('postings?cursor=0&limit=1')
    const response = await read(`postings?cursor=0&limit=1&${query}`, headers)
    assert.equal(response.headers.get('content-type'), type)
    assert.equal(response.headers.get('x-quipu-next-cursor'), json.body.next_cursor)
    const lines = response.body.trim().split(/\r?\n/)
    if (type.startsWith('text/csv')) assert.match(lines[0], /^number,leg,at,kind,ledger_account/)
    else
      assert.deepEqual(
        lines.filter(Boolean).map((line: string) => JSON.parse(line)),
        json.body.postings,
      )
  })

test('balances are the sums of postings, by account, asset and order', async () => {
  const { body } = await read('balances?limit=1000')
  assert.equal(body.number, server.world.view.seq)
  const total = (asset: string) =>
    body.balances
      .filter((row: { asset: string }) => row.asset === asset)
      .reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0)
  assert.equal(Math.round(total('AAPL')), 0)
  const mine = await read(`balances?account_id=${accountId}&asset=AAPL`)
  assert.deepEqual(
    mine.body.balances.map(({ amount }: { amount: string }) => amount),
    ['2'],
  )
  const filled = await read('events?last=10&kind=orderFilled')
  const ofOrder = await read(`balances?order_id=${filled.body.events[0].order_id}&account_id=${accountId}`)
  assert.deepEqual(
    ofOrder.body.balances.map(({ asset }: { asset: string }) => asset),
    ['AAPL', 'USD'],
  )
  const first = await read('balances?limit=1')
  const rest = await read(`balances?limit=1000&cursor=${first.body.next_cursor}`)
  assert.deepEqual([...first.body.balances, ...rest.body.balances], body.balances)
})

test('the stream sends past events, then new ones, each once, and resumes after a reconnect', async () => {
  const { seq } = server.world.storage.journal.head()
  const stream = await readSse(server, '/sim/v1/worlds/lab/events', operatorKey)
  const past = await stream.take(seq)
  assert.deepEqual(
    past.map(({ id }) => Number(id)),
    Array.from({ length: seq }, (_, index) => index + 1),
  )
  const placed = await placeOrder()
  const [next] = await stream.take(1)
  assert.equal(next!.data['order_id'], placed.body.id)
  stream.close()
  await placeOrder()
  const again = await readSse(server, '/sim/v1/worlds/lab/events?kind=orderAccepted', operatorKey, {
    'last-event-id': next!.id!,
  })
  const [missed] = await again.take(1)
  assert.equal(missed!.data['number'], Number(next!.id) + 1)
  again.close()
})

test('the stream of balances sends all of them, then the changed ones', async () => {
  const stream = await readSse(
    server,
    `/sim/v1/worlds/lab/balances?account_id=${accountId}&asset=MSFT`,
    operatorKey,
  )
  await placeOrder(key, { symbol: 'MSFT', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' })
  await step()
  const [changed] = await stream.take(1)
  assert.deepEqual([changed!.data['asset'], changed!.data['amount']], ['MSFT', '3'])
  stream.close()
})

const refusals = [
  ['GET events?cursor=x', operatorKey, 422],
  ['GET events?cursor=99999999', operatorKey, 422],
  ['GET events?limit=0', operatorKey, 422],
  ['GET events?request_id=abc', operatorKey, 422],
  ['GET postings?format=xml', operatorKey, 422],
  ['GET balances?order_id=00000000-0000-4000-8000-000000000000', operatorKey, 404],
  ['GET postings', server.partnerKey, 403],
] as const
for (const [route, who, status] of refusals)
  test(`${route} by ${who === operatorKey ? 'the operator' : 'a partner'} is ${status}`, async () => {
    const [method, path] = route.split(' ')
    const response = await call(server, `${method} /sim/v1/worlds/lab/${path}`, { key: who })
    assert.equal(response.status, status, JSON.stringify(response.body))
  })

test('an unknown world is 404; a stream beyond the limit is 503', async () => {
  assert.equal((await call(server, 'GET /sim/v1/worlds/nowhere/events', { key: operatorKey })).status, 404)
  const open = [
    await readSse(server, '/sim/v1/worlds/lab/events', operatorKey),
    await readSse(server, '/sim/v1/worlds/lab/postings', operatorKey),
  ]
  const third = await read('events', { accept: 'text/event-stream' })
  assert.deepEqual([third.status, third.body.code, third.headers.get('retry-after')], [503, 50310007, '1'])
  for (const stream of open) stream.close()
})
