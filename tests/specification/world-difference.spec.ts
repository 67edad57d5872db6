import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  advance,
  assertAddsUp,
  compared,
  control,
  difference,
  equityOf,
  fork,
  limit,
  order,
} from './difference.ts'
import { assertRefused, newWorld, placeOrder, UNKNOWN_ID, type World } from './stage.ts'

/** 100 on Monday, and 110 from Tuesday's open on; one cent below is the bid and one above is the ask. */
const path = [
  { at: '2026-01-05T15:00:00Z', price: 100 },
  { at: '2026-01-06T14:30:00Z', price: 110 },
]
const TUESDAY = '2026-01-06T14:40:00Z'

/** A world with three orders, two of them open, and a fork of it. */
async function branches() {
  const world = await newWorld({ fees: 'none', prices: { XX: path, YY: path, ZZ: path } })
  await placeOrder(world, order('XX', 'buy', '10', 'c-0'))
  await placeOrder(world, order('YY', 'buy', '10', 'c-1'))
  await advance(world, { by: '1m' })
  const kept = await placeOrder(world, order('ZZ', 'buy', '5', 'c-2', limit('90')))
  const sale = await placeOrder(world, order('YY', 'sell', '4', 'c-3', limit('105')))
  await advance(world, { by: '1m' })
  return { world, kept, sale, other: await fork(world) }
}

const short = (row: Body) => [row.matched_by, row.differs, row.price, row.equity_change]
const byClient = (rows: readonly Body[]) =>
  Object.fromEntries(
    rows.map((row) => [(row.world_order ?? row.against_order).client_order_id, short(row)] as const),
  )

test('each order that differs has a row with what it changed, and the rows add up', async () => {
  const { world, kept, sale, other } = await branches()
  await placeOrder(world, order('XX', 'buy', '3', 'n-1', limit('100.5')))
  await advance(world, { by: '1s' })
  await placeOrder(world, order('XX', 'sell', '2', 'n-3'))
  await call(other, 'DELETE', `/v2/orders/${kept.id}`)
  const replaced = await call(other, 'PATCH', `/v2/orders/${sale.id}`, { limit_price: '120' })
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body))
  await placeOrder(other, order('XX', 'buy', '3', 'n-1', limit('95')))
  await placeOrder(other, order('XX', 'buy', '20', 'n-2'))
  await placeOrder(world, order('ZZ', 'buy', '1', 'n-4'))
  await placeOrder(other, order('ZZ', 'buy', '1', 'n-4'))
  for (const one of [world, other]) await advance(one, { to: TUESDAY })

  const found = await compared(world, other)
  const rows = byClient(found.rows)
  const { 'c-2': canceled, 'n-1': limited, 'n-2': more, 'n-3': sold } = rows
  // Canceled in the fork, open in the world.
  assert.deepEqual(canceled, ['id', ['status'], null, '0'])
  // 3 at 100.01 in the world alone: 330 - 300.03.
  assert.deepEqual(limited, [
    'client_order_id',
    ['limit_price', 'status', 'filled_qty', 'filled_avg_price'],
    '110',
    '-29.97',
  ])
  // 20 at 100.01 in the fork alone: 2200 - 2000.20.
  assert.deepEqual(more, [null, ['existence'], '110', '199.8'])
  // 2 sold at 99.99 in the world alone: 220 - 199.98.
  assert.deepEqual(sold, [null, ['existence'], '110', '20.02'])
  // 4 sold at 109.99 in the world, and held at 110 in the fork, whose limit is 120.
  assert.deepEqual(rows['c-3'], [
    'id',
    ['limit_price', 'status', 'filled_qty', 'filled_avg_price'],
    '110',
    '0.04',
  ])
  assert.equal(found.rows.length, 5)
  assert.deepEqual(found.rest, { kind: 'other', equity_change: '0' })
  assert.equal(found.equity_change, '189.89')
  assert.deepEqual([found.same_market, found.tips_apart_ms], [true, 0])
  assert.deepEqual([found.world.equity, found.against.equity], [await equityOf(world), await equityOf(other)])
  const { fills } = found.rows.find((row: Body) => row.against_order?.client_order_id === 'n-2').against_order
  assert.deepEqual(
    fills.map(({ qty, price }: Body) => [qty, price]),
    [['20', '100.01']],
  )

  const back = await compared(other, world)
  assert.deepEqual([back.equity_change, back.rest.equity_change], ['-189.89', '0'])
  // The fills of Monday at the price of Monday: 3 × -0.01 and 2 × -0.01 less, 20 × -0.01 more.
  const monday = await compared(world, other, { time: '2026-01-05T16:00:00Z' })
  assert.deepEqual(
    [monday.equity_change, monday.rest.equity_change, monday.time],
    ['-0.15', '0', '2026-01-05T16:00:00Z'],
  )
})

