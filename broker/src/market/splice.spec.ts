import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  assetOf,
  type BarQuery,
  type CivilDate,
  definedFields,
  foldBars,
  fromNewYork,
  type Instant,
  type Ticker,
} from '@quipu/core'
import { replayMarket } from './replay/replay.ts'
import { putBars, temporaryStore } from './replay/testing/replay.ts'
import { spliceMarkets } from './splice.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'
import { marketSourceSuite } from './testing/market-source-suite.ts'

const THIN = 'THIN' as Ticker
const at = (date: string, minute = 0): Instant => fromNewYork(date as CivilDate, minute)
const CUT = at('2026-11-14')
const minutes: BarQuery = {
  symbol: THIN,
  frame: { unit: 'minute', count: 1 },
  from: at('2026-10-12'),
  to: at('2026-11-20'),
  now: at('2026-11-21'),
  sort: 'asc',
  limit: 1_000_000,
}

const { store, dispose } = temporaryStore()
after(dispose)

const synthetic = (price: number, on?: CivilDate) =>
  syntheticMarket({ seed: 'splice', hours: 'always', symbols: [], extra: [{ symbol: 'THIN', price, on }] })
const { history } = synthetic(40)
const stored = await history.bars({ ...minutes, to: (CUT - 1n) as Instant })
putBars(store, 'THIN', '1Min', stored)
const year = { ...minutes, frame: { unit: 'day', count: 1 } as const, from: at('2026-01-01') }
putBars(store, 'THIN', '1Day', await history.bars({ ...year, to: (CUT - 1n) as Instant }))
const lastClose = stored.at(-1)!.close

function open() {
  const first = replayMarket({
    series: store.list(),
    seed: 'splice',
    assetOf: (symbol) => assetOf({ symbol }),
  })
  return spliceMarkets(first, synthetic(lastClose, '2026-11-13' as CivilDate), new Map([[THIN, CUT]]))
}

for (const [name, date, hasDerivedTrades] of [
  ['before the cut', '2026-11-12', true],
  ['after the cut', '2026-12-18', undefined],
] as const)
  marketSourceSuite(`two markets spliced, ${name}`, {
    symbol: THIN,
    date: date as CivilDate,
    seconds: 300,
    ...definedFields({ hasDerivedTrades }),
    open,
  })

test('the second market continues from the last price of the first', async () => {
  const { history } = open()
  const day = { unit: 'day', count: 1 } as const
  const query = { ...minutes, frame: day, from: at('2026-11-13'), limit: 2 }
  const [friday, monday] = await history.bars(query)
  assert.ok(friday && monday)
  assert.ok(Math.abs(monday.open / friday.close - 1) < 0.05, `${friday.close} ${monday.open}`)
})

test('pages across the cut, joined, equal one large page, in both directions', async () => {
  const { history } = open()
  const query = { ...minutes, from: at('2026-11-13', 1200), to: at('2026-11-14', 400) }
  const whole = await history.bars(query)
  assert.ok(whole[0]!.start < CUT && whole.at(-1)!.start > CUT)
  for (const sort of ['asc', 'desc'] as const) {
    const joined = []
    for (let page = await history.bars({ ...query, sort, limit: 7 }); page.length > 0; ) {
      joined.push(...page)
      page = await history.bars({ ...query, sort, limit: 7, after: page.at(-1)!.start })
    }
    assert.deepEqual(joined, sort === 'asc' ? whole : whole.toReversed())
  }
})

test('auctions across the cut have the requested order', async () => {
  const { history } = open()
  const dates = ['2026-11-12', '2026-11-13', '2026-11-16', '2026-11-17'] as CivilDate[]
  const query = { symbol: THIN, from: dates[0]!, to: dates.at(-1)!, now: minutes.now, limit: 10 }
  for (const sort of ['asc', 'desc'] as const) {
    const found = (await history.auctions({ ...query, sort })).map(({ date }) => date)
    assert.deepEqual(found, sort === 'asc' ? dates : dates.toReversed())
  }
  const [last] = await history.auctions({ ...query, sort: 'desc', limit: 1 })
  assert.equal(last!.date, dates.at(-1))
})

test('a month across the cut is folded from its days', async () => {
  const { bars } = open().history
  const days = await bars({
    ...minutes,
    frame: { unit: 'day', count: 1 },
    from: at('2026-11-01'),
    to: at('2026-11-30'),
  })
  const months = await bars({ ...minutes, frame: { unit: 'month', count: 1 }, from: at('2026-11-01') })
  assert.deepEqual(months, foldBars(days, { unit: 'month', count: 1 }))
})

test('the last price of the first market is valid until the second has one', () => {
  const market = open()
  const before = market.pricesAt((CUT - 1n) as Instant).quote(THIN)
  assert.ok(before)
  assert.deepEqual(market.pricesAt(CUT).quote(THIN), before)
})
