import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runScript } from '../same-bytes/determinism-script.ts'
import { type Body, type Broker, call, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { callerOf, headOf, load, loaded, save, sim } from './files.ts'
import { folder, broker as here } from './folder-broker.ts'

const there = await startBroker(['--data', newFolder()])
after(() => there.kill())

const order = { symbol: 'KO', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }

/** Trades on, and returns the journal after it. */
async function tradeOn(broker: Broker, world: Body): Promise<Body> {
  const caller = callerOf(broker, world)
  for (const qty of ['1', '2']) {
    const { status, body } = await call(caller, 'POST', '/v2/orders', { ...order, qty })
    assert.equal(status, 200, JSON.stringify(body))
  }
  assert.equal((await sim(broker, 'POST', `${world.world}/clock/advance`, { by: '30h' })).status, 200)
  const { world: _, ...head } = await headOf(broker, world.world)
  return head
}

test('a world that another machine loads has the same journal, and continues like a fork of the original', async () => {
  const { audits } = await runScript(here)
  for (const { world, seq, hash } of audits) {
    const file = await save(here, world)
    const header = JSON.parse(file.toString('utf8', 0, file.indexOf('\n')))
    assert.deepEqual([header.seq, header.hash], [seq, hash])
    const copy = await loaded(there, file)
    const { body: fork } = await sim(here, 'POST', `${world}/fork`, {})
    assert.deepEqual(await withoutName(there, copy), await withoutName(here, fork))
    const audit = (await sim(there, 'GET', `${copy.world}/audit`)).body
    assert.deepEqual([audit.sound, audit.problems], [true, []])
    assert.deepEqual(await tradeOn(there, copy), await tradeOn(here, fork))
    await sim(here, 'DELETE', fork.world)
    await sim(there, 'DELETE', copy.world)
  }
})

async function withoutName(broker: Broker, { world }: Body): Promise<Body> {
  const { world: _, ...head } = await headOf(broker, world)
  return head
}

test('a file has no secrets, and credentials of the original open nothing after loading', async () => {
  const world = await newWorld(here)
  const file = await save(here, world.world)
  const copy = await loaded(there, file)
  const { secretKey, keyId, created } = world
  const secrets = [secretKey, created.partner.secret_key, created.oauth_client.client_secret]
  for (const secret of secrets) {
    assert.equal(file.includes(secret), false)
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(secret)))
    assert.equal(file.includes(digest), false, 'a digest of a secret is in the file')
  }
  assert.equal((await call({ url: there.url, keyId, secretKey }, 'GET', '/v2/account')).status, 401)
  const account = await call(callerOf(there, copy), 'GET', '/v2/account')
  assert.deepEqual([account.status, account.body.id], [200, world.accountId])
  // The same file on the server of the original: the keys stay with the original.
  const twin = await loaded(here, file)
  await call(callerOf(here, twin), 'POST', '/v2/orders', order)
  await sim(here, 'POST', `${twin.world}/clock/advance`, { by: '1m' })
  assert.deepEqual((await call(world, 'GET', '/v2/positions')).body, [])
})

test('a replay world takes its imported data along', async () => {
  await runOn(folder, 'import', barsFile)
  const settings = { market: 'replay', symbols: ['ZQXW'], start: '2025-03-10T13:00:00Z', hours: 'nyse' }
  const world = await newWorld(here, settings)
  await world.advance('2h')
  const bars = (caller: Parameters<typeof call>[0]) =>
    call(caller, 'GET', '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-12&limit=1000')
  const copy = await loaded(there, await save(here, world.world))
  const { body: fork } = await sim(here, 'POST', `${world.world}/fork`, {})
  assert.deepEqual((await bars(callerOf(there, copy))).body, (await bars(world)).body)
  assert.equal((await call(there, 'GET', '/sim/v1/data')).status, 403)
  const listed = await call(
    { url: there.url, keyId: there.brokerKey, secretKey: there.brokerSecret },
    'GET',
    '/sim/v1/data',
  )
  assert.deepEqual(listed.body, [], 'only the loaded world uses the data')
  const buy = { ...order, symbol: 'ZQXW' }
  const results: Body[] = []
  for (const [broker, one] of [
    [here, fork],
    [there, copy],
  ] as const) {
    assert.equal((await call(callerOf(broker, one), 'POST', '/v2/orders', buy)).status, 200)
    await sim(broker, 'POST', `${one.world}/clock/advance`, { by: '26h' })
    results.push(await withoutName(broker, one))
  }
  assert.deepEqual(results[1], results[0])
  // Saved again from the machine that loaded it.
  const again = await loaded(here, await save(there, copy.world))
  assert.equal((await bars(callerOf(here, again))).status, 200)
})

test('main is saved like any other world, and loads as a world with a frozen clock', async () => {
  await call(here, 'POST', '/v2/orders', order)
  const copy = await loaded(there, await save(here, 'main'), '?world=copy')
  assert.deepEqual([copy.world, copy.clock, copy.frozen], ['copy', 'virtual', true])
  assert.equal((await sim(there, 'GET', 'copy/audit')).body.sound, true)
  const { status, body } = await load(there, await save(here, 'main'), '?world=copy')
  assert.deepEqual([status, body.reason], [409, 'worldNameTaken'])
})

test('a loaded world resets to the moment of loading', async () => {
  const world = await newWorld(here)
  await call(world, 'POST', '/v2/orders', order)
  await world.advance('1m')
  const copy = await loaded(there, await save(here, world.world))
  const head = await headOf(there, copy.world)
  await tradeOn(there, copy)
  assert.equal((await sim(there, 'POST', `${copy.world}/reset`, {})).status, 200)
  assert.deepEqual(await headOf(there, copy.world), head)
  assert.equal((await call(callerOf(there, copy), 'GET', '/v2/positions')).body.length, 1)
})
