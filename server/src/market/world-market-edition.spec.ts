import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AddedSymbol, Ticker, Weather, WorldSettings } from '@quipu/core'
import type { Library } from './library.ts'
import { worldMarket } from './world-market.ts'

const settings = { seed: 'edition', hours: 'nyse' } as WorldSettings

test('a world has one edition of its market until a symbol, weather or a corporate action is added', () => {
  const symbols = new Map<Ticker, AddedSymbol>()
  const weather: Weather[] = []
  const added = { symbols, weather, actions: new Map(), actionsSeq: 0 }
  const market = worldMarket({ settings, added })
  const editions = [market.edition?.()]
  assert.ok(editions[0] !== undefined)
  assert.equal(market.edition?.(), editions[0])
  symbols.set('SOFI' as Ticker, { symbol: 'SOFI' as Ticker } as AddedSymbol)
  editions.push(market.edition?.())
  weather.push({ kind: 'halt', symbol: 'AAPL' as Ticker, from: 0n, to: 1n } as unknown as Weather)
  editions.push(market.edition?.())
  added.actionsSeq = 7
  editions.push(market.edition?.())
  assert.equal(new Set(editions).size, 4)
})

test('an import makes another edition', () => {
  const library = { version: 0, store: { list: () => [] } }
  const added = { symbols: new Map<Ticker, AddedSymbol>(), weather: [], actions: new Map(), actionsSeq: 0 }
  const parts = { settings, added }
  const market = worldMarket({ ...parts, library: library as unknown as Library })
  const before = market.edition?.()
  assert.equal(market.edition?.(), before)
  library.version += 1
  assert.notEqual(market.edition?.(), before)
})
