import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AddedSymbol, ImportedSeries, MarketEvent, Ticker, WorldSettings } from '@quipu/core'
import { worldMarket } from './world-market.ts'

const settings = { seed: 'edition', hours: 'nyse' } as WorldSettings

test('a world has one edition of its market until a symbol, a market event or a corporate action is added', () => {
  const symbols = new Map<Ticker, AddedSymbol>()
  const marketEvents: MarketEvent[] = []
  const added = { symbols, marketEvents, actions: new Map(), actionsSeq: 0 }
  const market = worldMarket({ settings, added })
  const editions = [market.history.edition]
  assert.ok(editions[0] !== undefined)
  assert.equal(market.history.edition, editions[0])
  symbols.set('SOFI' as Ticker, { symbol: 'SOFI' as Ticker } as AddedSymbol)
  editions.push(market.history.edition)
  marketEvents.push({ kind: 'halt', symbol: 'AAPL' as Ticker, from: 0n, to: 1n } as unknown as MarketEvent)
  editions.push(market.history.edition)
  added.actionsSeq = 7
  editions.push(market.history.edition)
  assert.equal(new Set(editions).size, 4)
})

test('adding imported data to a world gives a new edition', () => {
  const added = {
    symbols: new Map<Ticker, AddedSymbol>(),
    marketEvents: [],
    actions: new Map(),
    actionsSeq: 0,
    importedData: [] as readonly ImportedSeries[],
  }
  const market = worldMarket({ settings, added, imported: () => [] })
  const before = market.history.edition
  assert.equal(market.history.edition, before)
  added.importedData = [{ symbol: 'AAPL' as Ticker, kind: 'bars', frame: '1Min', rows: 1, digest: 'a' }]
  assert.notEqual(market.history.edition, before)
})
