import assert from 'node:assert/strict'
import { type BarQuery, foldBars, type Instant } from '@quipu/core'
import { momentOf, type Rule, type Trial } from './trial.ts'

const MINUTE = 60_000_000_000n

/** The rules of a market that is always open. */
export function alwaysOpenRules(rule: Rule, trial: Trial): void {
  const { symbol, zone } = trial
  const [from, end] = [momentOf(trial, 0), momentOf(trial, 1440)]
  const minutes: BarQuery = {
    symbol,
    frame: { unit: 'minute', count: 1 },
    from,
    to: (end - 1n) as Instant,
    now: (end + MINUTE) as Instant,
    sort: 'asc',
    limit: 100_000,
  }

  rule('every minute has a bar; without trades it has the last price', async ({ history }) => {
    const bars = await history.bars(minutes)
    assert.equal(bars.length, 1440)
    for (const [index, bar] of bars.entries()) {
      const before = bars[index - 1]
      if (before) assert.equal(bar.start, before.start + MINUTE)
      if (bar.trades > 0) continue
      const { open, high, low, close, volume, vwap } = bar
      assert.deepEqual([high, low, close, volume, vwap], [open, open, open, 0, 0])
      if (before) assert.equal(open, before.close)
    }
    assert.deepEqual(await history.bars({ ...minutes, sort: 'desc' }), bars.toReversed())
  })

  rule('the day is folded from its minutes', async ({ history }) => {
    const [day] = await history.bars({ ...minutes, frame: { unit: 'day', count: 1 } })
    const [folded] = foldBars(await history.bars(minutes), { unit: 'day', count: 1 }, zone)
    assert.ok(day && folded && Math.abs(day.vwap / folded.vwap - 1) < 0.000_001)
    assert.deepEqual({ ...day, vwap: 0 }, { ...folded, vwap: 0 })
  })

  rule('the best levels of the book are the quote', async ({ pricesAt, history }) => {
    const at = momentOf(trial, 600)
    const book = await history.book(symbol, at)
    const quote = pricesAt(at).quote(symbol)!
    assert.ok(book && book.bids.length > 5 && book.asks.length > 5)
    assert.deepEqual(book.bids[0], { price: quote.bid, size: quote.bidSize })
    assert.deepEqual(book.asks[0], { price: quote.ask, size: quote.askSize })
    assert.equal(book.at, quote.at)
    for (const [side, sign] of [
      [book.bids, -1n],
      [book.asks, 1n],
    ] as const)
      for (const [index, { price, size }] of side.entries())
        assert.ok(size > 0n && (index === 0 || (price - side[index - 1]!.price) * sign > 0n))
  })

  rule('there are no auctions', async ({ history }) => {
    const { date } = trial
    const now = momentOf(trial, 1440)
    assert.deepEqual(await history.auctions({ symbol, from: date, to: date, now, sort: 'asc', limit: 5 }), [])
  })
}
