import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type ActionId,
  type ActionTerms,
  type Bar,
  type CivilDate,
  type CorporateAction,
  definedFields,
  effectiveAt,
  fromNewYork,
  type Instant,
  type Ticker,
  type WorldSettings,
} from '@quipu/core'
import { adjustedColumns } from './adjusted-bars.ts'
import { importedSeriesOf } from './library.ts'
import type { MarketSource } from './market-source.ts'
import { putBars, temporaryStore } from './replay/testing/replay.ts'
import { worldMarket } from './world-market.ts'

const AAPL = 'AAPL' as Ticker
const PEAR = 'PEAR' as Ticker
const UNIT = 1_000_000_000n

const at = (date: string, minute = 0): Instant => fromNewYork(date as CivilDate, minute)

/** Three days of one minute each: 400 before a split, then 100 and 101. */
const imported: readonly Bar[] = [
  ['2026-03-02', 400],
  ['2026-03-03', 100],
  ['2026-03-04', 101],
].map(([date, price]) => ({
  start: at(date as string, 600),
  open: price as number,
  high: price as number,
  low: price as number,
  close: price as number,
  volume: 1000,
  trades: 10,
  vwap: price as number,
}))

const { store, dispose } = temporaryStore()
putBars(store, 'AAPL', '1Min', imported)
after(dispose)

const appliedAction = (exDate: string, terms: ActionTerms): CorporateAction => ({
  id: exDate as ActionId,
  symbol: AAPL,
  exDate: exDate as CivilDate,
  createdAt: 0n as Instant,
  appliedAt: effectiveAt({ exDate: exDate as CivilDate }),
  ...terms,
})
const SPLIT: ActionTerms = { kind: 'split', newRate: 4n * UNIT, oldRate: UNIT }

function marketOf(market: WorldSettings['market'], ...actions: readonly CorporateAction[]) {
  const known = new Map(actions.map((action) => [action.id, action] as const))
  const settings = { seed: 'imported', hours: 'nyse', ...definedFields({ market }) } as WorldSettings
  const importedData = store.list().map(importedSeriesOf)
  const added = { symbols: new Map(), marketEvents: [], importedData, actions: known, actionsSeq: 1 }
  return { market: worldMarket({ settings, added, imported: () => store.list() }), actions: known }
}

const closes = async (market: MarketSource, symbol: Ticker, from: string, to: string): Promise<number[]> =>
  (
    await market.history.bars({
      symbol,
      frame: { unit: 'day', count: 1 },
      from: at(from),
      to: at(to),
      now: at('2026-04-01'),
      sort: 'asc',
      limit: 100,
    })
  ).map(({ close }) => close)

for (const kind of ['replay', undefined] as const) {
  const name = kind ?? 'synthetic after imported data'
  test(`${name}: imported data is unchanged, and adjusted on request`, async () => {
    const { market, actions } = marketOf(kind, appliedAction('2026-03-03', SPLIT))
    assert.deepEqual(await closes(market, AAPL, '2026-03-02', '2026-03-04'), [400, 100, 101])
    const [columns] = await adjustedColumns(
      market.history,
      { actions },
      {
        symbol: AAPL,
        frame: { unit: 'day', count: 1 },
        from: at('2026-03-02'),
        to: at('2026-03-04'),
        now: at('2026-03-05'),
        sort: 'asc',
        limit: 10,
      },
      { split: true, dividend: true },
    )
    assert.deepEqual([...columns!.close].slice(0, 3), [100, 100, 101])
    assert.deepEqual([...columns!.volume].slice(0, 3), [4000, 1000, 1000])
  })

  test(`${name}: from a split until the next trade, the last trade has the adjusted price`, () => {
    const { market } = marketOf(kind, appliedAction('2026-03-03', SPLIT))
    assert.equal(market.pricesAt(at('2026-03-02', 900)).trade(AAPL)!.price, 400n * UNIT)
    assert.equal(market.pricesAt(at('2026-03-03', 1)).trade(AAPL)!.price, 100n * UNIT)
    assert.equal(market.pricesAt(at('2026-03-03', 1)).quote(AAPL), undefined)
    assert.equal(market.pricesAt(at('2026-03-03', 700)).trade(AAPL)!.price, 100n * UNIT)
  })

  test(`${name}: a quote from before a split fills no order after it`, async () => {
    const { market } = marketOf(kind, appliedAction('2026-03-03', SPLIT))
    const [from, to] = [at('2026-03-03'), at('2026-03-03', 1440)]
    const search = { symbol: AAPL, side: 'sell', from, to } as const
    assert.equal(await market.schedule.nextTouch({ ...search, price: 150n * UNIT }), undefined)
    const found = await market.schedule.nextTouch({ ...search, price: 90n * UNIT })
    assert.ok(found !== undefined && found >= at('2026-03-03', 600))
  })

  test(`${name}: a new name has the imported history of the old name`, async () => {
    const change = appliedAction('2026-03-04', { kind: 'symbolChange', newSymbol: PEAR })
    const { market } = marketOf(kind, change)
    assert.deepEqual(await closes(market, PEAR, '2026-03-02', '2026-03-04'), [400, 100, 101])
    assert.equal(market.assets().get(PEAR)!.status, 'active')
    assert.equal(market.assets().get(AAPL)!.status, 'inactive')
  })
}

test('synthetic prices continue from the last imported price, and later splits apply to them', async () => {
  const days = ['2026-03-05', '2026-03-20'] as const
  const plain = await closes(marketOf(undefined).market, AAPL, ...days)
  const known = await closes(marketOf(undefined, appliedAction('2026-03-03', SPLIT)).market, AAPL, ...days)
  assert.deepEqual(known, plain, 'a split that the imported data contains is not applied again')
  const later = await closes(marketOf(undefined, appliedAction('2026-03-12', SPLIT)).market, AAPL, ...days)
  assert.deepEqual(later.slice(0, 5), plain.slice(0, 5))
  for (const [index, close] of later.slice(5).entries())
    assert.ok(Math.abs(close * 4 - plain[index + 5]!) < 0.02 * plain[index + 5]!, `${close}`)
})
