import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Body, type Broker, call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { StreamClient } from '../support/stream-client.ts'

/** Weeks before and after a change of clocks. */
const WEEKS = Number(process.env['CLOCK_CHANGE_WEEKS'] ?? 1)

/** New York changes its clocks in the night before the date; dates are Sundays. */
const months = [
  { name: 'March', change: '2026-03-08' },
  { name: 'November', change: '2026-11-01' },
].map((month) => ({
  ...month,
  start: noonBefore(month.change, WEEKS),
  end: noonBefore(month.change, -WEEKS),
}))
type Month = (typeof months)[number]

/** Noon of the Saturday that many weeks before a Sunday. */
function noonBefore(sunday: string, weeks: number): string {
  return new Date(Date.parse(sunday) - (weeks * 7 * 24 + 12) * 3_600_000).toISOString()
}

/** The hours that New York is behind UTC, as constants so that the test does not depend on time zone data. */
const hoursBehind = (date: string, { name, change }: Month): number =>
  date < change === (name === 'March') ? 5 : 4

type Day = { readonly date: string; readonly open: string; readonly close: string }

/** Every weekday: no month here has a holiday. */
function daysOf(month: Month): readonly Day[] {
  const days: Day[] = []
  for (let at = Date.parse(month.start); at < Date.parse(month.end); at += 86_400_000) {
    const [date, weekday] = [new Date(at).toISOString().slice(0, 10), new Date(at).getUTCDay()]
    const offset = hoursBehind(date, month)
    const [open, close] = [`${date}T${9 + offset}:30:00Z`, `${date}T${16 + offset}:00:00Z`]
    if (weekday !== 0 && weekday !== 6) days.push({ date, open, close })
  }
  return days
}

const order = { symbol: 'KO', qty: '1', side: 'buy', time_in_force: 'day' }
const utc = (text: string): string => new Date(text).toISOString().replace('.000Z', 'Z')

type MonthResult = {
  readonly opens: string[]
  readonly closes: string[]
  readonly updates: Body[]
  readonly bars: string[]
  readonly head: Body
}

/** Runs a month session by session; each day one order waits for the open and one expires at the close. */
async function runMonth(broker: Broker, month: Month, barsOf: readonly string[]): Promise<MonthResult> {
  const world = await newWorld(broker, { seed: month.name, start: month.start, hours: 'nyse' })
  const path = `/sim/v1/worlds/${world.world}`
  const [updates, bars] = await Promise.all([
    listen(broker, '/stream', world, { action: 'listen', data: { streams: ['trade_updates'] } }),
    listen(broker, '/v2/iex', world, { action: 'subscribe', bars: barsOf }),
  ])
  const opens: string[] = []
  const closes: string[] = []
  const advance = async (until: string) => {
    const { status } = await callAsOperator(broker, 'POST', `${path}/clock/advance`, { until })
    assert.equal(status, 200)
    return (await call(world, 'GET', '/v2/clock')).body
  }
  for (const { date } of daysOf(month)) {
    await place(world, { ...order, type: 'market', client_order_id: `at the open of ${date}` })
    const opened = await advance('next_open')
    assert.equal(opened.is_open, true, date)
    opens.push(utc(opened.timestamp))
    assert.equal(opened.timestamp.slice(0, 19), `${date}T09:30:00`, 'as New York shows it')
    const resting = {
      ...order,
      type: 'limit',
      limit_price: '1',
      client_order_id: `until the close of ${date}`,
    }
    await place(world, resting)
    const closed = await advance('next_close')
    assert.equal(closed.is_open, false, date)
    assert.equal(utc(opened.next_close), utc(closed.timestamp))
    closes.push(utc(closed.timestamp))
  }
  const head = (await callAsOperator(broker, 'GET', `${path}/audit`)).body
  const received = {
    updates: (await updates.rest()).map(({ data }) => data),
    bars: (await bars.rest()).flat().map(({ t }) => t),
  }
  await Promise.all([updates.close(), bars.close()])
  return { opens, closes, head, ...received }
}

async function listen(broker: Broker, path: string, key: Body, subscription: unknown): Promise<StreamClient> {
  const stream = await StreamClient.open(broker.url + path)
  stream.send({ action: 'auth', key: key.keyId, secret: key.secretKey })
  stream.send(subscription)
  await stream.rest()
  return stream
}

async function place(world: Parameters<typeof call>[0], body: unknown): Promise<void> {
  const placed = await call(world, 'POST', '/v2/orders', body)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
}

/** The same program on machines of two time zones. */
const [utcBroker, aucklandBroker] = await Promise.all([
  startBroker(undefined, { TZ: 'UTC' }),
  startBroker(undefined, { TZ: 'Pacific/Auckland' }),
])
const brokers: readonly Broker[] = [utcBroker, aucklandBroker]
after(() => Promise.all(brokers.map(({ kill }) => kill())))

for (const month of casesOf(months))
  test(`weeks around the clock change of ${month.change}: sessions, day orders and bars once, at the right time, in any time zone`, async () => {
    // Bars are slow to generate, so only the broker that does not run in UTC checks them.
    const { bars, ...auckland } = await runMonth(aucklandBroker, month, ['KO'])
    const { bars: _, ...utcResult } = await runMonth(utcBroker, month, [])
    for (const broker of brokers) assert.doesNotMatch(broker.log(), /"level":"(?:warn|error)"/)
    const { opens, closes, updates, head } = auckland
    const days = daysOf(month)
    assert.equal(days.length, 10 * WEEKS)
    assert.deepEqual(
      opens,
      days.map(({ open }) => open),
    )
    assert.deepEqual(
      closes,
      days.map(({ close }) => close),
    )
    assertUpdates(updates, days)
    assertBars(bars, days)
    assert.deepEqual([head.sound, head.problems], [true, []])
    const { world: __, ...rest } = utcResult.head
    assert.deepEqual(
      { ...utcResult, head: { world: head.world, ...rest } },
      auckland,
      'the same in both time zones',
    )
  })

/** Each order closes once, at the open or the close of its session. */
function assertUpdates(updates: readonly Body[], days: readonly Day[]): void {
  const ends = updates.filter(({ event }) => event === 'fill' || event === 'expired')
  assert.deepEqual(
    ends.map(({ event, order, timestamp }) => [event, order.client_order_id, utc(timestamp)]),
    days.flatMap(({ date, open, close }) => [
      ['fill', `at the open of ${date}`, open],
      ['expired', `until the close of ${date}`, close],
    ]),
  )
}

/** Every minute of every session has exactly one bar, in order. */
function assertBars(bars: readonly string[], days: readonly Day[]): void {
  assert.deepEqual(bars, [...new Set(bars)].sort())
  for (const { open, close } of days) {
    const inSession: readonly string[] = bars.filter((at) => at >= open && at < close)
    assert.equal(inSession.length, 390, open)
    assert.equal(inSession[0], open)
  }
}
