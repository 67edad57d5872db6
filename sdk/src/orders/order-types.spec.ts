import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '../quipu.ts'

// The compiler checks this file: each line with @ts-expect-error must be an error.

const base = { symbol: 'AAPL', side: 'buy' } as const
const exits = { takeProfit: { limitPrice: 2 }, stopLoss: { stopPrice: 1 } } as const

function orders({
  orders: { market, limit, stop, stopLimit, trailingStop, bracket, oco, oto },
}: Quipu): void {
  market({ ...base, qty: 1 })
  market({ ...base, notional: '100.5', timeInForce: 'ioc' })
  // @ts-expect-error a quantity and an amount of money
  market({ ...base, qty: 1, notional: 100 })
  // @ts-expect-error neither a quantity nor an amount of money
  market({ ...base })
  // @ts-expect-error a market order has no limit price
  market({ ...base, qty: 1, limitPrice: 1 })
  // @ts-expect-error no such side
  market({ symbol: 'AAPL', side: 'short', qty: 1 })
  // @ts-expect-error the symbol is missing
  market({ side: 'buy', qty: 1 })
  // @ts-expect-error the name of a field of the API
  market({ ...base, qty: 1, client_order_id: 'mine' })
  // @ts-expect-error no such time in force
  market({ ...base, qty: 1, timeInForce: 'forever' })
  limit({ ...base, qty: 1, limitPrice: '1.5', extendedHours: true })
  // @ts-expect-error the limit price is missing
  limit({ ...base, qty: 1 })
  // @ts-expect-error a limit price is text or a number
  limit({ ...base, qty: 1, limitPrice: new Date() })
  stop({ ...base, qty: 1, stopPrice: 1 })
  // @ts-expect-error the stop price is missing
  stop({ ...base, qty: 1 })
  // @ts-expect-error a stop order is not for the opening auction
  stop({ ...base, qty: 1, stopPrice: 1, timeInForce: 'opg' })
  // @ts-expect-error a stop order has no amount of money
  stop({ ...base, notional: 100, stopPrice: 1 })
  stopLimit({ ...base, qty: 1, stopPrice: 1, limitPrice: 1 })
  // @ts-expect-error the stop price is missing
  stopLimit({ ...base, qty: 1, limitPrice: 1 })
  trailingStop({ ...base, qty: 1, trailPercent: 1 })
  // @ts-expect-error two trails
  trailingStop({ ...base, qty: 1, trailPercent: 1, trailPrice: 1 })
  // @ts-expect-error no trail
  trailingStop({ ...base, qty: 1 })
  bracket({ ...base, ...exits, qty: 1, limitPrice: 1 })
  // @ts-expect-error the stop-loss is missing
  bracket({ ...base, qty: 1, takeProfit: exits.takeProfit })
  // @ts-expect-error a stop-loss has a stop price
  bracket({ ...base, qty: 1, takeProfit: exits.takeProfit, stopLoss: { limitPrice: 1 } })
  oco({ ...base, ...exits, side: 'sell', qty: 1 })
  // @ts-expect-error an exit has no entry price
  oco({ ...base, ...exits, qty: 1, limitPrice: 1 })
  oto({ ...base, qty: 1, stopLoss: exits.stopLoss })
  // @ts-expect-error two exits
  oto({ ...base, ...exits, qty: 1 })
}

async function anyOrder({ orders: { place, submitAndWait, replace, get } }: Quipu): Promise<void> {
  place({ ...base, qty: 1, type: 'limit', limitPrice: 1 })
  place({ ...base, ...exits, qty: 1, orderClass: 'bracket' })
  // @ts-expect-error a limit order without a limit price
  place({ ...base, qty: 1, type: 'limit' })
  // @ts-expect-error an order without a type
  place({ ...base, qty: 1 })
  submitAndWait({ ...base, qty: 1, type: 'market' })
  // @ts-expect-error a limit order without a limit price
  submitAndWait({ ...base, qty: 1, type: 'limit' })
  // @ts-expect-error no such type
  submitAndWait({ ...base, qty: 1, type: 'fast' })
  // @ts-expect-error a bracket without exits
  submitAndWait({ ...base, qty: 1, orderClass: 'bracket' })
  replace('id', { limitPrice: 2 })
  // @ts-expect-error a side cannot be changed
  replace('id', { side: 'sell' })
  const order = await get('id')
  // @ts-expect-error the name of a field of the API
  order.filled_avg_price
  // @ts-expect-error a price may be absent
  order.filledAvgPrice.length
}

async function others({ bars, candles, latestPrice, streams, write }: Quipu): Promise<void> {
  bars({ symbols: 'AAPL', timeframe: '59Min', start: new Date(), end: '2026-01-31' })
  // @ts-expect-error there is no such timeframe
  bars({ symbols: 'AAPL', timeframe: '60Min' })
  // @ts-expect-error a timeframe has a number
  candles({ symbols: 'AAPL', timeframe: 'Day' })
  // @ts-expect-error the timeframe is missing
  bars({ symbols: 'AAPL' })
  // @ts-expect-error a time is a text or a date
  candles({ symbols: 'AAPL', timeframe: '1Day', start: 20260131 })
  // @ts-expect-error there may be no price
  ;(await latestPrice('AAPL')).toFixed(2)
  // @ts-expect-error no such feed
  streams.marketData('nasdaq')
  // @ts-expect-error half a key
  createQuipu({ keyId: 'K' })
  // @ts-expect-error a key and a token
  createQuipu({ keyId: 'K', secretKey: 'S', accessToken: 'T' })
  // @ts-expect-error an operation that moves nothing
  write('getAccount', {})
  // @ts-expect-error the name of a field of the API
  for await (const bar of bars({ symbols: 'AAPL', timeframe: '1Day' })) bar.c
}

test('at least 34 mistakes do not compile', () => {
  assert.ok([orders, anyOrder, others].every((program) => typeof program === 'function'))
  const source = readFileSync(import.meta.filename, 'utf8')
  assert.ok([...source.matchAll(/^ +\/\/ @ts-expect-error /gm)].length >= 34)
})
