import assert from 'node:assert/strict'
import type { Instant } from '@quipu/core'
import { ticks } from './ticks-suite.ts'
import { momentOf, type Rule, type Trial } from './trial.ts'

/** The rules of the search for the trade that reaches a price. */
export function tradeSearchRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const from = momentOf(trial, 600)
  const to = momentOf(trial, trial.zone === 'utc' ? 660 : 603)

  rule('the search finds the first trade that reaches a price', async ({ assets, history, schedule }) => {
    const trades = await history.trades(ticks(symbol, from, to))
    assert.ok(trades.length > 5)
    const { tick } = assets().get(symbol)!
    for (const away of [-30n, -10n, -3n, -1n, 0n, 1n, 3n, 10n, 30n]) {
      const price = trades[0]!.price + away * tick
      for (const direction of ['rise', 'fall'] as const) {
        const first = trades.find((trade) =>
          direction === 'rise' ? trade.price >= price : trade.price <= price,
        )
        assert.deepEqual(
          await schedule.nextTrade({ symbol, direction, price, from, to }),
          first && { at: first.at, price: first.price, size: first.size },
          `${direction} ${away}`,
        )
      }
    }
  })

  rule('a trade before the range does not count, and both ends are inclusive', async (market) => {
    const { history, schedule } = market
    const [first, second] = await history.trades(ticks(symbol, from, to))
    const any = { symbol, direction: 'rise', price: 1n } as const
    assert.equal((await schedule.nextTrade({ ...any, from: first!.at, to: first!.at }))?.at, first!.at)
    const after = (first!.at + 1n) as Instant
    if (second!.at > first!.at)
      assert.equal((await schedule.nextTrade({ ...any, from: after, to }))?.at, second!.at)
    assert.equal(await schedule.nextTrade({ ...any, from: to, to: from }), undefined)
  })
}
