import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
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

test('a temporary fork that another world follows when its time is over is kept from then on', async (t) => {
  const broker = await startUntilEnd(t, ['--data', newFolder(), '--branch-kept-ms', '3000'])
  await newWorld(broker, { world: 'trunk', durable: true })
  await sim(broker, 'POST', 'trunk/fork', {
    world: 'leader',
    temporary: true,
    durable: true,
    note: 'Followed',
  })
  await newWorld(broker, { world: 'follower', follows: 'leader', durable: true })
  const leader = async () => (await sim(broker, 'GET', 'leader')).body
  await waitUntil('the fork is kept', async () => (await leader()).expires_at === undefined)
  assert.equal((await leader()).note, 'Followed')
  assert.equal((await sim(broker, 'DELETE', 'follower')).status, 204)
  assert.ok((await namesIn(broker)).includes('leader'))
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

test('a fork that was used stays when it is reset after its time', async (t) => {
  const broker = await startUntilEnd(t, ['--data', 'memory', ...KEPT])
  await newWorld(broker, { world: 'trunk' })
  const { body: branch } = await sim(broker, 'POST', 'trunk/fork', { world: 'branch', temporary: true })
  assert.equal((await call(callerOf(broker, branch), 'POST', '/v2/orders', order)).status, 200)
  await setTimeout(Date.parse(branch.expires_at) + 100 - Date.now())
  assert.equal((await sim(broker, 'POST', 'branch/reset', {})).status, 200)
  assert.equal((await sim(broker, 'GET', 'branch')).body.expires_at, undefined)
  await setTimeout(200)
  assert.deepEqual(await namesIn(broker), ['main', 'trunk', 'branch'])
})

test('a durable branch from a past instant ends at the start if its time was over, and stays if its clock had moved', async (t) => {
  const folder = newFolder()
  const first = await startUntilEnd(t, ['--data', folder, '--branch-kept-ms', '1500'])
  const { created: trunk } = await newWorld(first, { world: 'trunk', durable: true })
  await sim(first, 'POST', 'trunk/clock/advance', { by: '1h' })
  const at = new Date(Date.parse(trunk.now) + 60_000).toISOString()
  const branch = (world: string) => ({ world, at, note: 'Rewound', temporary: true, durable: true })
  const { body: unused } = await sim(first, 'POST', 'trunk/fork', branch('unused'))
  await sim(first, 'POST', 'trunk/fork', branch('played'))
  await sim(first, 'POST', 'played/clock/advance', { by: '1m' })
  // To read is not to use.
  for (const path of ['unused/events', 'unused/clock', 'unused/requests', 'unused/balances'])
    assert.equal((await sim(first, 'GET', path)).status, 200)
  assert.equal((await sim(first, 'GET', 'unused')).body.expires_at, unused.expires_at)
  assert.equal((await sim(first, 'GET', 'played')).body.expires_at, undefined)
  await first.kill()
  await setTimeout(Math.max(Date.parse(unused.expires_at) - Date.now(), 0))
  const second = await startUntilEnd(t, ['--data', folder])
  await untilGone(second, 'unused')
  assert.deepEqual((await namesIn(second)).toSorted(), ['main', 'played', 'trunk'])
})
