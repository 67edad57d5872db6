import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type AgendaItem,
  type BrokerEvent,
  format,
  type Instant,
  itemsAt,
  type PlaceOrder,
  parseInstant,
  type Ticker,
  type WorldSettings,
} from '@quipu/core'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { eventOf } from '../../broker/src/journal/stored-event.ts'
import { syntheticMarket } from '../../broker/src/market/synthetic/synthetic.ts'
import {
  buy,
  decided,
  openTestWorld,
  plainSettings,
  type TestWorld,
} from '../../broker/src/world/testing/world.ts'
import { type Body, newFolder, startBroker } from '../support/broker.ts'
import { allOrders, assertSound } from './checks.ts'

const HOUR_NS = 3_600_000_000_000n
const DAY_NS = 24n * HOUR_NS
const now = (): Instant => (BigInt(Date.now()) * 1_000_000n) as Instant
const daysAgo = (days: number): Instant => (now() - BigInt(days) * DAY_NS) as Instant

/** Writes a data folder in which a broker stopped at `start`, with these orders. */
async function writeFolder(
  start: Instant,
  settings: Partial<WorldSettings>,
  orders: (testWorld: TestWorld) => readonly PlaceOrder[],
): Promise<{ readonly folder: string; readonly seq: number; readonly overdue: readonly string[] }> {
  const folder = newFolder()
  const testWorld = await openTestWorld({
    settings,
    start,
    journal: () => openFilesJournal(join(folder, 'journal')),
  })
  for (const order of orders(testWorld)) {
    const decision = await decided(testWorld.world, order)
    assert(decision.ok, 'every order is accepted')
  }
  await testWorld.world.commands.quiet()
  const { agenda, seq } = testWorld.world.view
  const overdue = agenda.dues
    .filter((due) => due <= now())
    .flatMap((due) => [...itemsAt(agenda, due)])
    .map(({ kind }) => kind)
  await testWorld.world.close()
  return { folder, seq, overdue }
}

/** Runs the real program on the folder; returns its orders and the events it added to the journal. */
async function startAgain(t: TestContext, folder: string, seq: number) {
  const startedAt = now()
  const broker = await startBroker(['--data', folder], {
    QUIPU_KEY_ID: 'PKDOWNTIME',
    QUIPU_SECRET_KEY: 'a-secret-of-the-test',
    QUIPU_BROKER_KEY: 'CKDOWNTIME',
    QUIPU_BROKER_SECRET: 'another-secret',
  })
  t.after(broker.kill)
  const orders = await allOrders(broker)
  await assertSound(broker)
  assert.equal(await broker.stop(), 0)
  const journal = await openFilesJournal(join(folder, 'journal'))
  const added: BrokerEvent[] = []
  for await (const entries of journal.read(seq)) added.push(...entries.map(eventOf))
  await journal.close()
  for (const { at } of added) assert(at >= startedAt, 'overdue items happen at the start')
  return { orders, added }
}

const itemKindsOf: Readonly<Record<string, readonly AgendaItem['kind'][]>> = {
  dayClosed: ['closeDay'],
  accountSettled: ['settleAccount'],
  orderExpired: ['expireOrder'],
  orderCanceled: ['expireOrder'],
  orderReleased: ['workOrder'],
}
const instantOf = (text: string): bigint => {
  const parsed = parseInstant(text)
  assert(parsed.ok, text)
  return parsed.value
}

test('items that became due during the downtime happen at the start, in the order of their due times', async (t) => {
  const { folder, seq, overdue } = await writeFolder(daysAgo(100), {}, ({ account }) => [
    buy(account, 'AAPL', '3'),
    buy(account, 'MSFT', '1', '1'),
    { ...buy(account, 'KO', '1', '1'), timeInForce: 'gtc' },
  ])
  assert.deepEqual([...overdue].sort(), ['closeDay', 'expireOrder', 'expireOrder', 'settleAccount'])
  const { orders, added } = await startAgain(t, folder, seq)
  const processed = added.flatMap(({ kind }) => itemKindsOf[kind] ?? [])
  assert.deepEqual(processed, overdue)
  const [aged, expired, filled] = ['KO', 'MSFT', 'AAPL'].map((symbol) =>
    orders.find((order: Body) => order.symbol === symbol),
  )
  assert.deepEqual([aged.status, expired.status, filled.status], ['canceled', 'expired', 'filled'])
  assert(instantOf(expired.expired_at) > instantOf(expired.expires_at))
  assert(instantOf(expired.expired_at) >= daysAgo(1))
  assert(instantOf(aged.canceled_at) >= daysAgo(1))
})

test('an order whose whole session was in the downtime expires without a fill', async (t) => {
  // 22:00 UTC is after the close in New York, in summer and in winter.
  const evening = ((daysAgo(8) / DAY_NS) * DAY_NS + 22n * HOUR_NS) as Instant
  const { folder, seq } = await writeFolder(evening, { hours: 'nyse' }, ({ account }) => [
    buy(account, 'AAPL', '3'),
  ])
  const { orders, added } = await startAgain(t, folder, seq)
  const steps = added.map(({ kind }) => kind).filter((kind) => kind.startsWith('order'))
  assert.deepEqual(steps, ['orderExpired'])
  assert.deepEqual([orders[0].status, orders[0].filled_qty], ['expired', '0'])
})

test('a limit that the tape reached only during the downtime is not filled', async (t) => {
  const touched = await touchedInDowntime(5)
  const { folder, seq } = await writeFolder(daysAgo(5), { seed: touched.seed }, ({ account }) => [
    { ...buy(account, touched.symbol, '1', touched.limit), timeInForce: 'gtc' },
  ])
  const { orders, added } = await startAgain(t, folder, seq)
  assert.deepEqual(
    added.filter(({ kind }) => kind.startsWith('order')),
    [],
  )
  assert.deepEqual([orders[0].status, orders[0].filled_qty], ['new', '0'])
})

type Touched = { readonly seed: string; readonly symbol: string; readonly limit: string }

/** A limit price below the market at both ends of the downtime, which the tape crossed in between. */
async function touchedInDowntime(days: number): Promise<Touched> {
  const [from, to] = [daysAgo(days), now()]
  for (let number = 0; number < 50; number++) {
    const seed = `downtime-${number}`
    const market = syntheticMarket({ ...plainSettings, seed })
    for (const symbol of ['AAPL', 'MSFT', 'KO', 'TSLA'] as Ticker[]) {
      const [ask, askNow] = [from, to].map((at) => market.pricesAt(at).quote(symbol)?.ask ?? 0n)
      const limit = (((ask! < askNow! ? ask! : askNow!) * 98n) / 100n / 10_000_000n) * 10_000_000n
      if (
        limit > 0n &&
        (await market.schedule.nextTouch({ symbol, side: 'buy', price: limit, from, to })) !== undefined
      )
        return { seed, symbol, limit: format(limit as never) }
    }
  }
  throw new Error('no tape falls below the limit and recovers')
}
