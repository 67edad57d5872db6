import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder, startBroker } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { assertBooks, assertRemembered, assertSound, settled } from './checks.ts'
import { busyAfter, newMemory } from './load.ts'
import { tradeUpdates } from './updates.ts'

test(`SIGTERM under load loses nothing and leaves no request half done (SEED=${seed})`, async (t) => {
  const folder = newFolder()
  const memory = newMemory()
  for (let round = 1; round <= 3; round++) {
    const random = new Random(seed, 'stop', round)
    const broker = await startBroker(['--data', folder])
    const heard = await tradeUpdates(broker)
    const client = { broker, random, memory, name: `r${round}` }
    const { over } = await busyAfter(client, random.integer(16, 64), random.integer(20, 200))
    await sleep(random.integer(0, 30))
    assert.equal(await broker.stop(), 0, broker.log())
    await over
    const again = await startBroker(['--data', folder])
    t.after(again.kill)
    const seen = await settled(again)
    assertRemembered(memory, seen)
    assertUnansweredNeverArrived(memory.orders, seen.orders)
    const ids = new Set(seen.orders.map(({ id }) => id))
    for (const { order } of heard) assert(ids.has(order.id), 'what a stream told is there')
    await assertBooks(again, seen)
    await assertSound(again)
    assert.equal(await again.stop(), 0)
  }
  const statuses = new Set([...memory.orders.values()].map(({ status }) => status))
  assert(statuses.has(200) && memory.cancels.size > 0, 'there was something to lose')
  for (const status of statuses) assert([undefined, 200, 403, 404, 422, 503].includes(status), String(status))
})

/** A stop answers all it has taken: who got no answer was never let in. */
function assertUnansweredNeverArrived(
  asked: ReadonlyMap<string, { readonly outcome: string }>,
  there: readonly { readonly client_order_id: string }[],
): void {
  for (const { client_order_id: id } of there)
    assert.notEqual(asked.get(id)?.outcome, 'unknown', `${id} was applied and got no answer`)
}
