import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readSse, type SseMessage, type SseReader } from '../../server/src/http/reading/testing/reading.ts'
import { ACTIVITIES, Reader, TRADES } from '../../server/src/http/testing/events.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { get, openUpdates, pastEvents, type Updates } from './checks.ts'

let broker: Broker
before(async () => {
  const preload = join(import.meta.dirname, 'fail-sync.child.ts')
  const flags = ['--data', join(newFolder(), 'data'), '--hours', 'always', '--latency-ms', '0']
  broker = await startBroker(flags, { NODE_OPTIONS: `--import ${preload}` })
})
after(() => broker.kill())

/** Makes a request whose events are written but whose sync fails: the client gets no response. */
async function sendWithFailingSync(send: () => Promise<unknown>): Promise<void> {
  const armed = broker.log().split('the next sync fails').length
  broker.process.kill('SIGUSR2')
  await waitUntil('the disk is about to fail', () => broker.log().split('the next sync fails').length > armed)
  const failures = broker.log().split('"world failed"').length
  await assert.rejects(send(), 'expected no response')
  assert.equal(broker.log().split('"world failed"').length, failures + 1, broker.log().slice(-2_000))
  await waitUntil(
    'the broker is ready again',
    async () => (await call(broker, 'GET', '/readyz')).status === 200,
  )
}

const order = (clientOrderId: string) => ({
  client_order_id: clientOrderId,
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
})

async function waitForFill(clientOrderId: string): Promise<void> {
  const path = `/v2/orders:by_client_order_id?client_order_id=${clientOrderId}`
  await waitUntil(`${clientOrderId} is filled`, async () => (await get(broker, path)).status === 'filled')
}

const operator = () => ({ keyId: broker.brokerKey, secretKey: broker.brokerSecret }) as never

type Streams = {
  readonly updates: Updates
  readonly trades: Reader
  readonly activities: Reader
  readonly events: SseReader
  readonly postings: SseReader
  readonly balances: SseReader
}

async function openStreams(): Promise<Streams> {
  const read = (path: string) => readSse(broker, `/sim/v1/worlds/main/${path}`, operator())
  const [trades, activities] = [new Reader(TRADES, broker), new Reader(ACTIVITIES, broker)]
  await waitUntil('both streams are open', () => trades.status === 200 && activities.status === 200)
  return {
    updates: await openUpdates(broker),
    trades,
    activities,
    events: await read('events'),
    postings: await read('postings'),
    balances: await read('balances'),
  }
}

test('a sync that fails once: every open stream receives every event, once and in order', async () => {
  const streams = await openStreams()
  await call(broker, 'POST', '/v2/orders', order('before'))
  await waitForFill('before')
  const { updates, trades, activities } = streams
  // A stream that still reads past events while the world is rebuilt is closed, and its client reconnects.
  await Promise.all([trades.waitFor(3), activities.waitFor(1)])
  await sendWithFailingSync(() => call(broker, 'POST', '/v2/orders', order('unknown')))
  await waitForFill('unknown')
  await call(broker, 'POST', '/v2/orders', order('after'))
  await waitForFill('after')
  const expected = await pastEvents(broker, TRADES)
  assert.deepEqual(
    expected.map(({ event, order: { client_order_id: id } }) => `${id} ${event}`),
    ['before', 'unknown', 'after'].flatMap((id) =>
      ['pending_new', 'new', 'fill'].map((one) => `${id} ${one}`),
    ),
  )
  await waitUntil(
    'the last update is received',
    () => updates.received.at(-1)?.order.client_order_id === 'after',
  )
  assert.deepEqual(updates.received, expected)
  assert.deepEqual(await trades.waitFor(expected.length), expected)
  const fills = (await pastEvents(broker, ACTIVITIES)).filter(({ activity_type: type }) => type === 'FILL')
  assert.deepEqual(await activities.waitFor(3), fills)
  await assertJournalRead(streams)
  updates.close()
  for (const reader of [trades, activities]) reader.leave()
})

async function assertJournalRead({ events, postings, balances }: Streams): Promise<void> {
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/events?limit=1000')
  const all: readonly Body[] = body.events
  const streamed = await events.take(all.length)
  assert.deepEqual(
    streamed.map(({ data }) => data),
    all,
  )
  const { body: postingPage } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/postings?limit=1000')
  const legs = await postings.take(postingPage.postings.length)
  assert.deepEqual(
    legs.map(({ data }) => data),
    postingPage.postings,
  )
  const { body: balancePage } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/balances?limit=1000')
  const last = legs.filter(({ id }) => id === legs.at(-1)!.id)
  const latest = new Map<string, unknown>()
  for (let left = last.length; left > 0; ) {
    const [{ id, data }] = (await balances.take(1)) as [SseMessage]
    latest.set(`${data['ledger_account']} ${data['asset']}`, data['amount'])
    if (id === last[0]!.id) left -= 1
  }
  for (const row of balancePage.balances)
    assert.equal(latest.get(`${row.ledger_account} ${row.asset}`), row.amount, row.ledger_account)
  for (const stream of [events, postings, balances]) stream.close()
}

test('revoking a key while the sync fails closes the connections of that key', async () => {
  const { body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', {
    account_id: broker.accountId,
  })
  const key = { ...broker, keyId: body.key_id as string, secretKey: body.secret_key as string }
  const updates = await openUpdates(key)
  const reader = new Reader(TRADES, key)
  await waitUntil('the event stream is open', () => reader.status === 200)
  await sendWithFailingSync(() => callAsOperator(broker, 'DELETE', `/sim/v1/worlds/main/keys/${body.key_id}`))
  await waitUntil('the socket is closed', () => updates.socket.readyState === updates.socket.CLOSED)
  assert.notEqual(await reader.outcome, 'refused')
})
