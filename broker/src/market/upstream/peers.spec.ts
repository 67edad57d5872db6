import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant, Price, Quantity, Ticker } from '@quipu/core'
import { WebSocket, WebSocketServer } from 'ws'
import { createLog } from '../../log/log.ts'
import type { News } from '../news.ts'
import type { History } from './history.ts'
import { ProviderStream } from './provider-stream.ts'
import type { UpstreamTerms } from './terms.ts'
import type { Sent } from './wire.ts'

const log = createLog({ level: 'error', readable: true, write: () => undefined })
const history = { trades: async () => [], bars: async () => [] } as unknown as History
const level = { price: 5_500_000_000n as Price, size: 1_000_000_000n as Quantity }
const book = { at: 1n as Instant, bids: [level], asks: [] }

const listen = async (onConnection: (ws: WebSocket) => void) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }).on('connection', onConnection)
  await once(server, 'listening')
  return { server, url: `ws://127.0.0.1:${(server.address() as { port: number }).port}` }
}

/** The provider: it confirms subscriptions only while `confirms`. */
const requests: Sent[] = []
let confirms = true
const send = (ws: WebSocket, message: Sent) => ws.send(JSON.stringify([message]))
const answer = (ws: WebSocket, request: Sent) => {
  requests.push(request)
  if (request['action'] === 'auth') send(ws, { T: 'success', msg: 'authenticated' })
  else if (confirms) send(ws, { T: 'subscription' })
}
const provider = await listen((ws) => ws.on('message', (data) => answer(ws, JSON.parse(String(data)))))
const publish = (message: Sent) => {
  for (const ws of provider.server.clients) send(ws, message)
}

/** The node that is connected to the provider, and another one that is connected to it. */
const openStream = (url: string, login?: object) =>
  new ProviderStream({
    source: () => ({ url, waitMaxMs: 20, ...(login && { login }) }),
    terms: { gapTradesMax: 10 } as UpstreamTerms,
    history,
    first: () => undefined,
    book: (symbol) => (symbol === 'BTC/USD' ? book : undefined),
    onLess: () => undefined,
    onUp: () => undefined,
    log,
  })
const holder = openStream(provider.url, { action: 'auth' })
const relay = await listen((ws) => holder.serve(ws))
const other = openStream(relay.url)

after(() => {
  for (const stream of [other, holder]) stream.close()
  for (const { server } of [provider, relay]) server.close()
})
beforeEach(() => requests.splice(0))

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await sleep(2)
}
const isUp = (stream: ProviderStream) => stream.knownAtMs > 0 && Date.now() - stream.knownAtMs < 5
const quote = (S: string) => ({ T: 'q', S, t: '2026-01-02T15:00:00Z', bp: 1, ap: 2, bs: 1, as: 1 })
const received: News[] = []
const onNews = (news: News) => void received.push(news)

test('a node is connected when the provider has confirmed its subscriptions', async () => {
  holder.keep('KO' as Ticker)
  await until(() => isUp(holder))
  confirms = false
  other.follow('quotes', 'AAPL', onNews)
  await until(() => requests.some(({ quotes }) => String(quotes) === 'AAPL'))
  await sleep(20)
  assert.equal(isUp(other), false)
  confirms = true
  publish({ T: 'subscription' })
  await until(() => isUp(other))
  assert.equal(provider.server.clients.size, 1)
})

test('it receives its symbols only, and the whole book of a pair that others follow', async () => {
  publish(quote('KO'))
  publish(quote('AAPL'))
  const unfollow = other.follow('orderbooks', 'BTC/USD', onNews)
  await until(() => received.length === 2)
  assert.deepEqual(
    received.map(({ channel, symbol }) => [channel, symbol]),
    [
      ['quotes', 'AAPL'],
      ['orderbooks', 'BTC/USD'],
    ],
  )
  const whole = received[1] as News & { readonly channel: 'orderbooks' }
  assert.deepEqual([whole.book, whole.isWhole], [book, true])
  unfollow()
  await until(() => requests.some((one) => one['action'] === 'unsubscribe' && 'orderbooks' in one))
})

test('it loses the connection with the provider, and is connected again', async () => {
  for (const ws of provider.server.clients) ws.terminate()
  await until(() => !isUp(other))
  await until(() => isUp(other))
  publish(quote('AAPL'))
  await until(() => received.length === 3)
})

test('a request that is not JSON is ignored; the symbols of a lost node are unsubscribed', async () => {
  const ws = new WebSocket(relay.url)
  await once(ws, 'open')
  ws.send('{')
  ws.send(JSON.stringify({ action: 'subscribe', trades: ['MSFT'] }))
  await until(() => requests.some(({ trades }) => String(trades) === 'MSFT'))
  ws.terminate()
  await until(() =>
    requests.some((one) => one['action'] === 'unsubscribe' && String(one['trades']) === 'MSFT'),
  )
})
