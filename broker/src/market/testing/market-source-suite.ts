import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Bar,
  type BarFrame,
  type BarQuery,
  foldBars,
  foldTrades,
  formatInstant,
  type Instant,
  type Price,
  parseFrame,
  type Ticker,
} from '@quipu/core'
import { alwaysOpenRules } from './always-open-suite.ts'
import { auctionRules } from './auctions-suite.ts'
import { columnRules } from './columns-suite.ts'
import { tickRules, ticks } from './ticks-suite.ts'
import { tradeSearchRules } from './trades-suite.ts'
import { momentOf, type Rule, type Trial } from './trial.ts'

const UNKNOWN = 'NOSUCH' as Ticker
const FAR = 1n << 60n
const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND

/** The rules of every source of prices. */
export function marketSourceSuite(name: string, trial: Trial): void {
  const rule: Rule = (title, run) => {
    test(`${name}: ${title}`, async () => run(await trial.open()))
  }
  priceRules(rule, trial)
  unknownRules(rule, trial)
  touchRules(rule, trial)
  tradeSearchRules(rule, trial)
  barRules(rule, trial)
  longBarRules(rule, trial)
  columnRules(rule, trial)
  pageRules(rule, trial)
  windowRules(rule, trial)
  currentDayRules(rule, trial)
  tickRules(rule, trial)
  if (trial.zone === 'utc') alwaysOpenRules(rule, trial)
  else auctionRules(rule, trial)
}

function priceRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const at = momentOf(trial, 600)

  rule('a symbol is an asset, and has a quote with a bid below its ask', async ({ assets, pricesAt }) => {
    assert.equal(assets().get(symbol)?.symbol, symbol)
    const quote = pricesAt(at).quote(symbol)
    assert.ok(quote && quote.bid > 0n && quote.bid < quote.ask && quote.at <= at)
    assert.ok(quote.bidSize > 0n && quote.askSize > 0n)
  })

  rule('the price of a symbol is its latest trade', async ({ pricesAt, history }) => {
    const latest = await history.latestTrade(symbol, at)
    const shown = pricesAt(at).trade(symbol)
    assert.deepEqual(shown, latest && { at: latest.at, price: latest.price, size: latest.size })
  })

  rule(
    'a quote is valid until the next one, also when an earlier instant is queried later',
    async ({ pricesAt, schedule }) => {
      const first = pricesAt(at).quote(symbol)
      const next = await schedule.nextQuote(symbol, at, (at + FAR) as Instant)
      assert.ok(next !== undefined && next > at)
      assert.deepEqual(pricesAt((next - 1n) as Instant).quote(symbol), first)
      assert.equal(pricesAt(next).quote(symbol)?.at, next)
      assert.equal(await schedule.nextQuote(symbol, at, next), undefined)
      assert.deepEqual(pricesAt(at).quote(symbol), first)
    },
  )
}

function unknownRules(rule: Rule, trial: Trial): void {
  const at = momentOf(trial, 600)

  rule('an unknown symbol has no prices, no trades, no bars and is never reached', async (market) => {
    const { history, schedule } = market
    const prices = market.pricesAt(at)
    const to = (at + MINUTE) as Instant
    assert.deepEqual([prices.quote(UNKNOWN), prices.trade(UNKNOWN)], [undefined, undefined])
    assert.equal(await history.latestTrade(UNKNOWN, at), undefined)
    assert.equal(await history.latestBar(UNKNOWN, at), undefined)
    assert.equal(await schedule.nextQuote(UNKNOWN, at, to), undefined)
    assert.deepEqual(await history.trades(ticks(UNKNOWN, at, to)), [])
    assert.deepEqual(await history.quotes(ticks(UNKNOWN, at, to)), [])
    assert.deepEqual(await history.events(ticks(UNKNOWN, at, to)), [])
    assert.equal(await history.latestQuote(UNKNOWN, at), undefined)
    assert.equal(await history.book(UNKNOWN, at), undefined)
    assert.equal(
      await schedule.nextTouch({ symbol: UNKNOWN, side: 'buy', price: FAR, from: at, to }),
      undefined,
    )
    assert.equal(
      await schedule.nextTrade({ symbol: UNKNOWN, direction: 'fall', price: FAR, from: at, to }),
      undefined,
    )
    assert.deepEqual(await history.bars(minutes(UNKNOWN, at, to)), [])
  })
}

function touchRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const from = momentOf(trial, 600)
  const to = momentOf(trial, 603)

  rule('a price is touched by the first quote that reaches it', async ({ assets, pricesAt, schedule }) => {
    const { nextQuote, nextTouch } = schedule
    const quotes = [{ ...pricesAt(from).quote(symbol)!, at: from }]
    for (let at: Instant | undefined = from; at !== undefined; ) {
      at = await nextQuote(symbol, at, (to + 1n) as Instant)
      if (at !== undefined) quotes.push(pricesAt(at).quote(symbol)!)
    }
    assert.ok(quotes.length > 5)
    const tick = assets().get(symbol)!.tick
    for (const away of [-30n, -10n, -3n, -1n, 0n, 1n, 3n, 10n, 30n]) {
      const price = (quotes[0]!.bid + away * tick) as Price
      const lowAsk = quotes.find((quote) => quote.ask <= price)?.at
      const highBid = quotes.find((quote) => quote.bid >= price)?.at
      assert.equal(await nextTouch({ symbol, side: 'buy', price, from, to }), lowAsk, `buy ${away}`)
      assert.equal(await nextTouch({ symbol, side: 'sell', price, from, to }), highBid, `sell ${away}`)
    }
  })

  rule('a quote that already reaches a price touches it immediately', async ({ pricesAt, schedule }) => {
    const { nextTouch } = schedule
    const { bid, ask } = pricesAt(from).quote(symbol)!
    assert.equal(await nextTouch({ symbol, side: 'buy', price: ask, from, to }), from)
    assert.equal(await nextTouch({ symbol, side: 'sell', price: bid, from, to }), from)
    assert.equal(await nextTouch({ symbol, side: 'sell', price: bid, from: to, to: from }), undefined)
  })
}

function barRules(rule: Rule, trial: Trial): void {
  const { symbol, zone = 'newYork' } = trial
  const open = momentOf(trial, 570)
  const midnight = momentOf(trial, 0)
  const end = (momentOf(trial, 1440) - 1n) as Instant

  if (!trial.hasDerivedTrades)
    rule('minutes are folded from trades', async ({ assets, history }) => {
      const to = (open + 5n * MINUTE - 1n) as Instant
      const trades = await history.trades(ticks(symbol, open, to))
      const bars = await history.bars(minutes(symbol, open, to))
      assert.deepEqual(
        bars.filter((bar) => bar.trades > 0),
        foldTrades(trades, { unit: 'minute', count: 1 }, assets().get(symbol)),
      )
    })

  if (zone === 'newYork' && !trial.hasDerivedTrades)
    rule(
      'the day is folded from its trades: prices of the session, volume without overnight trades',
      async ({ history }) => {
        const trades = await history.trades(ticks(symbol, midnight, end))
        const days = await history.bars({ ...minutes(symbol, midnight, end), frame: frameOf('1Day') })
        assert.deepEqual(days, foldTrades(trades, { unit: 'day', count: 1 }))
        assert.equal(days[0]?.start, midnight)
      },
    )

  for (const text of ['5Min', '7Min', '59Min', '1Hour', '4Hour', '23Hour'])
    rule(`${text} folds the minutes`, async ({ history }) => {
      const bars = await history.bars({ ...minutes(symbol, midnight, end), frame: frameOf(text) })
      // The first minutes may belong to a bar of the day before, and the last bar may need minutes of the next day.
      const all = await history.bars(minutes(symbol, midnight, (end + 60n * MINUTE) as Instant))
      const folded = foldBars(all, frameOf(text), zone).filter(
        ({ start }) => start >= midnight && start <= end,
      )
      assert.deepEqual(bars.map(withoutAverage), folded.map(withoutAverage))
      for (const [index, bar] of bars.entries())
        assert.ok(Math.abs(bar.vwap - folded[index]!.vwap) < 0.000_002, formatInstant(bar.start))
    })
}

