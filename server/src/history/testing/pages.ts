import assert from 'node:assert/strict'
import { worldMarket } from '@quipu/broker/market/world-market.ts'
import { type AddedSymbol, type Instant, parseInstant, type Ticker, type WorldId } from '@quipu/core'
import type { PageQuery } from '../page.ts'
import type { ReadWorld } from '../reader.ts'

export const at = (text: string): Instant => {
  const read = parseInstant(text)
  assert.ok(read.ok)
  return read.value
}

/** A world with a market of its own seed. */
export function newWorld(id: string, seed = id) {
  const symbols = new Map<Ticker, AddedSymbol>()
  const added = { symbols, marketEvents: [], actions: new Map(), actionsSeq: 0 }
  const market = worldMarket({ settings: { seed, hours: 'nyse' } as never, added })
  const world: ReadWorld = { id: id as WorldId, market, view: added }
  return { world, symbols }
}

/** A page of minute bars. */
export function minutes(names: readonly string[], limit = 1000, from = '2025-03-10T00:00:00Z'): PageQuery {
  const symbols = names.map((name) => ({ name: name as Ticker, symbol: name as Ticker, from: at(from) }))
  return {
    list: {
      kind: 'bars',
      class: 'usEquity',
      frame: { unit: 'minute', count: 1 },
      adjustment: { split: false, dividend: false },
      form: 'bars',
    },
    symbols,
    to: at('2026-01-05T00:00:00Z'),
    now: at('2026-01-05T15:00:00Z'),
    sort: 'asc',
    limit,
  }
}

/** A client whose connection closes at `close`. */
export function newClient() {
  const runs = new Set<() => void>()
  return {
    isClosed: false,
    onClosed(run: () => void) {
      runs.add(run)
      return () => void runs.delete(run)
    },
    close() {
      this.isClosed = true
      for (const run of runs) run()
    },
    listeners: runs,
  }
}

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
