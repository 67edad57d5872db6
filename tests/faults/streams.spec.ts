import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { streaming } from '@alpacahq/alpaca-trade-api'
import type { NewFault, World } from '../../testing/src/kit.ts'
import { buy, newFaultWorld, streamsOf } from './fault-world.ts'

/** Shorter delays than the defaults of the SDK. */
const fast = { initialReconnectMs: 20, maxReconnectMs: 50, reconnectJitter: 0 }

type Stream = streaming.TradingStream | streaming.StockDataStream

const next = <Value = unknown>(stream: Stream, event: string): Promise<Value> =>
  new Promise((resolve) => stream.once(event as Parameters<Stream['once']>[0], resolve))

/** A stream of trade updates of the official client, and the orders and events of its updates: `one fill`. */
async function listen(t: TestContext, rule: NewFault, options: object = {}) {
  const setup = await newFaultWorld(rule)
  const stream = setup.alpaca.trading.stream({ ...streamsOf(setup.world).trading, ...fast, ...options })
  t.after(() => stream.disconnect())
  const updates: string[] = []
  stream.onTradeUpdate(({ event, order }) => updates.push(`${order.client_order_id} ${event}`))
  stream.onError(() => undefined)
  stream.subscribeTradeUpdates()
  return { ...setup, stream, updates, place: (id: string) => place(setup, id) }
}

/** Places an order that fills, and waits until its updates are sent. */
async function place(
  { alpaca, world }: Pick<Awaited<ReturnType<typeof newFaultWorld>>, 'alpaca' | 'world'>,
  id: string,
) {
  await buy(alpaca, id)
  await world.advance('1s')
}

async function connected(stream: Stream): Promise<void> {
  const subscribed = next(stream, 'subscription')
  stream.connect()
  await subscribed
}

const all = (id: string) => ['pending_new', 'new', 'fill'].map((event) => `${id} ${event}`)

async function received(updates: readonly string[], count: number): Promise<readonly string[]> {
  const endMs = performance.now() + 10_000
  while (updates.length < count) {
    assert.ok(performance.now() < endMs, `received only ${updates.join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return updates
}

test('close: the client reconnects; the update in whose place the stream was closed is lost', async (t) => {
  const { stream, updates, place, consumed } = await listen(t, {
    match: { stream: 'trade_updates', message: 'fill' },
    effect: { kind: 'close', code: 1012, message: 'restart', on: 'message' },
  })
  await connected(stream)
  const back = next(stream, 'subscription')
  await place('one')
  await back
  await place('two')
  assert.deepEqual(await received(updates, 5), [...all('one').slice(0, 2), ...all('two')])
  await consumed()
})

test('close of an open stream happens at once', async (t) => {
  const { world, stream } = await listen(t, { match: { nth: 1000 }, effect: { kind: 'drop' } })
  await connected(stream)
  const back = next(stream, 'subscription')
  const created = await world.fault({ effect: { kind: 'close' } })
  assert.deepEqual([created.matched, created.consumed, created.exhausted], [1, 1, true])
  await back
})

test('silence: pings are answered, so the client does not notice that updates are lost', async (t) => {
  const { world, stream, updates, place, consumed } = await listen(
    t,
    { match: { message: ['new'] }, effect: { kind: 'silence', on: 'message' } },
    { pingIntervalMs: 150, pongWaitMs: 100 },
  )
  let closed = 0
  stream.onDisconnect(() => (closed += 1))
  await connected(stream)
  await place('one')
  await new Promise((resolve) => setTimeout(resolve, 400))
  assert.deepEqual([updates, closed], [['one pending_new'], 0])
  assert.equal((await world.orders())[0]?.status, 'filled')
  await consumed()
})

test('half_open: no ping is answered and nothing is sent, until the client gives up', async (t) => {
  const { stream, updates, place, consumed } = await listen(
    t,
    { match: { message: 'new' }, effect: { kind: 'half_open', on: 'message' } },
    { pingIntervalMs: 150, pongWaitMs: 100 },
  )
  await connected(stream)
  const lost = new Promise<void>((resolve) => stream.onDisconnect(() => resolve()))
  const back = next(stream, 'subscription')
  await place('one')
  await lost
  await back
  await place('two')
  assert.deepEqual(await received(updates, 4), ['one pending_new', ...all('two')])
  await consumed()
})

test('slow: every update is late, in order', async (t) => {
  const { stream, updates, place, consumed } = await listen(t, { effect: { kind: 'slow', ms: 150 } })
  await connected(stream)
  await place('one')
  assert.deepEqual(updates, [])
  assert.deepEqual(await received(updates, 3), all('one'))
  await consumed()
})

test('duplicate, reorder and drop change the sequence of updates', async (t) => {
  const [pending, accepted, filled] = all('one')
  for (const [effect, message, expected] of [
    ['duplicate', 'fill', [pending, accepted, filled, filled]],
    ['reorder', 'new', [pending, filled, accepted]],
    ['drop', 'new', [pending, filled]],
  ] as const) {
    const { stream, updates, place, consumed } = await listen(t, {
      match: { stream: '/stream', message, client_order_id: 'one', symbol: 'AAPL' },
      effect: { kind: effect },
    })
    await connected(stream)
    await place('one')
    assert.deepEqual(await received(updates, expected.length), expected, effect)
    await consumed()
  }
})

test('lost_subscription: the client believes that it is subscribed after it reconnects', async (t) => {
  const { world, stream, updates, place, consumed } = await listen(t, {
    match: { nth: 2 },
    effect: { kind: 'lost_subscription' },
  })
  await connected(stream)
  await place('one')
  await received(updates, 3)
  const back = next(stream, 'subscription')
  await world.fault({ effect: { kind: 'close' } })
  await back
  await place('two')
  assert.deepEqual(updates, all('one'))
  await consumed()
})

test('refused_authentication: right credentials are refused once', async (t) => {
  const { world, stream, consumed } = await listen(t, { effect: { kind: 'refused_authentication' } })
  stream.connect()
  assert.equal((await stream.whenAuthenticated()).authenticated, false)
  await consumed()
  await canConnect(t, world)
})

async function canConnect(t: TestContext, world: World): Promise<void> {
  const { alpaca } = await newFaultWorld({ effect: { kind: 'drop' } })
  const again = alpaca.trading.stream({ ...streamsOf(world).trading })
  t.after(() => again.disconnect())
  again.subscribeTradeUpdates()
  await connected(again)
}
