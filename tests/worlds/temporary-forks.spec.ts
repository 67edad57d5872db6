import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, call, newFolder, newWorld } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { startUntilEnd } from './durable.ts'
import { callerOf, sim } from './files.ts'

const KEPT = ['--branch-kept-ms', '1000']
const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

const namesIn = async (broker: Broker): Promise<readonly string[]> =>
  (await sim(broker, 'GET', '')).body.map(({ world }: { readonly world: string }) => world)
const untilGone = (broker: Broker, world: string) =>
  waitUntil(`${world} is deleted`, async () => !(await namesIn(broker)).includes(world))

test('an unused temporary fork is deleted after its time; a used one and its parent stay', async (t) => {
  const broker = await startUntilEnd(t, ['--data', 'memory', ...KEPT])
  await newWorld(broker, { world: 'trunk' })
  const { body: used } = await sim(broker, 'POST', 'trunk/fork', { world: 'used', temporary: true })
  const placed = await call(callerOf(broker, used), 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200)
  await sim(broker, 'POST', 'trunk/fork', { world: 'plain' })
  await sim(broker, 'POST', 'trunk/fork', { world: 'unused', temporary: true })
  await untilGone(broker, 'unused')
  assert.deepEqual(await namesIn(broker), ['main', 'trunk', 'used', 'plain'])
  assert.match(broker.log(), /deleted an unused temporary fork/)
})

test('a durable temporary fork expires after a restart, and its texts survive one', async (t) => {
  const folder = newFolder()
  const first = await startUntilEnd(t, ['--data', folder, '--branch-kept-ms', '2000'])
  await newWorld(first, { world: 'trunk', durable: true })
  await sim(first, 'PATCH', 'trunk', { title: 'The trunk', note: 'Kept' })
  await sim(first, 'POST', 'trunk/fork', { world: 'unused', temporary: true, durable: true })
  await first.kill()
  const second = await startUntilEnd(t, ['--data', folder])
  const { title, note } = (await sim(second, 'GET', 'trunk')).body
  assert.deepEqual([title, note], ['The trunk', 'Kept'])
  await untilGone(second, 'unused')
  assert.deepEqual(await namesIn(second), ['main', 'trunk'])
})