function longBarRules(rule: Rule, trial: Trial): void {
  const { symbol, zone = 'newYork' } = trial
  const midnight = momentOf(trial, 0)
  const end = (momentOf(trial, 1440) - 1n) as Instant

  for (const text of ['1Week', '1Month', '3Month'])
    rule(`${text} folds the days`, async ({ history }) => {
      const from = (midnight - 200n * 24n * 60n * MINUTE) as Instant
      const query = { ...minutes(symbol, from, end), now: (end + FAR) as Instant }
      const days = await history.bars({ ...query, frame: frameOf('1Day') })
      const bars = await history.bars({ ...query, frame: frameOf(text) })
      // The last bar may end after the queried days, and the first one may start before them.
      const folded = foldBars(days, frameOf(text), zone).filter((bar) => bar.start >= from)
      assert.ok(bars.length > 1)
      assert.deepEqual(bars.slice(0, -1), folded.slice(0, bars.length - 1))
    })
}

const withoutAverage = ({ vwap: _, ...bar }: Bar): Omit<Bar, 'vwap'> => bar

function pageRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const from = momentOf(trial, 565)
  const to = momentOf(trial, 640)

  for (const text of ['1Min', '5Min', '1Hour', '1Day', '1Week'])
    for (const sort of ['asc', 'desc'] as const)
      rule(`pages of ${text} bars, ${sort}, joined, equal the full list`, async ({ history }) => {
        const wide = text === '1Day' || text === '1Week' ? 40n * 24n * 60n * MINUTE : 0n
        const query = { ...minutes(symbol, (from - wide) as Instant, to), frame: frameOf(text), sort }
        const all = await history.bars({ ...query, sort: 'asc' })
        assert.ok(all.length > 0)
        const joined: Bar[] = []
        for (let page = await history.bars({ ...query, limit: 3 }); page.length > 0; ) {
          joined.push(...page)
          page = await history.bars({ ...query, limit: 3, after: page.at(-1)!.start })
        }
        assert.deepEqual(joined, sort === 'asc' ? all : all.toReversed())
      })
}

function windowRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const from = momentOf(trial, 565)
  const to = momentOf(trial, 640)

  rule('both ends are included, and compared with the start of a bar', async ({ history }) => {
    const all = await history.bars(minutes(symbol, from, to))
    const [first, last] = [all[3]!.start, all[7]!.start]
    assert.deepEqual(await history.bars(minutes(symbol, first, last)), all.slice(3, 8))
    const inner = minutes(symbol, (first + 1n) as Instant, (last - 1n) as Instant)
    assert.deepEqual(await history.bars(inner), all.slice(4, 7))
    assert.deepEqual(await history.bars(minutes(symbol, last, first)), [])
  })

  rule('there is no data after `now`, and a minute is visible once it has ended', async ({ history }) => {
    const all = await history.bars(minutes(symbol, from, to))
    for (const now of [all[5]!.start, all[5]!.start + 1n, all[5]!.start + MINUTE - 1n])
      assert.deepEqual(
        await history.bars({ ...minutes(symbol, from, to), now: now as Instant }),
        all.slice(0, 5),
      )
    const now = (all[5]!.start + MINUTE) as Instant
    assert.deepEqual(await history.bars({ ...minutes(symbol, from, to), now }), all.slice(0, 6))
    assert.deepEqual(await history.latestBar(symbol, now), all[5])
  })
}

function currentDayRules(rule: Rule, trial: Trial): void {
  const { symbol, zone = 'newYork' } = trial
  rule('the current day is folded from finished minutes', async ({ history }) => {
    const open = momentOf(trial, zone === 'newYork' ? 570 : 0)
    const now = (open + 10n * MINUTE + 30n * SECOND) as Instant
    const day = { ...minutes(symbol, momentOf(trial, 0), now), frame: frameOf('1Day'), now }
    const [bar] = await history.bars(day)
    const regular = await history.bars({ ...minutes(symbol, open, now), now })
    assert.equal(regular.length, 10)
    assert.deepEqual(
      [bar?.open, bar?.close, bar?.high],
      [regular[0]!.open, regular[9]!.close, Math.max(...regular.map((each) => each.high))],
    )
    if (zone === 'newYork') assert.deepEqual(await history.bars({ ...day, now: open }), [])
  })
}

/** A query for all minutes of a time span, long after it. */
const minutes = (symbol: Ticker, from: Instant, to: Instant): BarQuery => ({
  symbol,
  frame: { unit: 'minute', count: 1 },
  from,
  to,
  now: (to + FAR) as Instant,
  sort: 'asc',
  limit: 100_000,
})

function frameOf(text: string): BarFrame {
  const parsed = parseFrame(text)
  assert.ok(parsed.ok, text)
  return parsed.value
}
