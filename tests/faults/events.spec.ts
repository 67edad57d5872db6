import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiError, createStreams } from '@quipu/sdk'
import { Reader, TRADES } from '../../server/src/http/testing/events.ts'
import type { NewFault, World } from '../../testing/src/kit.ts'
import { type FaultWorld, newEmptyWorld, newFaultWorld } from './fault-world.ts'

const events = { stream: 'events' }

/** Places an order that fills, and waits until its updates are sent. */
async function place({ alpaca, world }: FaultWorld, clientOrderId: string): Promise<void> {
  await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId })
  await world.advance('1s')
}

const all = (id: string) => ['pending_new', 'new', 'fill'].map((event) => `${id} ${event}`)
type Update = { readonly event: string; readonly order: { readonly client_order_id: string } }
const wordsOf = ({ event, order }: Update) => `${order.client_order_id} ${event}`

/** A plain reader of server-sent events, which is open. */
async function reading(t: TestContext, world: World, path = TRADES): Promise<Reader> {
  const reader = new Reader(path, world)
  t.after(() => reader.leave())
  while (reader.status === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  return reader
}

const received = async (reader: Reader, count: number) => (await reader.waitFor(count)).map(wordsOf)

/** The first updates that our SDK yields in a world with a rule, for two orders. */
async function followed(rule: NewFault, count: number): Promise<readonly string[]> {
  const setup = await newFaultWorld(rule)
  const streams = createStreams({ ...setup.world, retryDelayMs: 5 })
  const words: string[] = []
  const done = (async () => {
    const query = { since: '2026-01-01T00:00:00Z' }
    for await (const update of streams.streamTradeEvents({ query }, { idleMs: 200 })) {
      words.push(wordsOf(update as Update))
      if (words.length === count) return
    }
  })()
  await place(setup, 'one')
  await place(setup, 'two')
  await done
  await setup.consumed()
  return words
}

for (const [name, effect] of [
  ['close', { kind: 'close', on: 'message' }],
  ['half_open', { kind: 'half_open', on: 'message' }],
  ['duplicate', { kind: 'duplicate' }],
] as const)
  test(`${name}: our SDK yields every event once and in order`, async () => {
    const match = { ...events, message: 'new', client_order_id: 'one' }
    assert.deepEqual(await followed({ match, effect }, 6), [...all('one'), ...all('two')])
  })

test('refused_authentication: right credentials get 401, or the error of too many streams', async () => {
  const setup = await newFaultWorld({ match: events, effect: { kind: 'refused_authentication' } })
  const [refused] = [
    createStreams({ ...setup.world })
      .streamTradeEvents()
      .next(),
  ]
  await assert.rejects(refused, (error: unknown) => error instanceof ApiError && error.status === 401)
  await setup.consumed()
  const effect = { kind: 'refused_authentication', as: 'connection_limit' } as const
  await setup.world.fault({ match: { stream: TRADES }, effect })
  const full = new Reader(TRADES, setup.world)
  assert.equal(await full.outcome, 'refused')
  assert.deepEqual([full.status, full.body.reason], [503, 'eventStreamsFull'])
})

test('duplicate, reorder and drop change the sequence of events', async (t) => {
  const [pending, accepted, filled] = all('one')
  for (const [kind, message, expected] of [
    ['duplicate', 'fill', [pending, accepted, filled, filled]],
    ['reorder', 'new', [pending, filled, accepted]],
    ['drop', 'new', [pending, filled]],
  ] as const) {
    const match = { stream: TRADES, message, client_order_id: 'one', symbol: 'AAPL' }
    const setup = await newFaultWorld({ match, effect: { kind } })
    const reader = await reading(t, setup.world)
    await place(setup, 'one')
    assert.deepEqual(await received(reader, expected.length), expected, kind)
    await setup.consumed()
  }
})

test('a rule on connections applies to open event streams, and only if it names them', async (t) => {
  const world = await newEmptyWorld()
  const reader = await reading(t, world)
  assert.equal((await world.fault({ effect: { kind: 'close' } })).consumed, 0)
  assert.equal((await world.fault({ match: events, effect: { kind: 'close' } })).consumed, 1)
  assert.equal(await reader.outcome, 'ended')
  await world.fault({ match: events, effect: { kind: 'close' } })
  assert.equal(await (await reading(t, world)).outcome, 'ended')
})

test('silence loses events until its rule is deleted; slow delays them; a range still ends', async (t) => {
  const setup = await newFaultWorld({
    match: { ...events, next: 2 },
    effect: { kind: 'silence', ms: 60_000 },
  })
  const { world } = setup
  const silent = await reading(t, world)
  await place(setup, 'one')
  assert.deepEqual(silent.events, [])
  await world.deleteFaults()
  await place(setup, 'two')
  assert.deepEqual(await received(silent, 3), all('two'))
  await world.fault({ match: { stream: TRADES }, effect: { kind: 'slow', ms: 50 } })
  const since = '2026-01-01T00:00:00Z'
  const slow = new Reader(`${TRADES}?since=${since}&until=2026-01-05T15:00:00.5Z`, world)
  assert.equal(await slow.outcome, 'ended')
  assert.deepEqual(slow.events.map(wordsOf), all('one'))
  await setup.consumed()
})

test('activities are matched by symbol', async (t) => {
  const match = { stream: '/v2beta1/events/activities', symbol: 'AAPL' }
  const setup = await newFaultWorld({ match, effect: { kind: 'duplicate' } })
  const reader = await reading(t, setup.world, '/v2beta1/events/activities')
  await place(setup, 'one')
  const [first, second] = await reader.waitFor(2)
  assert.deepEqual(first, second)
  await setup.consumed()
})
