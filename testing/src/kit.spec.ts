import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { newFolder, plainEnvironment } from '../../tests/support/broker.ts'
import {
  alpacaOptions,
  alpacaStreams,
  assertCash,
  assertNetPosition,
  assertNoUnacknowledgedFill,
  assertOneOrder,
  connectQuipu,
  matchers,
  startQuipu,
  type World,
  withWorld,
} from './index.ts'

const broker = await startQuipu({ seed: 'kit', clock: '2026-01-05T15:00:00Z', cash: 10_000 })
after(() => broker.close())

const buy = (world: World, clientOrderId: string, qty = 2) =>
  new Alpaca(alpacaOptions(world)).trading.orders.market({ symbol: 'AAPL', qty, side: 'buy', clientOrderId })

test('a world has the seed, the clock and the cash of its broker, or its own', async () => {
  const [one, other] = [
    await broker.world(),
    await broker.world({ seed: 'other', cash: '250.50', accounts: 2 }),
  ]
  assert.deepEqual([one.seed, await one.cash()], ['kit', '10000'])
  assert.equal((await one.now()).toISOString(), '2026-01-05T15:00:00.000Z')
  assert.deepEqual([other.seed, await other.cash(other.accounts[1]!.accountId)], ['other', '250.5'])
  assert.equal(other.accounts[0]!.keyId, other.keyId)
})

test('a world is saved, reset and loaded', async () => {
  const world = await broker.world()
  const created = await world.journalHash()
  const { id } = await buy(world, 'one')
  const moved = await world.advance({ until: 'order_end', order_id: id! })
  assert.deepEqual([moved.reached, await world.position('AAPL')], [true, '2'])
  const copy = await broker.load(await world.save())
  await world.reset()
  assert.deepEqual([await world.position('AAPL'), await copy.position('AAPL')], ['0', '2'])
  assert.equal(await world.journalHash(), created)
})

test('a person signs in with a link, also after a reset and in a loaded world', async () => {
  const opens = async (link: string) => {
    const { origin, pathname, search } = new URL(link)
    const browser = new Browser({ url: origin })
    await browser.submit(await browser.get(pathname + search), '/oauth/sign-in')
    return JSON.parse((await browser.get('/oauth/session')).html)
  }
  const world = await broker.world()
  const link = await world.signInLink('ann')
  const session = await opens(link)
  assert.deepEqual([session.name, session.accounts[0].id], ['ann', world.accountId])
  await world.reset()
  assert.equal((await opens(await world.signInLink('ann'))).name, 'ann')
  const copy = await broker.load(await world.save())
  assert.equal((await opens(await copy.signInLink('ann'))).world, copy.name)
})

test('a world of a scenario has its market, and takes only a seed beside it', async () => {
  const world = await broker.world({ scenario: 'flash-crash' })
  assert.deepEqual([world.seed, await world.cash()], ['flash-crash', '100000'])
  await buy(world, 'before')
  await world.advance({ to: '2026-01-05T15:13:30Z' })
  await buy(world, 'after')
  await world.advance('1s')
  const [after, before] = (await world.orders()).map((order) => Number(order.filled_avg_price))
  assert.ok(after! < 0.85 * before!, `${before} ${after}`)
  assert.equal((await broker.world({ scenario: 'halt', seed: 'other' })).seed, 'other')
  await assert.rejects(broker.world({ scenario: 'halt', cash: 1 }), /cash cannot be combined with scenario/)
  await assert.rejects(
    broker.world({ scenario: 'nothing' }),
    /scenario not found: nothing; there are dividend, /,
  )
})

test('worlds are isolated, and the same calls give the same journal hash', async () => {
  const worlds = [await broker.world(), await broker.world(), await broker.world()]
  for (const world of worlds.slice(0, 2)) await buy(world, 'first')
  for (const world of worlds) await world.advance('1m')
  const hashes = await Promise.all(worlds.map((world) => world.journalHash()))
  assert.equal(hashes[0], hashes[1])
  assert.notEqual(hashes[0], hashes[2])
  assert.deepEqual(await worlds[2]!.orders(), [])
})

test('the clock moves by a duration, to an instant and to the next open, bar and event', async () => {
  const world = await broker.world({ hours: 'nyse' })
  assert.equal((await world.advance('90s')).now.toISOString(), '2026-01-05T15:01:30.000Z')
  assert.equal((await world.advance({ to: new Date('2026-01-05T16:00:00Z') })).now.getUTCHours(), 16)
  const { now } = await world.advance({ until: 'next_open' })
  assert.equal(now.toISOString(), '2026-01-06T14:30:00.000Z')
  const bar = await world.advance({ until: 'next_bar' })
  assert.equal(bar.now.toISOString(), '2026-01-06T14:31:00.000Z')
  assert.deepEqual((await world.advance({ until: 'next_event' })).events, { dayClosed: 1 })
  await world.run(1000)
  await world.freeze()
  const frozen = await world.now()
  assert.ok(frozen >= now)
  assert.deepEqual(await world.now(), frozen)
})

