import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { auditEvents } from '../../broker/src/world/audit/audit.ts'
import { type Body, type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import {
  assertAcknowledged,
  assertBalances,
  assertSound,
  type Head,
  type OrdersAndMints,
  settledOrders,
  tradeUpdates,
} from './checks.ts'
import { type ClientRecords, newClientRecords, type Outcome, startLoad } from './load.ts'

/** `npm run soak` sets hundreds of kills. */
const KILLS = Number(process.env['KILLS'] ?? 1)

test(`kill -9 under load, ${KILLS} times on one folder (SEED=${seed})`, async (t) => {
  const folder = newFolder()
  const records = newClientRecords()
  const heads: Head[] = []
  let broker = await startBroker(['--data', folder])
  for (let round = 1; round <= KILLS; round++) {
    const received = await killUnderLoad(broker, records, new Random(seed, 'kill', round), `r${round}`)
    await assertJournal(folder, records)
    broker = await startBroker(['--data', folder])
    heads.push(await assertNothingLost(broker, records, received))
  }
  await broker.kill()
  await assertHistory(folder, heads)
  const countOf = (outcome: Outcome) =>
    [...records.orders.values()].filter((one) => one.outcome === outcome).length
  assert(countOf('acknowledged') > KILLS && countOf('refused') > KILLS && records.cancels.size > 0)
  t.diagnostic(
    `${countOf('acknowledged')} acknowledged, ${countOf('refused')} refused, ${countOf('unknown')} without a response, ` +
      `${records.cancels.size} cancels, ${records.mints.size} mints, ${heads.at(-1)!.seq} events`,
  )
})

/** Returns the trade updates that were received before the process was killed. */
async function killUnderLoad(
  broker: Broker,
  records: ClientRecords,
  random: Random,
  name: string,
): Promise<readonly Body[]> {
  const received = await tradeUpdates(broker)
  const client = { broker, random, records, name }
  // The first load is long enough for refusals and cancels, also if it is the only one.
  const responsesMin = records.orders.size === 0 ? 40 : 1
  const { ended } = await startLoad(client, random.integer(16, 64), random.integer(responsesMin, 80))
  await sleep(random.integer(0, 30))
  await broker.kill()
  await ended
  return received
}

/** Before any repair, the journal has every event number that a response carried. */
async function assertJournal(folder: string, records: ClientRecords): Promise<void> {
  const { head, damage } = await verifyJournal(join(folder, 'journal'))
  assert.equal(damage, undefined)
  assert(head.seq >= records.seq, `a response carried ${records.seq}, the journal ends with ${head.seq}`)
}

async function assertNothingLost(
  broker: Broker,
  records: ClientRecords,
  received: readonly Body[],
): Promise<Head> {
  const current = await settledOrders(broker)
  const head = await assertSound(broker)
  assertAcknowledged(records, current)
  assertUpdates(received, current)
  await assertBalances(broker, current)
  await assertSingleReads(broker, records, current)
  return head
}

/** Every update of the stream matches the order after the restart. */
function assertUpdates(received: readonly Body[], { orders }: OrdersAndMints): void {
  const byId = new Map(orders.map((order) => [order.id, order]))
  for (const { event, order, price } of received) {
    const is = byId.get(order.id)
    assert(is, `the stream had an update of ${order.id}, which does not exist`)
    if (event === 'canceled') assert.equal(is.status, 'canceled')
    if (event !== 'fill') continue
    const expected = [order.filled_qty, price, order.filled_at, 'filled']
    assert.deepEqual([is.filled_qty, is.filled_avg_price, is.filled_at, is.status], expected)
  }
}

/** Single reads return the same orders as the list, and used ids cannot be reused. */
async function assertSingleReads(
  broker: Broker,
  { orders }: ClientRecords,
  current: OrdersAndMints,
): Promise<void> {
  const byId = new Map(current.orders.map((order) => [order.client_order_id, order]))
  await Promise.all(
    [...orders].slice(-60).map(async ([id, { request }]) => {
      const { status, body } = await call(
        broker,
        'GET',
        `/v2/orders:by_client_order_id?client_order_id=${id}`,
      )
      const expected = byId.get(id)
      assert.equal(status, expected ? 200 : 404, id)
      if (!expected) return
      assert.deepEqual(body, expected)
      assert.equal((await call(broker, 'POST', '/v2/orders', request)).status, 422, `${id} a second time`)
    }),
  )
}

/** No stored event has changed since, and an audit of the journal without the program finds no problem. */
async function assertHistory(folder: string, heads: readonly Head[]): Promise<void> {
  const journal = await openFilesJournal(join(folder, 'journal'))
  for (const { seq, hash } of heads) assert.equal(await journal.hashAt(seq), hash, `the hash at ${seq}`)
  const { sound, problems } = await auditEvents(journal.read(0), journal.head())
  assert.deepEqual([sound, problems], [true, []])
  await journal.close()
}