test('the instant is the earlier tip, and orders that come later do not count', async () => {
  const { world, other } = await branches()
  await advance(other, { by: '90s' })
  await placeOrder(other, order('XX', 'buy', '1', 'later'))
  const found = await compared(world, other)
  const { now } = (await control('GET', world.world)).body
  assert.deepEqual([found.rows, found.equity_change, found.time], [[], '0', now])
  assert.equal(found.tips_apart_ms, 90_000)
  const { forked_seq } = (await control('GET', other.world)).body
  assert.equal(found.common_past.event, forked_seq)
})

test('with a market event in one branch, the rest is that of the market', async () => {
  const world = await newWorld({ fees: 'none', hours: 'nyse' })
  await placeOrder(world, order('AAPL', 'buy', '10', 'c-1', { time_in_force: 'day' }))
  await advance(world, { by: '1m' })
  const other = await fork(world)
  const crash = { kind: 'crash', at: '2026-01-05T15:10:00Z', depth: '0.2', minutes: 5, recovers: false }
  assert.equal((await control('POST', `${other.world}/market-events`, crash)).status, 201)
  for (const one of [world, other]) await advance(one, { to: '2026-01-05T15:05:00Z' })
  const before = await compared(world, other)
  assert.deepEqual([before.same_market, before.rest], [true, { kind: 'other', equity_change: '0' }])
  await placeOrder(other, order('AAPL', 'buy', '2', 'n-1', { time_in_force: 'day' }))
  for (const one of [world, other]) await advance(one, { to: '2026-01-05T15:30:00Z' })
  const found = await compared(world, other)
  assert.deepEqual([found.same_market, found.rest.kind, found.rows.length], [false, 'market', 1])
  assert.ok(Number(found.rest.equity_change) < -300, found.rest.equity_change)
  assertAddsUp(found)
})

test('two forks of a deleted world still have its past in common', async () => {
  const { world, sale, other } = await branches()
  const second = await fork(world)
  const grandchild = await fork(other)
  await control('DELETE', world.world)
  await control('DELETE', other.world)
  await call(grandchild, 'DELETE', `/v2/orders/${sale.id}`)
  await placeOrder(second, order('XX', 'buy', '1', 'n-1'))
  for (const one of [second, grandchild]) await advance(one, { by: '1m' })
  const found = await compared(second, grandchild)
  assert.ok(found.common_past.event > 5, JSON.stringify(found.common_past))
  assert.deepEqual(byClient(found.rows), {
    'c-3': ['id', ['status'], null, '0'],
    'n-1': [null, ['existence'], '100', '0.01'],
  })
})

test('worlds that are no relatives are compared by client order id', async () => {
  const settings = { fees: 'none', prices: { XX: path } }
  const worlds = await Promise.all(['one', 'two'].map((text) => newWorld({ ...settings, seed: text })))
  const [one, two] = worlds as [World, World]
  await placeOrder(one, order('XX', 'buy', '1', 'same'))
  await placeOrder(two, order('XX', 'buy', '4', 'same'))
  for (const each of worlds) await advance(each, { by: '1m' })
  const found = await compared(one, two)
  assert.equal(found.common_past, null)
  assert.deepEqual(byClient(found.rows), {
    same: ['client_order_id', ['qty', 'filled_qty'], '100', '-0.03'],
  })
})

