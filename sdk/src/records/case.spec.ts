import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camelCase, snakeCase } from './case.ts'
import { sortableTime } from './sortable-time.ts'

test('records have camelCase names at every depth, and nulls are absent', () => {
  const order = {
    id: 'a',
    filled_avg_price: null,
    limit_price: '1.5',
    legs: [{ stop_price: '1', hwm: null }],
    take_profit: { limit_price: '2' },
  }
  assert.deepEqual(camelCase(order), {
    id: 'a',
    limitPrice: '1.5',
    legs: [{ stopPrice: '1' }],
    takeProfit: { limitPrice: '2' },
  })
})

test('fields go to the API with its names; dates and its own names stay', () => {
  const at = new Date(0)
  assert.deepEqual(
    snakeCase({ limitPrice: 1, time_in_force: 'day', stopLoss: { stopPrice: 2 }, at, qty: undefined }),
    {
      limit_price: 1,
      time_in_force: 'day',
      stop_loss: { stop_price: 2 },
      at,
    },
  )
})

test('times sort as text, to the nanosecond and in UTC', () => {
  assert.equal(sortableTime('2026-01-05T10:00:00.5-05:00'), '2026-01-05T15:00:00.500000000Z')
  assert.equal(sortableTime(new Date(1)), '1970-01-01T00:00:00.001000000Z')
  assert.ok(sortableTime('2026-01-05T10:00:00.123456789Z') > sortableTime('2026-01-05T10:00:00.123Z'))
})
