import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type ClientOptions, createClient, createStreams, type Streams } from '@quipu/sdk'
import { newFolder, type Started, startBroker } from './broker.ts'

const world = { params: { world: 'main' } } as const
const BEGINNING = '2000-01-01T00:00:00Z'

/** What a stream told so far, and when it has told so much. */
class Told<Data> {
  readonly all: Data[] = []
  readonly done: Promise<void>
  #count = Number.POSITIVE_INFINITY
  #reached: () => void = () => undefined

  constructor(stream: AsyncGenerator<Data>, leaving: AbortController) {
    this.done = this.#read(stream).catch((error) => {
      if (!leaving.signal.aborted) throw error
    })
  }

  async until(count: number): Promise<void> {
    if (this.all.length >= count) return
    const reached = new Promise<void>((resolve) => {
      this.#reached = resolve
    })
    this.#count = count
    await Promise.race([reached, this.done])
    assert.ok(this.all.length >= count, 'it ended early')
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

/** What begins now must have begun before anything happens. */
async function isAsked(broker: Started, operation: string): Promise<void> {
  const client = createClient(operator(broker))
  while ((await client.listRequests({ ...world, query: { operation } })).requests.length === 0);
}

async function listOf<Data>(stream: AsyncGenerator<Data>): Promise<Data[]> {
  const all: Data[] = []
  for await (const one of stream) all.push(one)
  return all
}

/** Coins trade at any hour; each order is filled before the next. */
async function trade(client: Client, updates: Told<{ readonly event: string }>): Promise<void> {
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
    await updates.until(updates.all.length + 1)
}

function follow(broker: Started, leaving: AbortController) {
  const given = { signal: leaving.signal }
  const [mine, all]: readonly [Streams, Streams] = [
    createStreams({ ...trader(broker), retryDelayMs: 10 }),
    createStreams({ ...operator(broker), retryDelayMs: 10 }),
  ]
  return {
    updates: new Told(mine.streamTradeEvents({}, given), leaving),
    activities: new Told(mine.streamActivityEvents({}, given), leaving),
    events: new Told(all.listEvents(world, given), leaving),
    postings: new Told(all.listPostings(world, given), leaving),
  }
}

test('streams of the SDK go on over kill -9 and restart: everything once, in order', async (t) => {
  const flags = ['--data', newFolder()]
  let broker = await startBroker(flags)
  const { port } = new URL(broker.url)
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const told = follow(broker, leaving)
  const client = createClient(trader(broker))
  for (const operation of ['streamTradeEvents', 'streamActivityEvents']) await isAsked(broker, operation)
  for (const ending of ['kill', 'stop', 'go on'] as const) {
    for (let n = 0; n < 3; n++) await trade(client, told.updates)
    if (ending === 'go on') break
    await broker[ending]()
    broker = await startBroker([...flags, '--port', port])
    t.after(broker.kill)
  }
  await check(broker, told)
  leaving.abort()
  await Promise.all(Object.values(told).map(({ done }) => done))
})

/** The same as someone reads who begins at the beginning and is never cut off. */
async function check(broker: Started, told: ReturnType<typeof follow>): Promise<void> {
  const [{ updates, activities, events, postings }, reader] = [told, createClient(operator(broker))]
  const until = new Date().toISOString()
  const whole = { query: { since: BEGINNING, until } }
  const streams = createStreams(trader(broker))
  const { events: journal } = await reader.listEvents({ ...world, query: { limit: 1000 } })
  const { postings: legs } = await reader.listPostings({ ...world, query: { limit: 1000 } })
  await Promise.all([events.until(journal.length), postings.until(legs.length)])
  assert.deepEqual(
    events.all.slice(0, journal.length).map(({ number }) => number),
    journal.map(({ number }) => number),
  )
  assert.deepEqual(postings.all.slice(0, legs.length), legs)
  const allUpdates = await listOf(streams.streamTradeEvents(whole))
  assert.deepEqual(updates.all.slice(0, allUpdates.length), allUpdates)
  assert.equal(allUpdates.filter(({ event }) => event === 'fill').length, 9)
  const fills = (await listOf(streams.streamActivityEvents(whole))).filter(
    ({ activity_type: type }) => type === 'FILL',
  )
  const followed = () => activities.all.filter(({ activity_type: type }) => type === 'FILL')
  // Fees arrive between the fills.
  while (followed().length < fills.length) await sleep(20)
  assert.deepEqual(followed(), fills)
}

test('since, since_id and until_id lead where they say', async (t) => {
  const broker = await startBroker(['--data', 'memory'])
  t.after(broker.stop)
  const leaving = new AbortController()
  const streams = createStreams(trader(broker))
  const live = new Told(streams.streamTradeEvents({ query: { since: BEGINNING } }, leaving), leaving)
  const client = createClient(trader(broker))
  for (let n = 0; n < 2; n++) await trade(client, live)
  leaving.abort()
  await live.done
  const ids = live.all.map(({ event_id: id }) => id)
  const query = { since_id: ids[0]!, until_id: ids[2]! }
  const some = await listOf(streams.streamTradeEvents({ query }))
  assert.deepEqual(
    some.map(({ event_id: id }) => id),
    ids.slice(1, 3),
  )
})
