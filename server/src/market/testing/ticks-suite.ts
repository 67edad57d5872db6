import assert from 'node:assert/strict'
import { formatInstant, type Instant, type TickCursor, type Ticker, type TickQuery } from '@quipu/core'
import type { MarketSource } from '../market-source.ts'
import { momentOf, type Rule, type Trial } from './trial.ts'

const FAR = 1n << 60n
const SECOND = 1_000_000_000n

/** All trades, or quotes, of a stretch of time, as they are known long after. */
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
  pageRules(rule, 'trades', query, (market, asked) => market.trades(asked))
  pageRules(rule, 'quotes', query, (market, asked) => market.quotes(asked))
  quoteRules(rule, query)
}

function orderRules(rule: Rule, query: TickQuery): void {
  const { symbol, to } = query

  rule('trades come oldest first, with rising ids, and each is worth something', async (market) => {
    const trades = await market.trades(query)
    assert.ok(trades.length > 3)
    for (const [index, trade] of trades.entries()) {
      const before = trades[index - 1]
      if (before) assert.ok(before.at < trade.at && before.id < trade.id)
      assert.ok(trade.size > 0n && trade.price > 0n && Number.isSafeInteger(trade.id))
    }
    assert.deepEqual(await market.latestTrade(symbol, to), trades.at(-1))
  })

  rule('no trade of the regular session is marked as an extended or an odd one', async (market) => {
    for (const trade of await market.trades(query))
      assert.ok(!trade.conditions.includes('T') && !trade.conditions.includes('I'), formatInstant(trade.at))
  })
}

type Ask = (market: MarketSource, query: TickQuery) => Promise<readonly TickCursor[]>

/** What holds of every list of ticks. */
function pageRules(rule: Rule, name: string, query: TickQuery, ask: Ask): void {
  for (const sort of ['asc', 'desc'] as const)
    for (const limit of [1, 2, 7])
      rule(`pages of ${limit} ${name}, ${sort}, joined are the whole`, async (market) => {
        const whole = await ask(market, query)
        const joined: TickCursor[] = []
        for (let page = await ask(market, { ...query, sort, limit }); page.length > 0; ) {
          assert.ok(page.length <= limit)
          joined.push(...page)
          page = await ask(market, { ...query, sort, limit, after: page.at(-1)! })
        }
        assert.deepEqual(joined, sort === 'asc' ? whole : whole.toReversed())
      })

  rule(`both ends of a list of ${name} are included, and it ends with the present`, async (market) => {
    const whole = await ask(market, query)
    const [second, fourth] = [whole[1]!.at, whole[3]!.at]
    assert.deepEqual(await ask(market, { ...query, from: second, to: fourth }), whole.slice(1, 4))
    assert.deepEqual(await ask(market, { ...query, from: fourth, to: second }), [])
    assert.deepEqual(await ask(market, { ...query, now: fourth }), whole.slice(0, 4))
    assert.deepEqual(await ask(market, { ...query, now: (fourth - 1n) as Instant }), whole.slice(0, 3))
  })
}

function quoteRules(rule: Rule, query: TickQuery): void {
  const { symbol, to } = query

  rule('the list of quotes is what the board shows, one after the other', async (market) => {
    const quotes = await market.quotes(query)
    assert.ok(quotes.length > 3)
    for (const { id, ...quote } of quotes) {
      assert.deepEqual(market.pricesAt(quote.at).quote(symbol), quote)
      assert.ok(Number.isSafeInteger(id) && quote.bid < quote.ask)
    }
    assert.deepEqual(await market.latestQuote(symbol, to), quotes.at(-1))
  })
}
