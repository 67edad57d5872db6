import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { get, marketBuy, mintShares, newWorld, participant, placeOrder, type World } from './stage.ts'

const frames = ['1Min', '5Min', '15Min', '1H', '1D']

async function history(world: World, query: string): Promise<Body> {
  const { status, body } = await get(world, `/v2/account/portfolio/history?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const account = async (world: World): Promise<Body> => (await get(world, '/v2/account')).body
const cents = (amount: number | string): number => Math.round(Number(amount) * 100)

test('a mint is neither a gain nor a loss: minted shares are a cash flow', async () => {
  const world = await participant()
  await world.advance('10m')
  for (const frame of frames) {
    const before = await history(world, `period=1D&timeframe=${frame}&cashflow_types=JNLS`)
    assert.equal(cents(before.cashflow.JNLS.at(-1)), 0)
  }
  const start = await account(world)
  const gains = await Promise.all(
    frames.map(async (frame) => (await history(world, `period=1D&timeframe=${frame}`)).profit_loss.at(-1)),
  )
  await mintShares(world, { qty: '8' })
  const left = await account(world)
  const removed = Number(start.equity) - Number(left.equity)
  assert.ok(removed > 0, 'eight shares are minted')
  for (const [row, frame] of frames.entries()) {
    const after = await history(world, `period=1D&timeframe=${frame}&cashflow_types=JNLS`)
    assert.equal(cents(after.profit_loss.at(-1)), cents(gains[row]!), frame)
    assert.equal(cents(after.cashflow.JNLS.at(-1)), cents(-removed), frame)
    assert.equal(cents(after.equity.at(-1)), cents(left.equity), frame)
  }
})

test('a deposit and a withdrawal are neither a gain nor a loss', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, qty: '100' })
  await world.advance('1m')
  const gain = (await history(world, 'timeframe=1D')).profit_loss.at(-1)
  for (const [direction, amount] of [
    ['INCOMING', '5000'],
    ['OUTGOING', '700'],
  ]) {
    const { status } = await call(world.partner, 'POST', `/v1/accounts/${world.accountId}/transfers`, {
      transfer_type: 'ach',
      direction,
      amount,
    })
    assert.equal(status, 200)
  }
  const after = await history(world, 'timeframe=1D&cashflow_types=CSD,CSW')
  assert.equal(cents(after.profit_loss.at(-1)), cents(gain))
  assert.deepEqual([after.cashflow.CSD.at(-1), after.cashflow.CSW.at(-1)], [5000, -700])
})

test('points before the account existed are omitted', async () => {
  // 10:00 in New York on Monday, 5 January 2026.
  const world = await newWorld()
  const opened = Date.parse('2026-01-05T15:00:00Z') / 1000
  assert.equal((await history(world, 'period=1M&timeframe=1D')).timestamp.length, 1)
  const minutes = await history(world, 'period=1D&timeframe=1Min')
  assert.deepEqual(minutes.timestamp, [opened])
  assert.equal((await history(world, 'end=2026-01-02&period=1M&timeframe=1D')).timestamp.length, 0)
  await world.advance('2h')
  const hours = await history(world, 'period=1D&timeframe=1H')
  assert.deepEqual(
    hours.timestamp.map((second: number) => second - opened),
    [-1800, 1800, 5400],
  )
  assert.ok(hours.equity.every((equity: number) => equity === 100_000))
})

for (const [when, start] of [
  ['a Monday', '2026-01-05T15:00:00Z'],
  ['a Monday before the open', '2026-01-05T12:00:00Z'],
  ['a Monday after the close', '2026-01-05T23:00:00Z'],
  ['a Sunday', '2026-01-04T17:00:00Z'],
] as const)
  test(`the first day starts with the opening cash in every timeframe: ${when}`, async () => {
    const world = await newWorld({ start })
    await placeOrder(world, { ...marketBuy, qty: '100' })
    await placeOrder(world, {
      symbol: 'BTC/USD',
      qty: '0.1',
      side: 'buy',
      type: 'market',
      time_in_force: 'gtc',
    })
    await world.advance('3m')
    const { equity } = await account(world)
    for (const frame of frames) {
      const body = await history(world, `period=1D&timeframe=${frame}&intraday_reporting=extended_hours`)
      assert.equal(body.base_value, 100_000, frame)
      assert.equal(body.base_value_asof, undefined)
      assert.equal(cents(body.equity.at(-1)), cents(equity), frame)
      assert.equal(cents(body.profit_loss.at(-1)), cents(Number(equity) - 100_000), frame)
      assert.ok(Math.abs(body.profit_loss_pct.at(-1) - (Number(equity) / 100_000 - 1)) < 1e-6)
    }
  })

test('the fees of a day belong to that day in every timeframe', async () => {
  const world = await newWorld({ start: '2026-05-04T15:00:00Z' })
  for (const side of ['buy', 'sell', 'buy', 'sell']) {
    await placeOrder(world, { ...marketBuy, qty: '500', side })
    await world.advance('1m')
  }
  await placeOrder(world, { ...marketBuy, qty: '10', time_in_force: 'cls' })
  // An hour after the close, and in the middle of the next session.
  for (const later of ['5h', '18h']) {
    await world.advance(later)
    const day = await history(
      world,
      'date_start=2026-05-04&date_end=2026-05-04&timeframe=1D&cashflow_types=FEE',
    )
    assert.ok(day.cashflow.FEE[0] < -1, `fees: ${day.cashflow.FEE}`)
    for (const frame of frames) {
      const body = await history(
        world,
        `date_start=2026-05-04&date_end=2026-05-04&timeframe=${frame}&cashflow_types=FEE`,
      )
      const fees = body.cashflow.FEE.reduce((sum: number, fee: number) => sum + fee, 0)
      assert.deepEqual(
        [body.equity.at(-1), body.profit_loss.at(-1), cents(fees)],
        [day.equity[0], day.profit_loss[0], cents(day.cashflow.FEE[0])],
        `${frame} after ${later}`,
      )
    }
  }
  const next = await history(world, 'date_start=2026-05-05&timeframe=1D&cashflow_types=FEE')
  assert.deepEqual(next.cashflow.FEE, [0])
})

test('daily points follow regular sessions for every intraday_reporting', async () => {
  const world = await newWorld({ start: '2026-05-07T15:00:00Z' })
  await placeOrder(world, { ...marketBuy, qty: '100' })
  // Before the open on Friday, after its close, on Sunday and before the open on Monday.
  for (const later of ['21h', '12h', '1d', '20h']) {
    await world.advance(later)
    const regular = await history(world, 'period=1D&timeframe=1D')
    assert.equal(regular.equity.length, 1)
    for (const hours of ['extended_hours', 'continuous'])
      assert.deepEqual(
        await history(world, `period=1D&timeframe=1D&intraday_reporting=${hours}`),
        regular,
        `${hours} after ${later}`,
      )
  }
})
