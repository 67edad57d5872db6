import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ClientOptions } from './client.ts'
import { AuthError, NetworkError } from './errors.ts'
import { createStreams } from './streams.ts'

/** How the server serves a connection: the bytes, and the end. */
type Serve = (response: ServerResponse, request: IncomingMessage) => void

const serve =
  (text: string, then: 'cut' | 'end' | 'stay' = 'stay'): Serve =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' })
    response.write(text, () => {
      if (then === 'cut') response.destroy()
      else if (then === 'end') response.end()
    })
  }
const refused =
  (status: number): Serve =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"no"}')

/** A server that serves its connections in this order, repeats the last one, and records the requests. */
async function serving(t: TestContext, ...turns: readonly Serve[]) {
  const requests: string[] = []
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers['last-event-id'] ?? '-'}`)
    open.add(response)
    response.once('close', () => open.delete(response))
    turns[Math.min(requests.length, turns.length) - 1]!(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const streams = (options: Partial<ClientOptions> = {}) =>
    createStreams({ url, retryDelayMs: 1, ...options })
  return { requests, open, streams }
}

const update = (id: string) =>
  `id: ${id}\ndata: {"event":"new","event_id":"${id}","at":"2026-11-02T15:00:0${id}Z"}\n\n`
const leg = (number: number, n: number) =>
  `id: ${number}\nevent: posting\ndata: {"number":${number},"leg":${n}}\n\n`

async function take<Data>(stream: AsyncGenerator<Data>, count: number): Promise<Data[]> {
  const taken: Data[] = []
  for await (const one of stream) if (taken.push(one) === count) break
  return taken
}

test('a broken stream resumes after the last id, and repeats nothing', async (t) => {
  const { requests, streams } = await serving(
    t,
    serve(update('1') + update('2'), 'cut'),
    refused(503),
    serve(update('2') + update('3').slice(0, -9), 'cut'),
    serve(update('3') + update('4')),
  )
  let opened = 0
  const onOpen = () => {
    opened += 1
  }
  const events = await take(streams().streamTradeEvents({}, { onOpen }), 4)
  assert.deepEqual(
    events.map(({ event_id: id }) => id),
    ['1', '2', '3', '4'],
  )
  assert.equal(opened, 3)
  const again = '/v2/events/trades?since_id=2 -'
  assert.deepEqual(requests, ['/v2/events/trades -', again, again, again])
})

test('a stream that starts now resumes from its start, even if no message arrived', async (t) => {
  const { requests, streams } = await serving(t, serve('id: 0\n\n', 'cut'), serve(update('1')))
  await take(streams().streamActivityEvents(), 1)
  assert.deepEqual(requests, ['/v2beta1/events/activities -', '/v2beta1/events/activities?since_id=0 -'])
})

test('a stream with an end ends, and resumes if it is cut off before', async (t) => {
  const query = { since: '2026-11-02T15:00:00Z', until: '2026-11-02T15:00:09Z' }
  const { requests, streams } = await serving(
    t,
    serve(update('1'), 'cut'),
    serve(update('1') + update('2'), 'end'),
  )
  const events = []
  for await (const event of streams().streamTokenizationEvents({ query })) events.push(event.event_id)
  assert.deepEqual(events, ['1', '2'])
  assert.match(requests[1]!, /since=2026-11-02T15%3A00%3A01Z&until=2026-11-02T15%3A00%3A09Z/)
})

test('an endless stream that ends is reconnected', async (t) => {
  const { streams } = await serving(t, serve(update('1'), 'end'), serve(update('2')))
  assert.equal((await take(streams().streamTradeEvents(), 2)).length, 2)
})

test('postings cut off between two legs of an event are yielded completely, each once', async (t) => {
  const { requests, streams } = await serving(
    t,
    serve(leg(5, 0) + leg(5, 1) + leg(7, 0), 'cut'),
    serve(leg(7, 0), 'cut'),
    serve(leg(7, 0) + leg(7, 1) + leg(8, 0)),
  )
  const call = { params: { world: 'main' }, query: { last: 3, kind: ['orderFilled'] } }
  const legs = await take(streams().listPostings(call), 5)
  assert.deepEqual(
    legs.map(({ number, leg: n }) => `${number}.${n}`),
    ['5.0', '5.1', '7.0', '7.1', '8.0'],
  )
  const path = '/sim/v1/worlds/main/postings?last=3&kind=orderFilled'
  assert.deepEqual(requests, [`${path} -`, `${path} 6`, `${path} 6`])
})

test('the request log resumes after the last request, and reports gaps', async (t) => {
  const request = (number: number) => `id: ${number}\nevent: request\ndata: {"number":${number}}\n\n`
  const { requests, streams } = await serving(
    t,
    serve(request(4) + request(6), 'cut'),
    serve(`event: gap\ndata: {"missed":3}\n\n${request(10)}`),
  )
  const call = { params: { world: 'main' }, query: { path: '/v2/orders' } }
  assert.deepEqual(await take(streams().listRequests(call), 4), [
    { event: 'request', data: { number: 4 } },
    { event: 'request', data: { number: 6 } },
    { event: 'gap', data: { missed: 3 } },
    { event: 'request', data: { number: 10 } },
  ])
  const path = '/sim/v1/worlds/main/requests?path=%2Fv2%2Forders'
  assert.deepEqual(requests, [`${path} -`, `${path} 6`])
})

test('a refusal is thrown at once', async (t) => {
  const { requests, streams } = await serving(t, refused(401))
  await assert.rejects(streams().streamTradeEvents().next(), AuthError)
  assert.equal(requests.length, 1)
})

test('a later refusal is thrown too', async (t) => {
  const { streams } = await serving(t, serve(update('1'), 'cut'), refused(401))
  const stream = streams().streamTradeEvents()
  await stream.next()
  await assert.rejects(stream.next(), AuthError)
})

test('a response of another content type is named in the error', async (t) => {
  const { streams } = await serving(t, (response) => response.end('hello'))
  await assert.rejects(streams().streamTradeEvents().next(), /expected text\/event-stream, received nothing/)
})

test('an unreachable server is an error at the start, and retried later', async (t) => {
  const { requests, streams } = await serving(t, refused(503))
  await assert.rejects(streams({ retries: 1 }).streamTradeEvents().next(), { status: 503 })
  assert.equal(requests.length, 2)
  const later = await serving(t, serve(update('1'), 'cut'), (response) => response.destroy())
  const stream = later.streams({ retries: 0 }).streamTradeEvents({}, { reconnects: 3 })
  await stream.next()
  await assert.rejects(stream.next(), NetworkError)
  assert.equal(later.requests.length, 4)
})

test('a silent connection is replaced', async (t) => {
  const { requests, streams } = await serving(t, serve(update('1')), serve(update('2')))
  const events = await take(streams().streamTradeEvents({}, { idleMs: 50 }), 2)
  assert.deepEqual([events.length, requests.length], [2, 2])
})

test('stop the loop closes the connection', async (t) => {
  const { open, streams } = await serving(t, serve(update('1')))
  await take(streams().streamTradeEvents(), 1)
  while (open.size > 0) await new Promise(setImmediate)
})

test('a signal ends the loop with its reason, and closes the connection', async (t) => {
  const { open, streams } = await serving(t, serve(update('1')))
  const stop = new AbortController()
  const stream = streams().streamTradeEvents({}, { signal: stop.signal })
  await stream.next()
  const waiting = assert.rejects(stream.next(), /enough/)
  stop.abort(new Error('enough'))
  await waiting
  while (open.size > 0) await new Promise(setImmediate)
  await assert.rejects(
    streams()
      .listEvents({ params: { world: 'x' } }, { signal: stop.signal })
      .next(),
    /enough/,
  )
})

test('a signal ends the wait for the server too', async (t) => {
  const { streams } = await serving(t, serve(update('1'), 'cut'), refused(503))
  const stop = new AbortController()
  const stream = streams({ retryDelayMs: 60_000 }).streamTradeEvents({}, { signal: stop.signal })
  await stream.next()
  const waiting = assert.rejects(stream.next(), /enough/)
  stop.abort(new Error('enough'))
  await waiting
})
