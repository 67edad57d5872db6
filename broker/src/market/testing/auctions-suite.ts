import assert from 'node:assert/strict'
import { addDays, type DailyAuctions, fromNewYork, type Instant, session } from '@quipu/core'
import { ticks } from './ticks-suite.ts'
import type { Rule, Trial } from './trial.ts'

export function auctionRules(rule: Rule, { symbol, date }: Trial): void {
  const { open, close } = session(date)!
  const now = fromNewYork(addDays(date, 1), 0)
  const month = { symbol, from: addDays(date, -30), to: addDays(date, 30), now, limit: 1000 }
  const day = { ...month, from: date, to: date, sort: 'asc' as const }

  rule('a session opens at its first trade and closes at its last', async ({ history }) => {
    const [auctions] = await history.auctions(day)
    const trades = await history.trades(ticks(symbol, open, (close - 1n) as Instant))
    const [first, last] = [trades[0]!, trades.at(-1)!]
    assert.equal(auctions?.date, date)
    assert.deepEqual(
      auctions.open.map(({ at, price, condition }) => [at, price, condition]),
      [
        [first.at, first.price, 'O'],
        [first.at, first.price, 'Q'],
      ],
    )
    assert.deepEqual(
      auctions.close.map(({ at, price, condition }) => [at, price, condition]),
      [
        [close, last.price, '6'],
        [close, last.price, 'M'],
      ],
    )
  })

  rule('a future auction is not listed', async ({ history }) => {
    const [today] = await history.auctions({ ...day, now: (close - 1n) as Instant })
    assert.deepEqual([today?.open.length, today?.close.length], [2, 0])
    assert.deepEqual(await history.auctions({ ...day, now: (open - 1n) as Instant }), [])
  })

  for (const sort of ['asc', 'desc'] as const)
    rule(`pages of auctions, ${sort}, joined, equal the full list`, async ({ history }) => {
      const all = await history.auctions({ ...month, sort: 'asc' })
      const joined: DailyAuctions[] = []
      for (let page = await history.auctions({ ...month, sort, limit: 2 }); page.length > 0; ) {
        joined.push(...page)
        page = await history.auctions({ ...month, sort, limit: 2, after: page.at(-1)!.date })
      }
      assert.ok(all.length > 15)
      assert.deepEqual(joined, sort === 'asc' ? all : all.toReversed())
    })
}
