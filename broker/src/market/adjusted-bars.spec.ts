import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ActionId,
  type ActionTerms,
  type Adjustment,
  type Bar,
  type BarFrame,
  barsOfColumns,
  type CivilDate,
  type CorporateAction,
  effectiveAt,
  foldBars,
  fromNewYork,
  type Instant,
  type Price,
  type Ticker,
  type WorldSettings,
} from '@quipu/core'
import { adjustedColumns } from './adjusted-bars.ts'
import { worldMarket } from './world-market.ts'

const UNIT = 1_000_000_000n
const AAPL = 'AAPL' as Ticker

const appliedAction = (exDate: string, terms: ActionTerms): CorporateAction => ({
  id: exDate as ActionId,
  symbol: AAPL,
  exDate: exDate as CivilDate,
  createdAt: 0n as Instant,
  appliedAt: effectiveAt({ exDate: exDate as CivilDate }),
  ...terms,
})

const SPLIT = appliedAction('2026-11-11', { kind: 'split', newRate: 4n * UNIT, oldRate: UNIT })
const REVERSE = appliedAction('2026-12-02', { kind: 'split', newRate: UNIT, oldRate: 3n * UNIT })
const DIVIDEND = appliedAction('2026-11-18', {
  kind: 'dividend',
  rate: (2n * UNIT) as Price,
  recordDate: '2026-11-18' as CivilDate,
  payDate: '2026-11-18' as CivilDate,
  special: false,
})
const actions = new Map([SPLIT, DIVIDEND, REVERSE].map((action) => [action.id, action] as const))

const market = worldMarket({
  settings: { seed: 'adjusted', hours: 'nyse' } as WorldSettings,
  added: { symbols: new Map(), marketEvents: [], actions, actionsSeq: 1 },
})

const at = (date: string): Instant => fromNewYork(date as CivilDate, 0)
const RAW: Adjustment = { split: false, dividend: false }
const ALL: Adjustment = { split: true, dividend: true }

async function bars(frame: BarFrame, adjustment: Adjustment, from = '2026-11-02', to = '2026-12-18') {
  const query = { symbol: AAPL, frame, from: at(from), to: at(to), now: at('2026-12-19') }
  const columns = await adjustedColumns(
    market.history,
    { actions },
    { ...query, sort: 'asc', limit: 10_000 },
    adjustment,
  )
  return columns.flatMap(barsOfColumns)
}

const DAYS: BarFrame = { unit: 'day', count: 1 }
const near = (a: number, b: number, by: number): boolean => Math.abs(a - b) <= by

/** The expected adjustment factors of the price and the volume of a bar. */
async function factorsOf(adjustment: Adjustment): Promise<(bar: Bar) => { price: number; volume: number }> {
  const raw = await bars(DAYS, RAW)
  const close = raw.findLast(({ start }) => start < effectiveAt(DIVIDEND))!.close
  return ({ start }) => {
    const splits = adjustment.split
      ? (start < effectiveAt(SPLIT) ? 4 : 1) / (start < effectiveAt(REVERSE) ? 3 : 1)
      : 1
    const dividends = adjustment.dividend && start < effectiveAt(DIVIDEND) ? 1 - 2 / close : 1
    return { price: dividends / splits, volume: splits }
  }
}

for (const adjustment of [RAW, { split: true, dividend: false }, { split: false, dividend: true }, ALL])
  for (const [frame, from, to] of [
    [DAYS, '2026-11-02', '2026-12-18'],
    [{ unit: 'hour', count: 1 }, '2026-11-09', '2026-11-13'],
    [{ unit: 'minute', count: 5 }, '2026-11-10', '2026-11-12'],
    [{ unit: 'minute', count: 1 }, '2026-12-01', '2026-12-03'],
  ] as const satisfies readonly (readonly [BarFrame, string, string])[])
    test(`${JSON.stringify(adjustment)}: every bar of ${frame.count} ${frame.unit} is the raw bar times its adjustment factors`, async () => {
      const [raw, adjusted, factors] = [
        await bars(frame, RAW, from, to),
        await bars(frame, adjustment, from, to),
        await factorsOf(adjustment),
      ]
      assert.ok(raw.length > 20)
      assert.equal(adjusted.length, raw.length)
      for (const [index, bar] of raw.entries()) {
        const { price, volume } = factors(bar)
        const now = adjusted[index]!
        assert.deepEqual([now.start, now.trades], [bar.start, bar.trades])
        for (const field of ['open', 'high', 'low', 'close'] as const)
          assert.ok(near(now[field], bar[field] * price, 0.00006), `${field}: ${now[field]}`)
        assert.ok(near(now.vwap, bar.vwap * price, 0.000001))
        assert.ok(near(now.volume, bar.volume * volume, 0.5))
      }
    })

for (const frame of [
  { unit: 'week', count: 1 },
  { unit: 'month', count: 1 },
  { unit: 'minute', count: 7 },
] as const)
  test(`bars of ${frame.count} ${frame.unit} are folded from adjusted bars`, async () => {
    const [from, to] = frame.unit === 'minute' ? ['2026-11-10', '2026-11-12'] : ['2026-11-01', '2026-12-18']
    const parts = await bars(frame.unit === 'minute' ? { unit: 'minute', count: 1 } : DAYS, ALL, from, to)
    const adjusted = await bars(frame, ALL, from, to)
    const folded = new Map(foldBars(parts, frame).map((bar) => [bar.start, bar]))
    let compared = 0
    for (const bar of adjusted) {
      const same = folded.get(bar.start)
      if (!same || bar.start === adjusted[0]!.start) continue
      compared += 1
      for (const field of ['open', 'high', 'low', 'close'] as const)
        assert.ok(near(bar[field], same[field], 0.00006), `${field}: ${bar[field]} and ${same[field]}`)
      assert.ok(near(bar.volume, same.volume, 10))
    }
    assert.ok(compared > 0)
  })

test('bars after the last action are unadjusted, and adjusted prices have no jump', async () => {
  const [raw, adjusted] = [await bars(DAYS, RAW), await bars(DAYS, ALL)]
  assert.deepEqual(adjusted.at(-1), raw.at(-1))
  for (const [index, bar] of adjusted.entries())
    if (index > 0) assert.ok(Math.abs(bar.open / adjusted[index - 1]!.close - 1) < 0.1)
  assert.ok(raw.some((bar, index) => index > 0 && bar.open < 0.5 * raw[index - 1]!.close))
})
