import assert from 'node:assert/strict'
import type { Instant, TickCursor, Ticker, TickQuery } from '@quipu/core'
import { formatInstant } from '@quipu/core/values'
import type { MarketSource } from '../market-source.ts'
import { momentOf, type Rule, type Trial } from './trial.ts'

const FAR = 1n << 60n
const SECOND = 1_000_000_000n

/** A query for all trades, or quotes, of a time span, long after it. */
export const ticks = (symbol: Ticker, from: Instant, to: Instant): TickQuery => ({
  symbol,
  from,
  to,
  now: (to + FAR) as Instant,
  sort: 'asc',
  limit: 10_000_000,
})

export function tickRules(rule: Rule, trial: Trial): void {
  const from = momentOf(trial, 600)
  const to = (from + BigInt(trial.seconds ?? 30) * SECOND) as Instant
  const query = ticks(trial.symbol, from, to)
  orderRules(rule, query)
  pageRules(rule, 'trades', query, ({ history }, query) => history.trades(query))
  pageRules(rule, 'quotes', query, ({ history }, query) => history.quotes(query))
  quoteRules(rule, query)
}

function orderRules(rule: Rule, query: TickQuery): void {
  const { symbol, to } = query

  rule('trades are sorted by time with increasing ids, and have a price and a size', async ({ history }) => {
    const trades = await history.trades(query)
    assert.ok(trades.length > 3)
    for (const [index, trade] of trades.entries()) {
      const before = trades[index - 1]
      if (before) assert.ok(before.at < trade.at && before.id < trade.id)
      assert.ok(trade.size > 0n && trade.price > 0n && Number.isSafeInteger(trade.id))
    }
    assert.deepEqual(await history.latestTrade(symbol, to), trades.at(-1))
  })

  rule('no trade of the regular session has the condition of extended hours or odd lots', async (market) => {
    for (const trade of await market.history.trades(query))
      assert.ok(!trade.conditions.includes('T') && !trade.conditions.includes('I'), formatInstant(trade.at))
  })
}

type List = (market: MarketSource, query: TickQuery) => Promise<readonly TickCursor[]>

/** The rules of every list of ticks. */
function pageRules(rule: Rule, name: string, query: TickQuery, list: List): void {
  for (const sort of ['asc', 'desc'] as const)
    for (const limit of [1, 2, 7])
      rule(`pages of ${limit} ${name}, ${sort}, joined, equal the full list`, async (market) => {
        const all = await list(market, query)
        const joined: TickCursor[] = []
        for (let page = await list(market, { ...query, sort, limit }); page.length > 0; ) {
          assert.ok(page.length <= limit)
          joined.push(...page)
          page = await list(market, { ...query, sort, limit, after: page.at(-1)! })
        }
        assert.deepEqual(joined, sort === 'asc' ? all : all.toReversed())
      })

  rule(`both ends of a list of ${name} are included, and the list ends at now`, async (market) => {
    const all = await list(market, query)
    const [second, fourth] = [all[1]!.at, all[3]!.at]
    assert.deepEqual(await list(market, { ...query, from: second, to: fourth }), all.slice(1, 4))
    assert.deepEqual(await list(market, { ...query, from: fourth, to: second }), [])
    assert.deepEqual(await list(market, { ...query, now: fourth }), all.slice(0, 4))
    assert.deepEqual(await list(market, { ...query, now: (fourth - 1n) as Instant }), all.slice(0, 3))
  })
}

function quoteRules(rule: Rule, query: TickQuery): void {
  const { symbol, to } = query

  rule('the list of quotes matches the price at each instant', async ({ pricesAt, history }) => {
    const quotes = await history.quotes(query)
    assert.ok(quotes.length > 3)
    for (const { id, ...quote } of quotes) {
      assert.deepEqual(pricesAt(quote.at).quote(symbol), quote)
      assert.ok(Number.isSafeInteger(id) && quote.bid < quote.ask)
    }
    assert.deepEqual(await history.latestQuote(symbol, to), quotes.at(-1))
  })
}
