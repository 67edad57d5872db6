import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'
import { readingHandlers } from './index.ts'
import { readSse } from './testing/reading.ts'

const server = await openTestServer({ handlers: readingHandlers })
after(() => server.close())
const { key, operatorKey, accountId } = server

const resting = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  time_in_force: 'gtc',
  limit_price: '1',
}
const read = (path: string, world = 'lab') =>
  call(server, `GET /sim/v1/worlds/${world}/${path}`, { key: operatorKey })
const idOf = ({ headers }: { headers: Headers }): string => headers.get('x-request-id')!

type Row = Record<string, unknown>

test('the request log has a request and its outcome, without secrets', async () => {
  const order = { ...resting, api_secret: 'hidden', note: 'hidden' }
  const headers = { 'user-agent': 'bot/1' }
  const placed = await call(server, 'POST /v2/orders?note=hidden', { key, body: order, headers })
  const { body } = await read('requests?last=1&operation=placeOrder')
  const { at, ms, number, ...request } = body.requests[0]
  assert.deepEqual(request, {
    request_id: idOf(placed),
    method: 'POST',
    path: '/v2/orders',
    query: 'note=(removed)',
    body: JSON.stringify({ ...resting, api_secret: '(removed)', note: '(removed)' }),
    address: '127.0.0.1',
    agent: 'bot/1',
    source: 'program',
    operation: 'placeOrder',
    status: 200,
    key_id: key.keyId,
    account_id: accountId,
    seq: Number(placed.headers.get('x-quipu-seq')),
  })
  assert.ok(Date.parse(at) > 0 && ms >= 0 && number > 0)
  assert.equal(JSON.stringify(body).includes(key.secretKey), false)
})

test('the log line of a request has its request id', async () => {
  const placed = await call(server, 'POST /v2/orders', { key, body: resting })
  server.services.log.flush()
  const line = server.lines
    .join('')
    .split('\n')
    .find((text) => text.includes(idOf(placed)))!
  const { request } = JSON.parse(line)
  const { body } = await read(`requests/${request}`)
  assert.equal(body.request.path, '/v2/orders')
  assert.deepEqual(body.order_ids, [placed.body.id])
  assert.deepEqual(
    body.events.map(({ kind, request_id }: Row) => [kind, request_id]),
    [['orderAccepted', request]],
  )
})

test('every order event has the id of its request', async () => {
  const placed = await call(server, 'POST /v2/orders', {
    key,
    body: { ...resting, client_order_id: 'marked' },
  })
  await server.clock.advance((server.clock.now() + 10_000_000n) as Instant)
  const order = `/v2/orders/${placed.body.id}`
  const replaced = await call(server, `PATCH ${order}`, {
    key,
    body: { limit_price: '2', client_order_id: 'b' },
  })
  const canceled = await call(server, `DELETE /v2/orders/${replaced.body.id}`, { key })
  await call(server, 'POST /v2/orders', { key, body: resting })
  const allCanceled = await call(server, 'DELETE /v2/orders', { key })
  const kinds = [
    [placed, 'orderAccepted'],
    [replaced, 'orderReplaced'],
    [canceled, 'orderCanceled'],
    [allCanceled, 'orderCanceled'],
  ] as const
  for (const [response, kind] of kinds) {
    const { events } = (await read(`requests/${idOf(response)}`)).body
    assert.ok(
      events.some((event: Row) => event['kind'] === kind && event['request_id'] === idOf(response)),
      `${kind}: ${JSON.stringify(events)}`,
    )
  }
})

test('a request without postings has an empty list', async () => {
  const placed = await call(server, 'POST /v2/orders', { key, body: resting })
  assert.deepEqual((await read(`requests/${idOf(placed)}`)).body.postings, [])
})

const refusals = [
  ['POST /v2/orders', { ...resting, qty: '99999999' }, 403, 40310000, 'insufficientBuyingPower'],
  ['POST /v2/orders', { ...resting, limit_price: 'x' }, 422, 40010001, 'invalidParameter'],
  ['GET /v2/orders/00000000-0000-4000-8000-000000000000', undefined, 404, 40410000, 'orderNotFound'],
] as const
for (const [route, body, status, code, reason] of refusals)
  test(`${route}: the request log has the refusal with ${code} ${reason}`, async () => {
    const refused = await call(server, route, { key, body })
    assert.equal(refused.status, status)
    const found = await read(`requests/${idOf(refused)}`)
    const { request } = found.body
    assert.deepEqual([request.status, request.code, request.reason], [status, code, reason])
    assert.deepEqual(found.body.events, [])
  })

test('a request without a world is in the request log of main', async () => {
  const unrouted = await call(server, 'GET /nowhere')
  const found = await read(`requests/${idOf(unrouted)}`, 'main')
  assert.deepEqual([found.body.request.status, found.body.request.reason], [404, 'endpointNotFound'])
  assert.equal((await read(`requests/${idOf(unrouted)}`)).status, 404)
})

test('the request log has a maximum size, and its pages have no gap', async () => {
  for (let count = 0; count < 120; count++) await call(server, 'GET /v2/clock', { key })
  const numbers: number[] = []
  let cursor: string | null = '0'
  while (cursor !== null) {
    const { body }: Awaited<ReturnType<typeof read>> = await read(
      `requests?cursor=${cursor}&limit=30&operation=getClock`,
    )
    numbers.push(...body.requests.map(({ number }: { number: number }) => number))
    cursor = body.next_cursor
  }
  assert.ok(numbers.length > 80 && numbers.length <= 100, `${numbers.length}`)
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  )
})

