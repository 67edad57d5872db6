import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, call, newFolder, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { startUntilEnd } from './durable.ts'
import { sim } from './files.ts'
import { broker } from './folder-broker.ts'
import { change, changeKinds, changesOn, marketOf, untilSame } from './followed.ts'

const DAY = '2026-01-07'

test('a world follows the market of another across kill -9 after a change', {
  skip: !hasAllCases,
}, async (t) => {
  const folder = newFolder()
  const start = (): Promise<Broker> => startUntilEnd(t, ['--data', folder])
  let server = await start()
  const leader = await newWorld(server, { world: 'leader', seed: 'one', durable: true })
  const [first, second, ...later] = changesOn(DAY)
  await change(server, 'leader', first!)
  await change(server, 'leader', second!)
  const follower = await newWorld(server, {
    world: 'follower',
    seed: 'two',
    durable: true,
    follows: 'leader',
  })
  assert.deepEqual([follower.created.seed, follower.created.market_seed], ['two', 'one'])
  assert.equal(follower.created.follows, 'leader')
  assert.notEqual(follower.accountId, leader.accountId)
  // What was there before its creation is copied before its creation ends.
  assert.deepEqual(await marketOf(server, follower), await marketOf(server, leader))
  for (const [index, one] of later.entries()) {
    await change(server, 'leader', one)
    if (index % 2 === 1) continue
    await server.kill()
    server = await start()
    await untilSame(server, follower, leader)
  }
  const { id } = (await sim(server, 'GET', 'leader/corporate-actions')).body[0]
  await change(server, 'leader', ['DELETE', `corporate-actions/${id}`])
  await untilSame(server, follower, leader)
  const kinds = await changeKinds(server, 'leader')
  assert.equal(kinds.length, 8)
  assert.deepEqual(await changeKinds(server, 'follower'), kinds)
  // A split changes the positions of both worlds, each by its own shares.
  const order = { symbol: 'AAPL', side: 'buy', type: 'market', time_in_force: 'day' }
  for (const [world, qty] of [[leader, '1'] as const, [follower, '3'] as const]) {
    const at = { ...world, url: server.url }
    assert.equal((await call(at, 'POST', '/v2/orders', { ...order, qty })).status, 200)
    await sim(server, 'POST', `${world.world}/clock/advance`, { to: `${DAY}T14:00:00Z` })
    assert.equal((await call(at, 'GET', '/v2/positions/AAPL')).body.qty, String(2 * Number(qty)))
    assert.equal((await sim(server, 'GET', `${world.world}/audit`)).body.sound, true)
  }
  // A reset returns to the creation, and copies what came later again.
  assert.equal((await sim(server, 'POST', 'follower/reset', {})).status, 200)
  await untilSame(server, follower, leader)
  assert.deepEqual(await changeKinds(server, 'follower'), kinds)
})

test('a following world refuses changes of its market; a fork of it does not', async () => {
  await newWorld(broker, { world: 'leader', durable: true })
  await newWorld(broker, { world: 'follower', durable: true, follows: 'leader' })
  await change(broker, 'leader', changesOn(DAY)[0]!)
  for (const [method, path, body] of changesOn(DAY)) {
    const { status, body: refusal } = await sim(broker, method as 'POST', `follower/${path}`, body)
    assert.deepEqual([status, refusal.reason, refusal.world], [409, 'marketFollowed', 'leader'], path)
  }
  for (const durable of [true, false]) {
    const world = `fork-${durable}`
    const fork = await sim(broker, 'POST', 'follower/fork', { world, durable })
    assert.deepEqual([fork.status, fork.body.follows], [201, undefined])
    await change(broker, world, ['POST', 'assets', { symbol: 'ZZFORK' }])
  }
  for (const [method, path] of [
    ['DELETE', 'leader'],
    ['POST', 'leader/reset'],
  ] as const) {
    const { status, body } = await sim(broker, method, path, method === 'POST' ? {} : undefined)
    assert.deepEqual([status, body.reason, body.follower], [409, 'worldFollowed', 'follower'])
  }
  for (const world of ['follower', 'leader'])
    assert.ok((await sim(broker, 'DELETE', world)).status < 300, world)
})

test('a world follows a durable world with the same kind of clock', async () => {
  await newWorld(broker, { world: 'memory' })
  await newWorld(broker, { world: 'leader', durable: true })
  for (const [body, status, message] of [
    [{ follows: 'leader' }, 422, /expected durable: true with follows/],
    [{ follows: 'nobody', durable: true }, 404, /world not found: nobody/],
    [{ follows: 'memory', durable: true }, 422, /follows: expected a durable world, received memory/],
    [{ follows: 'main', durable: true }, 422, /clock: expected wall, as main, received virtual/],
    [{ follows: 'leader', durable: true, clock: 'wall' }, 422, /clock: expected virtual, as leader/],
    [{ follows: 'leader', durable: true, market_seed: 'x' }, 422, /expected no market_seed with follows/],
    [{ follows: 'leader', durable: true, symbols: ['KO'] }, 422, /expected no symbols with follows/],
    [{ follows: 'leader', durable: true, hours: 'nyse' }, 422, /hours: expected always, as leader/],
    [{ follows: 'leader', durable: true, market: 'replay' }, 422, /market|imported/],
  ] as const) {
    const response = await sim(broker, 'POST', '', body)
    assert.equal(response.status, status, JSON.stringify(response.body))
    assert.match(response.body.message, message)
  }
})

test('a world follows main, as soon as main changes', async () => {
  const follower = await newWorld(broker, { world: 'f', durable: true, clock: 'wall', follows: 'main' })
  await change(broker, 'main', ['POST', 'assets', { symbol: 'ZZMAIN', price: '5' }])
  await untilSame(broker, follower, { ...follower, ...broker, world: 'main' })
})
