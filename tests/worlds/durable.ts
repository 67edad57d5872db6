import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Body, type Broker, call, newWorld, startBroker } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { callerOf, headOf, loaded, save, sim } from './files.ts'

const order = { symbol: 'KO', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }

/** Trades in a world, and returns its journal without the name. */
export async function trade(broker: Broker, world: Body): Promise<Body> {
  const caller = callerOf(broker, world)
  for (const limit_price of [undefined, '1']) {
    const type = limit_price ? 'limit' : 'market'
    const { status, body } = await call(caller, 'POST', '/v2/orders', { ...order, type, limit_price })
    assert.equal(status, 200, JSON.stringify(body))
  }
  const advanced = await sim(broker, 'POST', `${world.world}/clock/advance`, { by: '26h' })
  assert.equal(advanced.status, 200, JSON.stringify(advanced.body))
  return journalOf(broker, world)
}

export async function journalOf(broker: Broker, { world }: Body): Promise<Body> {
  const { seq, hash } = await headOf(broker, world)
  return { seq, hash }
}

const nowOf = async (broker: Broker, world: string): Promise<string> =>
  (await sim(broker, 'GET', `${world}/clock`)).body.now

/** Starts a broker that ends with the test at the latest. */
export async function startUntilEnd(t: TestContext, flags: readonly string[]): Promise<Broker> {
  const broker = await startBroker(flags)
  t.after(() => broker.process.kill('SIGKILL'))
  return broker
}

