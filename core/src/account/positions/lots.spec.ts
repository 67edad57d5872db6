import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type Money, type Quantity, UNIT } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import type { Position } from '../account.ts'
import { onDay } from './lots.ts'
import { positionAfter } from './positions.ts'

type Trade = { readonly day: number; readonly isBuy: boolean; readonly size: number; readonly price: number }
type Day = { day: number; bought: number; cost: number }

/** A simple model of the quantity and cost of a long position, calculated from all of its trades. */
function modelOf(trades: readonly Trade[], today: number): { held: number; cost: number } {
  const days: Day[] = []
  let sold = 0
  let cost = 0
  let held = 0
  let last = trades[0]!.day
  const consumeOldest = () => {
    for (const lot of days) {
      const consumed = Math.min(sold, lot.bought)
      lot.cost -= (lot.cost * consumed) / (lot.bought || 1)
      lot.bought -= consumed
      sold -= consumed
    }
    cost = days.reduce((sum, lot) => sum + lot.cost, 0)
  }
  for (const { day, isBuy, size, price } of trades) {
    if (day !== last) consumeOldest()
    last = day
    if (isBuy) {
      if (days.at(-1)?.day !== day) days.push({ day, bought: 0, cost: 0 })
      const lot = days.at(-1)!
      lot.bought += size
      lot.cost += size * price
      cost += size * price
      held += size
    } else {
      cost -= (cost * size) / held
      held -= size
      sold += size
    }
    // A closed position leaves no lots.
    if (held === 0) {
      days.length = 0
      sold = cost = 0
    }
  }
  if (today !== last) consumeOldest()
  return { held, cost }
}

const dateOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10) as CivilDate
const near = (a: number, b: number) => Math.abs(a - b) < 1e-5

test('the cost basis of random trades matches a simple model, long and short', () => {
  const step = fc.record({
    wait: fc.nat({ max: 2 }),
    isBuy: fc.boolean(),
    size: fc.integer({ min: 1, max: 40 }),
    price: fc.integer({ min: 1, max: 500 }),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.boolean(), (steps, isShort) => {
      const sign = isShort ? -1n : 1n
      const trades: Trade[] = []
      let position: Position | undefined
      let day = 0
      for (const { wait, isBuy, size: wanted, price } of steps) {
        day += wait
        const held = Number((position?.quantity ?? 0n) * sign) / Number(UNIT)
        const size = isBuy || held === 0 ? wanted : Math.min(wanted, held)
        const opens = isBuy || held === 0
        trades.push({ day, isBuy: opens, size, price })
        const quantity = (BigInt(opens ? size : -size) * UNIT * sign) as Quantity
        const cost = opens ? ((BigInt(size * price) * UNIT * sign) as Money) : 'average'
        position = positionAfter(position, { symbol: 'AAPL' as Ticker, quantity, cost }, dateOf(day))
        for (const today of [day, day + 1]) {
          const model = modelOf(trades, today)
          const later = position && onDay(position, dateOf(today))
          assert.equal(Number((later?.quantity ?? 0n) * sign) / Number(UNIT), model.held)
          const costBasis = Number((later?.costBasis ?? 0n) * sign) / Number(UNIT)
          assert.ok(near(costBasis, model.cost), `${costBasis} for ${model.cost}`)
        }
      }
    }),
  )
})