test('the legs of a bracket are matched by their entry', async () => {
  const { world, other } = await branches()
  await placeOrder(other, order('ZZ', 'buy', '1', 'n-0', limit('50')))
  const bracket = (stop: string) =>
    order('XX', 'buy', '1', 'n-1', {
      order_class: 'bracket',
      take_profit: { limit_price: '150' },
      stop_loss: { stop_price: stop },
    })
  await placeOrder(world, bracket('80'))
  await placeOrder(other, bracket('85'))
  const { rows } = await compared(world, other)
  assert.deepEqual(
    rows.map(({ differs, matched_by }: Body) => [matched_by, differs]),
    [
      ['client_order_id', ['stop_price']],
      [null, ['existence']],
    ],
  )
})

const refusals = [
  ['no other world', {}, 422, /against: /],
  ['the world itself', { against: 'SELF' }, 422, /against: expected another world/],
  ['an unknown world', { against: 'nowhere' }, 404, /nowhere/],
  ['an unknown account', { against: 'OTHER', account_id: UNKNOWN_ID }, 404, /account/],
  ['an account id that is none', { against: 'OTHER', against_account_id: 'x' }, 422, /against_account_id: /],
  ['a time that is none', { against: 'OTHER', time: 'noon' }, 422, /time: /],
  [
    'a time after the tips',
    { against: 'OTHER', time: TUESDAY },
    422,
    /time: expected at most 2026-01-05T15:02/,
  ],
  [
    'a time before the fork',
    { against: 'OTHER', time: '2026-01-05T15:01:30Z' },
    422,
    /time: expected .* the end of the common past/,
  ],
] as const

test('what cannot be compared is refused with the name of the field', async () => {
  const { world, other } = await branches()
  await placeOrder(world, order('ZZ', 'buy', '1', 'n-9', limit('50')))
  const names: Readonly<Record<string, string>> = { SELF: world.world, OTHER: other.world }
  const third = await fork(world)
  for (const [name, query, status, problem] of refusals) {
    const filled = Object.fromEntries(
      Object.entries(query).map(([field, value]) => [field, names[value] ?? value]),
    )
    const of = name === 'a time before the fork' ? { ...filled, against: third.world } : filled
    const response = await difference(world.world, of)
    assert.equal(response.status, status, `${name}: ${JSON.stringify(response.body)}`)
    assert.match(response.body.message, problem, name)
  }
  assertRefused(await difference('nowhere', { against: world.world }), 404, 40410000)
  const asAccount = await call(
    world,
    'GET',
    `/sim/v1/worlds/${world.world}/difference?against=${other.world}`,
  )
  assert.equal(asAccount.status, 403, JSON.stringify(asAccount.body))
})

test('after a split and a dividend in one branch or in both, the rows and the rest add up', async () => {
  const split = { type: 'forward_split', symbol: 'XX', new_rate: '2', old_rate: '1', ex_date: '2026-01-06' }
  const dividend = {
    type: 'cash_dividend',
    symbol: 'YY',
    rate: '1.5',
    ex_date: '2026-01-06',
    payable_date: '2026-01-06',
  }
  for (const isInBoth of [true, false]) {
    const { world, other } = await branches()
    for (const one of isInBoth ? [world, other] : [other])
      for (const action of [split, dividend]) {
        const { status, body } = await control('POST', `${one.world}/corporate-actions`, action)
        assert.ok(status < 300, JSON.stringify(body))
      }
    await placeOrder(other, order('XX', 'buy', '3', 'n-1'))
    for (const one of [world, other]) await advance(one, { to: TUESDAY })
    const found = await compared(world, other)
    assertAddsUp(found)
    if (isInBoth) assert.equal(found.same_market, true)
    // Ten and three shares were split.
    assert.equal((await call(other, 'GET', '/v2/positions/XX')).body.qty, '26')
    assert.ok(found.rows.some(({ against_order: one }: Body) => one?.client_order_id === 'n-1'))
  }
})
