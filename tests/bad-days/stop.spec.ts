import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder, startBroker } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { assertAcknowledged, assertBalances, assertSound, settledOrders } from './checks.ts'
import { newClientRecords, startLoad } from './load.ts'
import { tradeUpdates } from './updates.ts'

const STOPS = process.env['KILLS'] === undefined ? 1 : 3

test(`SIGTERM under load loses nothing and leaves no request partly applied (SEED=${seed})`, async (t) => {
  const folder = newFolder()
  const records = newClientRecords()
  for (let round = 1; round <= STOPS; round++) {
    const random = new Random(seed, 'stop', round)
    const broker = await startBroker(['--data', folder])
    const received = await tradeUpdates(broker)
    const client = { broker, random, records, name: `r${round}` }
    const { ended } = await startLoad(client, random.integer(16, 64), random.integer(20, 200))
    await sleep(random.integer(0, 30))
    assert.equal(await broker.stop(), 0, broker.log())
    await ended
    const again = await startBroker(['--data', folder])
    t.after(again.kill)
    const current = await settledOrders(again)
    assertAcknowledged(records, current)
    assertUnansweredNotApplied(records.orders, current.orders)
    const ids = new Set(current.orders.map(({ id }) => id))
    for (const { order } of received) assert(ids.has(order.id), 'every order of the stream exists')
    await assertBalances(again, current)
    await assertSound(again)
    assert.equal(await again.stop(), 0)
  }
  const statuses = new Set([...records.orders.values()].map(({ status }) => status))
  assert(statuses.has(200) && records.cancels.size > 0, 'some orders and cancels were acknowledged')
  for (const status of statuses) assert([undefined, 200, 403, 404, 422, 503].includes(status), String(status))
})

/** A stop answers every accepted request, so an unanswered request was never applied. */
function assertUnansweredNotApplied(
  placed: ReadonlyMap<string, { readonly outcome: string }>,
  orders: readonly { readonly client_order_id: string }[],
): void {
  for (const { client_order_id: id } of orders)
    assert.notEqual(placed.get(id)?.outcome, 'unknown', `${id} was applied but got no answer`)
}
