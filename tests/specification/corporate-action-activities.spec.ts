import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { advanceTo, buy, createAction, dividend, EFFECTIVE_AT, split, TUESDAY } from './corporate.ts'
import { get, newWorld } from './stage.ts'

test('a dividend: recorded on the ex-date, paid on the pay date', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '10')
  await world.advance('1m')
  await createAction(world, dividend('0.25', { record_date: TUESDAY, payable_date: '2026-01-08' }))
  await advanceTo(world, '2026-01-06T15:00:00Z')
  const before = (await get(world, '/v2/account')).body.cash
  await advanceTo(world, '2026-01-08T05:00:00Z')
  const after = (await get(world, '/v2/account')).body.cash
  assert.equal((Number(after) - Number(before)).toFixed(2), '2.50')
  const [row] = (await get(world, '/v2/account/activities/DIV')).body
  const { activity_type, activity_sub_type, symbol, net_amount, per_share_amount, date } = row
  assert.deepEqual(
    [activity_type, activity_sub_type, symbol, net_amount, per_share_amount, date, row.qty],
    ['DIV', 'CDIV', 'AAPL', '2.5', '0.25', '2026-01-08', '10'],
  )
  assert.equal(row.description, 'Cash dividend of AAPL, 0.25 a share for 10 shares')
})

const descriptions = {
  SPLIT: 'Forward split of AAPL, from 10 to 40 shares',
  NC: 'Symbol change from AAPL to PEAR',
  REORG: 'Delisting of AAPL, worthless',
}

for (const [body, type, rows] of [
  [split(4, 1), 'SPLIT', [['FSPLIT', 'AAPL', '30', '0']]],
  [
    { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'PEAR' },
    'NC',
    [
      ['SNC', 'PEAR', '10', '0'],
      ['SNC', 'AAPL', '-10', '0'],
    ],
  ],
  [{ type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY }, 'REORG', [['WRM', 'AAPL', '-10', '0']]],
] as const)
  test(`${body.type} of 10 shares: an activity ${type}`, async () => {
    const world = await newWorld({ hours: 'nyse' })
    await buy(world, '10')
    await world.advance('1m')
    const { id } = await createAction(world, body)
    await advanceTo(world, EFFECTIVE_AT)
    const activities = (await get(world, `/v2/account/activities/${type}`)).body
    assert.deepEqual(
      activities.map((row: Body) => [row.activity_sub_type, row.symbol, row.qty, row.net_amount]),
      rows,
    )
    for (const row of activities)
      assert.deepEqual([row.date, row.group_id, row.description], [TUESDAY, id, descriptions[type]])
  })