test('each calls a function at every step until its end', async () => {
  const world = await broker.world()
  const days: string[] = []
  await world.each('1d', ({ now }) => days.push(now.toISOString().slice(0, 10)), { steps: 3 })
  assert.deepEqual(days, ['2026-01-05', '2026-01-06', '2026-01-07'])
  const opens: string[] = []
  await world.each({ until: 'next_open' }, ({ now }) => opens.push(now.toISOString()), {
    until: '2026-01-13',
  })
  assert.deepEqual(
    opens.slice(1),
    ['2026-01-09', '2026-01-12'].map((day) => `${day}T14:30:00.000Z`),
  )
  let last = -1
  await world.each('1d', ({ index }) => (last = index) < 4)
  assert.equal(last, 4)
})

test('the checks pass for a correct world, and their errors name what was received', async () => {
  const world = await broker.world({ fees: 'none' })
  await buy(world, 'first')
  await world.advance('1m')
  const [order] = await world.orders()
  await assertOneOrder(world, 'first')
  await assertNetPosition(world, 'AAPL', '2.000')
  await assertNetPosition(world, 'TSLA', 0)
  await assertCash(world, (10_000 - 2 * Number(order!.filled_avg_price)).toFixed(2))
  await assert.rejects(
    assertOneOrder(world, 'second'),
    /exactly one order .* second, received 0 \(all orders: first\)/,
  )
  await assert.rejects(assertNetPosition(world, 'AAPL', -2), /net position of -2 AAPL, received 2/)
  await assert.rejects(assertCash(world, 1), /expected 1 dollars of cash, received 9\d{3}/)
  await assert.rejects(assertCash(world, 'much'), /expected a decimal number, received "much"/)
})

test('the error of a check has the seed, the journal hash and the last events', async () => {
  const world = await broker.world()
  await buy(world, 'first')
  await world.advance('1m')
  const hash = await world.journalHash()
  await assert.rejects(assertNetPosition(world, 'AAPL', 7), ({ message }: Error) => {
    assert.match(message, new RegExp(`seed "kit", journal hash ${hash}\n`))
    assert.match(message, /#\d+ 2026-01-05T15:00:00\.\d+Z orderAccepted \S+ first AAPL buy 2\n/)
    assert.match(message, /orderFilled \S+ AAPL 2 \d+(\.\d+)?$/)
    return true
  })
  const passed = await matchers.toHaveNetPosition(world, 'AAPL', 2)
  assert.ok(passed.pass)
  assert.match(passed.message(), /^did not expect a net position of 2 AAPL, received 2\nQuipu world/)
})

test('a fill is acknowledged when a response to the program includes it', async () => {
  const world = await broker.world()
  await buy(world, 'first')
  await world.advance('1m')
  await assert.rejects(
    assertNoUnacknowledgedFill(world),
    /expected no unacknowledged fill, received 1: #\d+ /,
  )
  await new Alpaca(alpacaOptions(world)).trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })
  await assertNoUnacknowledgedFill(world)
  await buy(world, 'second')
  await world.advance('1m')
  assert.equal((await world.unacknowledgedFills()).length, 1)
})

test('a fill is acknowledged when it was sent to an open stream, not when the stream opened later', async () => {
  const world = await broker.world()
  const alpaca = new Alpaca(alpacaOptions(world))
  await buy(world, 'before')
  await world.advance('1m')
  const stream = alpaca.trading.stream(alpacaStreams(world).trading)
  stream.subscribeTradeUpdates()
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.connect()
  await subscribed
  const filled = new Promise<void>((resolve) =>
    stream.onTradeUpdate(({ event }) => event === 'fill' && resolve()),
  )
  await buy(world, 'after')
  await world.advance('1m')
  await filled
  const orderIds = (await world.unacknowledgedFills()).map(({ orderId }) => orderId)
  const orders = await world.orders()
  assert.deepEqual(orderIds, [orders.find(({ client_order_id }) => client_order_id === 'before')!.id])
  stream.disconnect()
})

test('withWorld closes its world and prints the report of a failed test', async () => {
  let used: World | undefined
  await withWorld(
    async (world) => {
      used = world
      assert.equal(world.seed, 'mine')
    },
    { seed: 'mine' },
  )()
  await assert.rejects(used!.now(), /world/)
  await used!.close()

  const file = join(newFolder(), 'failing.ts')
  const kit = join(import.meta.dirname, 'index.ts')
  writeFileSync(
    file,
    `import { withWorld } from ${JSON.stringify(kit)}
     await withWorld(async (world) => { await world.advance('1m'); throw new TypeError('the bot is wrong') })()`,
  )
  const failed = promisify(execFile)(process.execPath, [file], { env: plainEnvironment() })
  await assert.rejects(failed, {
    stderr:
      /The test failed: TypeError: the bot is wrong\nQuipu world world-1, seed "quipu", journal hash [0-9a-f]{64}\n {2}#/,
  })
})

test('connectQuipu uses a running broker, and names the variables that it needs', async () => {
  const world = await broker.world()
  assert.throws(() => connectQuipu(), /set APCA_API_BASE_URL, QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET/)
  const wrong = connectQuipu({}, { url: broker.url, keyId: world.keyId, secretKey: world.secretKey })
  await assert.rejects(wrong.world(), /forbidden|operator|permission/i)
})

test('a broker can be closed twice and before its worlds, and another one started', async () => {
  const other = await startQuipu()
  const world = await other.world()
  await other.close()
  await other.close()
  await assert.rejects(world.now(), /fetch failed|ECONNREFUSED|cannot/i)
  await world.close()
  await (await startQuipu()).close()
})