/** The rules of durable worlds, for a server with these flags. */
export async function assertDurable(t: TestContext, folder: string, flags: readonly string[]): Promise<void> {
  const start = () => startUntilEnd(t, ['--data', folder, ...flags])
  const first = await start()
  await runOn(folder, 'import', barsFile)
  const { created: kept } = await newWorld(first, { world: 'kept', durable: true })
  assert.equal(kept.durable, true)
  const traded = await trade(first, kept)
  // The clock moved without an event, and that survives too.
  await sim(first, 'POST', 'kept/clock/advance', { by: '7m' })
  const now = await nowOf(first, 'kept')
  const replay = { market: 'replay', symbols: ['ZQXW'], start: '2025-03-10T15:00:00Z' }
  const { created: replayed } = await newWorld(first, { world: 'replayed', durable: true, ...replay })
  const copy = await loaded(first, await save(first, 'kept'), '?world=copy&durable=true')
  // A durable fork, whose parent is deleted, has its past, and its own keys only.
  const { created: parent } = await newWorld(first, { world: 'parent', durable: true })
  await trade(first, parent)
  const forking = await sim(first, 'POST', 'parent/fork', { world: 'branch', durable: true })
  const branch = forking.body
  assert.deepEqual([forking.status, branch.durable, branch.parent], [201, true, 'parent'])
  const forked = await trade(first, branch)
  const inMemory = (await sim(first, 'POST', 'parent/fork', { world: 'in-memory' })).body
  const ordersOf = (key: Body) => call(callerOf(first, key), 'GET', '/v2/orders?status=all')
  const { body: ordersOfParent } = await ordersOf(parent)
  assert.equal((await sim(first, 'DELETE', 'parent')).status, 204)
  // A fork in memory keeps the past of its deleted parent too, also after a reset.
  assert.equal(ordersOfParent.length, 2)
  assert.deepEqual((await ordersOf(inMemory)).body, ordersOfParent)
  assert.equal((await sim(first, 'POST', 'in-memory/reset', {})).status, 200)
  assert.deepEqual((await ordersOf(inMemory)).body, ordersOfParent)
  const { created: renewed } = await newWorld(first, { world: 'renewed', durable: true })
  const origin = await journalOf(first, renewed)
  await trade(first, renewed)
  assert.equal((await sim(first, 'POST', 'renewed/reset', {})).status, 200)
  const { created: live } = await newWorld(first, { world: 'live', durable: true, clock: 'wall' })
  await assertWallClock(first, live)
  await newWorld(first, { world: 'deleted', durable: true })
  assert.equal((await sim(first, 'DELETE', 'deleted')).status, 204)
  await newWorld(first, { world: 'passing' })
  const twin = await loaded(first, await save(first, 'kept'))
  const expected = await trade(first, twin)
  await first.kill()

  const second = await start()
  const worlds = (await sim(second, 'GET', '')).body
  assert.deepEqual(
    worlds.map(({ world, durable, frozen }: Body) => [world, durable, frozen]),
    [
      ['main', true, false],
      ['branch', true, true],
      ['copy', true, true],
      ['kept', true, true],
      ['live', true, false],
      ['renewed', true, true],
      ['replayed', true, true],
    ],
  )
  assert.deepEqual([await journalOf(second, kept), await nowOf(second, 'kept')], [traded, now])
  assert.deepEqual(await journalOf(second, renewed), origin)
  await assertWallClock(second, live)
  assert.deepEqual([await journalOf(second, branch), worlds[1].parent], [forked, 'parent'])
  const ofBranch = (key: Body) => call(callerOf(second, key), 'GET', '/v2/positions')
  assert.equal((await ofBranch(branch)).body[0].qty, '20')
  assert.equal((await ofBranch(parent)).status, 401)
  assert.equal((await call(callerOf(second, kept), 'GET', '/v2/positions')).body[0].qty, '10')
  // The loaded copy continues as the same file does in memory.
  assert.deepEqual(await trade(second, copy), expected)
  const keyOfKept = { ...callerOf(second, kept) }
  const bars = '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-11&limit=5'
  assert.equal((await call(callerOf(second, replayed), 'GET', bars)).body.bars.length, 5)
  for (const { world } of worlds)
    assert.equal((await sim(second, 'GET', `${world}/audit`)).body.sound, true, world)
  // Another stop, in order, and everything is deleted at last.
  await trade(second, renewed)
  const again = await journalOf(second, renewed)
  assert.equal(await second.stop(), 0)
  const third = await start()
  assert.deepEqual(await journalOf(third, renewed), again)
  assert.equal((await call({ ...keyOfKept, url: third.url }, 'GET', '/v2/account')).status, 200)
  const ofServer = await auditsOf(folder, flags, '--all')
  assert.deepEqual(
    ofServer.map(({ world }) => world),
    worlds.map(({ world }: Body) => world),
  )
  assert.equal(await third.stop(), 0)
  assert.deepEqual(await auditsOf(folder, flags, '--all'), ofServer)
  const [one] = await auditsOf(folder, flags, '--world', 'kept')
  // Only an audit of all worlds compares them.
  assert.deepEqual(
    { ...one, settled_transits: 0 },
    ofServer.find(({ world }) => world === 'kept'),
  )
  const fourth = await start()
  for (const { world } of worlds.slice(1)) assert.equal((await sim(fourth, 'DELETE', world)).status, 204)
  assert.equal(await fourth.stop(), 0)
}

/** A world on the wall clock fills orders by itself, and its clock cannot be moved. */
async function assertWallClock(broker: Broker, { world, ...keys }: Body): Promise<void> {
  const caller = callerOf(broker, { world, ...keys })
  const { body: placed } = await call(caller, 'POST', '/v2/orders', order)
  await waitUntil('the order is filled', async () => {
    const { body } = await call(caller, 'GET', `/v2/orders/${placed.id}`)
    return body.status === 'filled'
  })
  const lateMs = Math.abs(Date.parse(await nowOf(broker, world)) - Date.now())
  assert.ok(lateMs < 60_000, `${lateMs} ms`)
  for (const path of ['clock/advance', 'reset'])
    assert.equal((await sim(broker, 'POST', `${world}/${path}`, { by: '1m' })).status, 409, path)
}

/** What `quipu audit` says of one world or of all. */
export async function auditsOf(
  folder: string,
  [name, store]: readonly string[],
  ...which: readonly string[]
): Promise<readonly Body[]> {
  const env: Record<string, string> = name === '--store' ? { QUIPU_STORE: store! } : {}
  const { code, stdout, stderr } = await command(['audit', '--json', '--data', folder, ...which], { env })
  assert.equal(code, 0, stderr)
  const printed = JSON.parse(stdout)
  return Array.isArray(printed) ? printed : [printed]
}
