import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFilesJournal } from '../../server/src/journal/files.ts'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { auditEvents } from '../../server/src/world/audit.ts'
import { type Body, type Broker, call, newFolder, startBroker } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { assertBooks, assertRemembered, assertSound, type Head, type Seen, settled } from './checks.ts'
import { busyAfter, type Memory, newMemory, type Outcome } from './load.ts'
import { tradeUpdates } from './updates.ts'

/** `npm run soak` makes hundreds of it. */
const KILLS = Number(process.env['KILLS'] ?? 6)

test(`kill -9 under load, ${KILLS} times on one folder (SEED=${seed})`, async (t) => {
  const folder = newFolder()
  const memory = newMemory()
  const heads: Head[] = []
  let broker = await startBroker(['--data', folder])
  for (let round = 1; round <= KILLS; round++) {
    const heard = await killUnderLoad(broker, memory, new Random(seed, 'kill', round), `r${round}`)
    await assertJournal(folder, memory)
    broker = await startBroker(['--data', folder])
    heads.push(await assertNothingLost(broker, memory, heard))
  }
  await broker.kill()
  await assertHistory(folder, heads)
  const of = (outcome: Outcome) => [...memory.orders.values()].filter((one) => one.outcome === outcome).length
  assert(of('acknowledged') > KILLS && of('refused') > KILLS && memory.cancels.size > 0)
  t.diagnostic(
    `${of('acknowledged')} acknowledged, ${of('refused')} refused, ${of('unknown')} without an answer, ` +
      `${memory.cancels.size} cancels, ${memory.mints.size} mints, ${heads.at(-1)!.seq} events`,
  )
})

/** Gives what the trade-update stream had told when the process died. */
async function killUnderLoad(
  broker: Broker,
  memory: Memory,
  random: Random,
  name: string,
): Promise<readonly Body[]> {
  const heard = await tradeUpdates(broker)
  const client = { broker, random, memory, name }
  const { over } = await busyAfter(client, random.integer(16, 64), random.integer(1, 80))
  await sleep(random.integer(0, 30))
  await broker.kill()
  await over
  return heard
}

/** Before anyone has repaired anything: all that was shown to a client is on the disk. */
async function assertJournal(folder: string, memory: Memory): Promise<void> {
  const { head, damage } = await verifyJournal(join(folder, 'journal'))
  assert.equal(damage, undefined)
  assert(head.seq >= memory.seq, `an answer carried ${memory.seq}, the journal ends with ${head.seq}`)
}

async function assertNothingLost(broker: Broker, memory: Memory, heard: readonly Body[]): Promise<Head> {
  const seen = await settled(broker)
  const head = await assertSound(broker)
  assertRemembered(memory, seen)
  assertHeard(heard, seen)
  await assertBooks(broker, seen)
  await assertFoundAlone(broker, memory, seen)
  return head
}

/** What a stream had told has happened, and in the same words. */
function assertHeard(heard: readonly Body[], { orders }: Seen): void {
  const byId = new Map(orders.map((order) => [order.id, order]))
  for (const { event, order, price } of heard) {
    const is = byId.get(order.id)
    assert(is, `the stream told of ${order.id}, which is not there`)
    if (event === 'canceled') assert.equal(is.status, 'canceled')
    if (event !== 'fill') continue
    const told = [order.filled_qty, price, order.filled_at, 'filled']
    assert.deepEqual([is.filled_qty, is.filled_avg_price, is.filled_at, is.status], told)
  }
}

/** One by one, the last of each kind are answered as the list shows them, and taken ids stay taken. */
async function assertFoundAlone(broker: Broker, { orders }: Memory, seen: Seen): Promise<void> {
  const byId = new Map(seen.orders.map((order) => [order.client_order_id, order]))
  await Promise.all(
    [...orders].slice(-60).map(async ([id, { asked }]) => {
      const { status, body } = await call(
        broker,
        'GET',
        `/v2/orders:by_client_order_id?client_order_id=${id}`,
      )
      const there = byId.get(id)
      assert.equal(status, there ? 200 : 404, id)
      if (!there) return
      assert.deepEqual(body, there)
      assert.equal((await call(broker, 'POST', '/v2/orders', asked)).status, 422, `${id} a second time`)
    }),
  )
}

/** Nothing that was ever stored has become another thing since, and the books add up without the program. */
async function assertHistory(folder: string, heads: readonly Head[]): Promise<void> {
  const journal = await openFilesJournal(join(folder, 'journal'))
  for (const { seq, hash } of heads) assert.equal(await journal.hashAt(seq), hash, `the hash at ${seq}`)
  const { sound, problems } = await auditEvents(journal.read(0), journal.head())
  assert.deepEqual([sound, problems], [true, []])
  await journal.close()
}
