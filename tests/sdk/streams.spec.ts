import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type ClientOptions, createClient, createStreams, type Streams } from '@quipu/sdk'
import { newFolder, type Started, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'

const world = { params: { world: 'main' } } as const
const BEGINNING = '2000-01-01T00:00:00Z'

/** Collects the items of a stream, and waits until it has a number of items. */
class Collector<Data> {
  readonly all: Data[] = []
  readonly done: Promise<void>
  #count = Number.POSITIVE_INFINITY
  #reached: () => void = () => undefined

  constructor(stream: AsyncGenerator<Data>, stopping: AbortController) {
    this.done = this.#read(stream).catch((error) => {
      if (!stopping.signal.aborted) throw error
    })
  }

  async waitFor(count: number): Promise<void> {
    if (this.all.length >= count) return
    const reached = new Promise<void>((resolve) => {
      this.#reached = resolve
    })
    this.#count = count
    await Promise.race([reached, this.done])
    assert.ok(this.all.length >= count, 'the stream ended too early')
  }

  async #read(stream: AsyncGenerator<Data>): Promise<void> {
    for await (const one of stream) if (this.all.push(one) >= this.#count) this.#reached()
  }
}

const trader = ({ url, keyId, secretKey }: Started): ClientOptions => ({ url, keyId, secretKey })
const operator = ({ url, brokerKey, brokerSecret }: Started): ClientOptions => ({
  url,
  keyId: brokerKey,
  secretKey: brokerSecret,
})

/** Waits until the server has received a request for the stream. */
async function waitForRequest(broker: Started, operation: string): Promise<void> {
  const client = createClient(operator(broker))
  await waitUntil(`a request for ${operation}`, async () => {
    const { requests } = await client.listRequests({ ...world, query: { operation } })
    return requests.length > 0
  })
}

async function collect<Data>(stream: AsyncGenerator<Data>): Promise<Data[]> {
  const all: Data[] = []
  for await (const one of stream) all.push(one)
  return all
}

/** Buys crypto, which trades at any hour, and waits for the fill. */
async function trade(client: Client, updates: Collector<{ readonly event: string }>): Promise<void> {
  const before = updates.all.filter(({ event }) => event === 'fill').length
  const body = {
    symbol: 'BTC/USD',
    notional: '100',
    side: 'buy',
    type: 'market',
    time_in_force: 'gtc',
  } as const
  await client.placeOrder({ body })
  while (updates.all.filter(({ event }) => event === 'fill').length === before)
    await updates.waitFor(updates.all.length + 1)
}

function follow(broker: Started, stopping: AbortController) {
  const options = { signal: stopping.signal }
  const [mine, all]: readonly [Streams, Streams] = [
    createStreams({ ...trader(broker), retryDelayMs: 10 }),
    createStreams({ ...operator(broker), retryDelayMs: 10 }),
  ]
  return {
    updates: new Collector(mine.streamTradeEvents({}, options), stopping),
    activities: new Collector(mine.streamActivityEvents({}, options), stopping),
    events: new Collector(all.listEvents(world, options), stopping),
    postings: new Collector(all.listPostings(world, options), stopping),
  }
}

/** `npm run test:long` also stops the broker. */
const endings = ['kill', ...(hasAllCases ? (['stop'] as const) : []), 'last'] as const

test(`SDK streams continue after ${endings.slice(0, -1)}: every item once, in order`, async (t) => {
  const flags = ['--data', newFolder()]
  let broker = await startBroker(flags)
  const { port } = new URL(broker.url)
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const collected = follow(broker, stopping)
  const client = createClient(trader(broker))
  for (const operation of ['streamTradeEvents', 'streamActivityEvents'])
    await waitForRequest(broker, operation)
  for (const ending of endings) {
    for (let n = 0; n < 3; n++) await trade(client, collected.updates)
    if (ending === 'last') continue
    await broker[ending]()
    broker = await startBroker([...flags, '--port', port])
    t.after(broker.kill)
  }
  await check(broker, collected)
  stopping.abort()
  await Promise.all(Object.values(collected).map(({ done }) => done))
})

/** Compares the collected items with a complete read from the beginning. */
async function check(broker: Started, collected: ReturnType<typeof follow>): Promise<void> {
  const [{ updates, activities, events, postings }, reader] = [collected, createClient(operator(broker))]
  const until = new Date().toISOString()
  const everything = { query: { since: BEGINNING, until } }
  const streams = createStreams(trader(broker))
  const { events: journal } = await reader.listEvents({ ...world, query: { limit: 1000 } })
  const { postings: legs } = await reader.listPostings({ ...world, query: { limit: 1000 } })
  await Promise.all([events.waitFor(journal.length), postings.waitFor(legs.length)])
  assert.deepEqual(
    events.all.slice(0, journal.length).map(({ number }) => number),
    journal.map(({ number }) => number),
  )
  assert.deepEqual(postings.all.slice(0, legs.length), legs)
  const allUpdates = await collect(streams.streamTradeEvents(everything))
  assert.deepEqual(updates.all.slice(0, allUpdates.length), allUpdates)
  assert.equal(allUpdates.filter(({ event }) => event === 'fill').length, 3 * endings.length)
  const fills = (await collect(streams.streamActivityEvents(everything))).filter(
    ({ activity_type: type }) => type === 'FILL',
  )
  const receivedFills = () => activities.all.filter(({ activity_type: type }) => type === 'FILL')
  // Fees arrive between the fills.
  while (receivedFills().length < fills.length) await sleep(20)
  assert.deepEqual(receivedFills(), fills)
}

test('since, since_id and until_id select the range of a stream', async (t) => {
  const broker = await startBroker(['--data', 'memory'])
  t.after(broker.stop)
  const stopping = new AbortController()
  const streams = createStreams(trader(broker))
  const live = new Collector(streams.streamTradeEvents({ query: { since: BEGINNING } }, stopping), stopping)
  const client = createClient(trader(broker))
  for (let n = 0; n < 2; n++) await trade(client, live)
  stopping.abort()
  await live.done
  const ids = live.all.map(({ event_id: id }) => id)
  const query = { since_id: ids[0]!, until_id: ids[2]! }
  const some = await collect(streams.streamTradeEvents({ query }))
  assert.deepEqual(
    some.map(({ event_id: id }) => id),
    ids.slice(1, 3),
  )
})