test('the stream sends logged requests, then new ones', async () => {
  const stream = await readSse(server, '/sim/v1/worlds/lab/requests?last=1&operation=placeOrder', operatorKey)
  const placed = await call(server, 'POST /v2/orders', { key, body: resting })
  const [message] = await stream.take(1)
  assert.equal(message!.data['request_id'], idOf(placed))
  stream.close()
})

const bad = [
  ['requests?status=9', 422],
  ['requests?cursor=later', 422],
  ['requests/xyz', 422],
  ['requests/00000000000000000000000000000000', 404],
] as const
for (const [path, status] of bad)
  test(`${path} is ${status}`, async () => {
    assert.equal((await read(path)).status, status)
  })

test('a request that is no longer in memory is found in the journal', async () => {
  const placed = await call(server, 'POST /v2/orders', { key, body: resting })
  const { outcomes } = server.world.clients
  const many = Array.from({ length: 10_001 }, (_, index) => ({
    seq: 1,
    event: {} as never,
    cause: `${index}`.padStart(32, '0'),
  }))
  outcomes.addEvents(many)
  assert.equal(outcomes.eventsOf(idOf(placed)), undefined)
  assert.deepEqual((await read(`requests/${idOf(placed)}`)).body.order_ids, [placed.body.id])
})

test('requests are filtered by method, path and status', async () => {
  await call(server, 'GET /v2/orders?symbols=AAPL,MSFT&status=all', { key })
  await call(server, 'POST /v2/orders', { key, body: { ...resting, qty: '99999999' } })
  const rows = async (query: string): Promise<Row[]> => (await read(`requests?${query}`)).body.requests
  const errors = await rows('method=POST&path=/v2/orders&status_min=400')
  assert.ok(errors.length > 0)
  for (const { method, path, status } of errors)
    assert.ok(method === 'POST' && String(path).startsWith('/v2/orders') && Number(status) >= 400)
  const [listed] = await rows('method=GET&path=/v2/orders&operation=listOrders')
  assert.deepEqual([listed!['query'], listed!['body']], ['symbols=AAPL,MSFT&status=all', undefined])
})

test('a key reads only the requests of its own account', async () => {
  const { otherKey } = server
  const mine = await call(server, 'POST /v2/orders', { key, body: resting })
  const other = await call(server, 'POST /v2/orders', { key: otherKey, body: resting })
  const readAs = (path: string, by = key) => call(server, `GET /sim/v1/worlds/lab/${path}`, { key: by })
  const { body } = await readAs('requests')
  assert.deepEqual([...new Set(body.requests.map((row: Row) => row['account_id']))], [accountId])
  const { body: details } = await readAs(`requests/${idOf(mine)}`)
  assert.deepEqual([details.request.status, details.order_ids], [200, [mine.body.id]])
  const stream = await readSse(server, '/sim/v1/worlds/lab/requests?last=1&operation=getClock', key)
  await call(server, 'GET /v2/clock', { key: otherKey })
  const own = await call(server, 'GET /v2/clock', { key })
  assert.equal((await stream.take(1))[0]!.data['request_id'], idOf(own))
  stream.close()
  const refused = [
    await readAs(`requests/${idOf(other)}`),
    await readAs(`requests?account_id=${other.body.account_id ?? '00000000-0000-4000-8000-000000000000'}`),
    await call(server, 'GET /sim/v1/worlds/main/requests', { key }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [404, 404, 404],
  )
})

test('a key reads only the events, postings and balances of its own account', async () => {
  const { otherKey } = server
  const bought = { symbol: 'KO', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
  const mine = await call(server, 'POST /v2/orders', { key, body: bought })
  const other = await call(server, 'POST /v2/orders', { key: otherKey, body: bought })
  await server.clock.advance((server.world.engine.now + 10_000_000n) as Instant)
  const readAs = async (path: string) => (await call(server, `GET /sim/v1/worlds/lab/${path}`, { key })).body
  for (const [path, rows] of [
    ['events?limit=1000', 'events'],
    ['postings?limit=1000', 'postings'],
    ['balances', 'balances'],
  ] as const) {
    const owners = (await readAs(path))[rows].map((row: Row) => row['account_id'])
    assert.deepEqual([...new Set(owners)], [accountId], path)
  }
  const { balances } = await readAs(`balances?order_id=${mine.body.id}`)
  assert.deepEqual(
    balances.map(({ asset, amount }: Row) => asset === 'USD' || amount),
    ['2', true],
  )
  assert.equal((await readAs(`balances?order_id=${other.body.id}`)).reason, 'orderNotFound')
  assert.deepEqual((await readAs(`events?order_id=${other.body.id}`)).events, [])
})

test('with requestLogTextMax 0 the log has neither query nor body', async () => {
  const { limits } = server.services
  Object.assign(limits, { requestLogTextMax: 0 })
  await call(server, 'POST /v2/orders', { key, body: resting })
  Object.assign(limits, { requestLogTextMax: 10 })
  await call(server, 'POST /v2/orders', { key, body: resting })
  const { requests } = (await read('requests?last=3&operation=placeOrder')).body
  assert.deepEqual(
    requests.map((row: Row) => row['body']),
    [undefined, '{"symbol":…'],
  )
})

test('a reader from before a restart gets the requests since', async () => {
  const path = '/sim/v1/worlds/lab/requests?operation=getCalendar'
  const read = await call(server, 'GET /v2/calendar?start=2026-11-02&end=2026-11-02', { key })
  const stream = await readSse(server, path, operatorKey, { 'last-event-id': '99999999' })
  assert.equal((await stream.take(1))[0]!.data['request_id'], idOf(read))
  stream.close()
})
