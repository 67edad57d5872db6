import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figureTables } from './run-figures-page.ts'
import type { Run, RunEquity, RunFill } from './run-file.ts'
import { statisticsOf } from './statistics.ts'

const days = (...equities: readonly number[]): readonly RunEquity[] =>
  equities.map((equity, index) => {
    const day = new Date(Date.UTC(2026, 0, index)).toISOString().slice(0, 10)
    return { at: `${day}T21:00:00Z`, equity, ...(index > 0 && { day }) }
  })
const of = (equity: readonly RunEquity[], fill: readonly RunFill[] = [], fees = 0) =>
  statisticsOf({ equity, fill, price: [], fees })

/** Equities that rise and fall by ten percent in turn. */
const alternating = (count: number): readonly number[] => {
  const equities = [100]
  for (let day = 0; day < count; day++) equities.push(equities[day]! * (day % 2 === 0 ? 1.1 : 0.9))
  return equities
}

test('the largest drawdown is the largest fall from an earlier peak', () => {
  assert.equal(of(days(100, 120, 90, 130, 117)).maxDrawdown, 0.25)
  assert.equal(of(days(100, 110, 120)).maxDrawdown, 0)
})

test('figures of days need twenty returns, and those that divide by nothing are absent', () => {
  // 21 returns of 10, -10, 10, … percent. The ratio is from Python: 252 ** 0.5 * mean / stdev.
  const { daily } = of(days(...alternating(21)))
  assert.equal(daily?.sharpe?.value.toFixed(4), '0.7385')
  assert.ok(daily.sharpe!.low < 0 && daily.sharpe!.high > 0.7385)
  assert.notEqual(of(days(...alternating(20))).daily, undefined)
  assert.equal(of(days(...alternating(19))).daily, undefined)
  const flat = of(days(...new Array<number>(22).fill(1))).daily
  assert.deepEqual([flat?.sharpe, flat?.sortino, flat?.calmar], [undefined, undefined, undefined])
})

test('a transfer is neither gain nor loss', () => {
  const equity = days(100, 110, 160, 150).map((point, index) =>
    index > 1 ? { ...point, transfers: 50 } : point,
  )
  const { totalReturn, maxDrawdown, months } = of(equity)
  assert.deepEqual([totalReturn, maxDrawdown], [0, 1 - 100 / 110])
  assert.deepEqual(months, [{ month: '2026-01', value: 0 }])
})

const fill = (
  side: string,
  price: string,
  at: string,
  quote: readonly [string, string] | [] = [],
): RunFill => {
  const [bid, ask] = quote
  return { at, symbol: 'KO', side, qty: '10', price, order_id: at, ...(bid && ask && { bid, ask }) }
}

test('a run without a loss has no profit factor and no mean loss; half of the spread is paid or earned', () => {
  const fills = [
    fill('buy', '10.02', '2026-01-05T15:00:00Z', ['10.00', '10.02']),
    // It walked beyond the bid.
    fill('sell', '10.97', '2026-01-05T16:00:00Z', ['10.98', '11.00']),
    fill('buy', '10.00', '2026-01-05T17:00:00Z', ['10.00', '10.02']),
    fill('sell', '10.50', '2026-01-05T18:00:00Z'),
  ]
  const { trades, costs, closed } = of(days(100, 101), fills, 0.03)
  assert.deepEqual([closed, trades?.winRate.value, trades?.meanWin?.toFixed(6)], [2, 1, '7.250000'])
  assert.deepEqual([trades?.profitFactor, trades?.meanLoss], [undefined, undefined])
  assert.equal(trades!.meanHoldingMs, 3_600_000)
  const [spread, impact] = [costs.spread, costs.impact].map((amount) => Number(amount.toFixed(9)))
  // Paid, paid, earned; and a cent for each of ten shares.
  assert.deepEqual([spread, impact, costs.fees, costs.unknown], [0.1, 0.1, 0.03, 1])
})

test('a run without an account curve has no figures of days', () => {
  const { days: count, totalReturn, turnover, exposure } = of([])
  assert.deepEqual([count, totalReturn, turnover, exposure], [0, 0, 0, undefined])
})

test('a figure without a value is a dash', () => {
  const fills = [fill('buy', '10.00', '2026-01-05T15:00:00Z'), fill('sell', '11.00', '2026-01-05T16:00:00Z')]
  const run = { equity_at_start: 1 } as Run
  const rowsOf = (equity: readonly RunEquity[], some: readonly RunFill[]) =>
    new Map(
      figureTables(run, of(equity, some)).flatMap(({ rows }) =>
        rows.map(([name, ...texts]) => [name, texts] as const),
      ),
    )
  const won = rowsOf(days(1, 1), fills)
  assert.deepEqual(won.get('Profit factor'), ['–'])
  assert.deepEqual([won.get('Mean gain'), won.get('Mean loss')], [['+10.00'], ['–']])
  const short = fills.map((one) => ({ ...one, side: one.side === 'buy' ? 'sell' : 'buy' }))
  const lost = rowsOf(days(1, 1), short)
  assert.deepEqual([lost.get('Profit factor')?.[0], lost.get('Mean gain')], ['0.00', ['–']])
  const flat = rowsOf(days(...new Array<number>(22).fill(1)), [])
  for (const name of ['Sharpe ratio', 'Sortino ratio', 'Calmar ratio'])
    assert.deepEqual(flat.get(name), ['–'], name)
})
