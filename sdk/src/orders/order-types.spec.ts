import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Orders } from './orders.ts'

// The compiler checks this file: each line with @ts-expect-error must be an error.

const base = { symbol: 'AAPL', side: 'buy' } as const
const exits = { take_profit: { limit_price: 2 }, stop_loss: { stop_price: 1 } } as const

function place({ market, limit, stop, stopLimit, trailingStop, bracket, oco, oto }: Orders): void {
  market({ ...base, qty: 1 })
  market({ ...base, notional: '100.5', time_in_force: 'ioc' })
  // @ts-expect-error a quantity and an amount of money
  market({ ...base, qty: 1, notional: 100 })
  // @ts-expect-error neither a quantity nor an amount of money
  market({ ...base })
  // @ts-expect-error a market order has no limit price
  market({ ...base, qty: 1, limit_price: 1 })
  // @ts-expect-error no such side
  market({ symbol: 'AAPL', side: 'short', qty: 1 })
  limit({ ...base, qty: 1, limit_price: '1.5', extended_hours: true })
  // @ts-expect-error the limit price is missing
  limit({ ...base, qty: 1 })
  stop({ ...base, qty: 1, stop_price: 1 })
  // @ts-expect-error a stop order is not for the opening auction
  stop({ ...base, qty: 1, stop_price: 1, time_in_force: 'opg' })
  stopLimit({ ...base, qty: 1, stop_price: 1, limit_price: 1 })
  // @ts-expect-error the stop price is missing
  stopLimit({ ...base, qty: 1, limit_price: 1 })
  trailingStop({ ...base, qty: 1, trail_percent: 1 })
  // @ts-expect-error two trails
  trailingStop({ ...base, qty: 1, trail_percent: 1, trail_price: 1 })
  // @ts-expect-error no trail
  trailingStop({ ...base, qty: 1 })
  bracket({ ...base, ...exits, qty: 1, limit_price: 1 })
  // @ts-expect-error the stop-loss is missing
  bracket({ ...base, qty: 1, take_profit: exits.take_profit })
  oco({ ...base, ...exits, side: 'sell', qty: 1 })
  // @ts-expect-error an exit has no entry price
  oco({ ...base, ...exits, qty: 1, limit_price: 1 })
  oto({ ...base, qty: 1, stop_loss: exits.stop_loss })
  // @ts-expect-error two exits
  oto({ ...base, ...exits, qty: 1 })
}

test('a wrong order does not compile', () => assert.equal(typeof place, 'function'))
