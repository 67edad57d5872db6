import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { type Body, type Broker, call, newWorld, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { get, type Keys, listen, upstreamOf } from '../upstream/stage.ts'
import { CLUSTER_SECRET, clusterOf, moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { store, nodes } = await openDatabase('upstream')
// The provider allows one stream of a key, as real ones do.
const provider = await startBroker(['--data', 'memory'], { QUIPU_STREAMS_MAX: '1' })
after(() => provider.kill())

// The clock of the provider is a day behind, so that the test can advance it.
const start = new Date(Date.now() - 86_400_000).toISOString()
const tape = await newWorld(provider, { seed: 'upstream', start, hours: 'always' })
const settings = upstreamOf(provider.url, tape)
const toDatabase = await openProxy(store)
after(() => toDatabase.close())
nodes.push(await startNode(toDatabase.url, [], settings), await startNode(store, [], settings))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')
await moveTo(one, 'main', one)

const symbols = ['AAPL', 'MSFT']

/** The trades of the provider from an instant on, by symbol. */
async function tradesFrom(from: string): Promise<Record<string, string[]>> {
  const { trades } = await get(tape, `/v2/stocks/trades?symbols=${symbols}&start=${from}&limit=10000`)
  return Object.fromEntries(symbols.map((symbol) => [symbol, trades[symbol].map(keyOf)]))
}
const keyOf = ({ t, i, p }: Body): string => `${t} ${i} ${p}`

/** Opens a stream of trades, and waits until it receives some. */
async function openTrades(keys: Keys) {
  const { client, gather } = await listen(keys, '/v2/iex', { trades: symbols })
  const [first] = await waitUntil('trades arrive', async () => {
    await tape.advance('10s')
    const received = await gather()
    return symbols.every((symbol) => received.some(({ S }) => S === symbol)) && received
  })
  const untilComplete = () =>
    waitUntil('the stream has all trades of the provider, each once', async () => {
      const received = Object.groupBy(await gather(), ({ S }) => S)
      const expected = await tradesFrom(first.t)
      return symbols.every((symbol) => {
        const ours = received[symbol]!.map(keyOf)
        assert.equal(new Set(ours).size, ours.length, 'no trade is sent twice')
        const theirs = expected[symbol]!
        return theirs.slice(theirs.indexOf(ours[0]!)).join() === ours.join()
      })
    })
  return { client, untilComplete }
}

/** Buys a share at the price of the provider. */
async function buy(keys: Keys, symbol: string): Promise<void> {
  const order = { symbol, qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const { quote } = await get(tape, `/v2/stocks/${symbol}/quotes/latest`)
  const placed = await call(keys, 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  await waitUntil('the order is filled at the price of the provider', async () => {
    const found = await get(keys, `/v2/orders/${placed.body.id}`)
    return found.status === 'filled' && Number(found.filled_avg_price) === quote.ap
  })
}

const desk = await newWorld(one, { world: 'desk', durable: true, clock: 'wall', follows: 'main' })
await moveTo(one, 'desk', two)
const deskAtTwo = { ...desk, url: two.url }
const stream = await openTrades(deskAtTwo)
const untilNextMinute = async () => {
  await tape.advance('1m')
  await stream.untilComplete()
}

test('the node of main connects to the provider for all nodes', async () => {
  await untilNextMinute()
  await buy(one, 'AAPL')
  await buy(deskAtTwo, 'MSFT')
  assert.match(two.log(), /upstream stream is up.*cluster\/v1\/provider\/usEquity/)
})

test('only nodes receive the streams of the provider, and only from the node of main', async () => {
  const secret = { 'quipu-cluster-secret': CLUSTER_SECRET }
  for (const [node, path, headers, expected] of [
    [one, 'usEquity', {}, 403],
    [one, 'usEquity', { 'quipu-cluster-secret': 'wrong' }, 403],
    [one, 'options', secret, 404],
    [two, 'usEquity', secret, 503],
  ] as const) {
    const url = `${node.url.replace('http', 'ws')}/cluster/v1/provider/${path}`
    const ws = new WebSocket(url, { headers }).on('error', () => undefined)
    const [, { statusCode }] = await once(ws, 'unexpected-response')
    assert.equal(statusCode, expected)
  }
})

/** No node connects to the provider before the other one has left. */
async function withoutRefusal(run: () => Promise<void>): Promise<void> {
  const logged = nodes.map(({ log }) => log().length)
  await run()
  for (const [at, { log }] of nodes.entries())
    assert.doesNotMatch(log().slice(logged[at]), /upstream does not allow another session/)
}

test('after a move of main the other node connects', { skip: !hasAllCases }, () =>
  withoutRefusal(async () => {
    for (const node of [two, one]) {
      await moveTo(two, 'main', node)
      await untilNextMinute()
      await buy({ ...one, url: two.url }, 'AAPL')
    }
  }),
)

// On a busy machine the next node may be refused once, and tries again 2 s later.

test('a node that loses the database leaves the provider to the next one', {
  skip: !hasAllCases,
}, async () => {
  const logged = two.log().length
  toDatabase.goSilent()
  await waitUntil('the other node has the stream', async () => {
    await untilHeld(two, 'main')
    return /upstream stream is up.*iex/.test(two.log().slice(logged))
  })
  await untilNextMinute()
  toDatabase.open()
  await waitUntil('the node runs again', async () => (await clusterOf(two)).nodes.length === 2)
  await moveTo(two, 'main', one)
  await untilNextMinute()
})

test('after kill -9 of the connected node another connects, and no trade is lost or repeated', () =>
  withoutRefusal(async () => {
    await one.kill()
    await untilNextMinute()
    await untilNextMinute()
    await buy(deskAtTwo, 'AAPL')
    await untilHeld(two, 'main')
    await buy({ ...one, url: two.url }, 'MSFT')
    await stream.client.close()
  }))
