import assert from 'node:assert/strict'
import test from 'node:test'
import type { CivilDate } from '../civil-date.ts'
import { definedFields } from '../defined-fields.ts'
import type { ActionId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import { type CorporateAction, effectiveAt } from './action.ts'
import { resolveSymbol } from './issues.ts'

const renamed = (symbol: string, newSymbol: string, exDate: string): CorporateAction => ({
  id: exDate as ActionId,
  kind: 'symbolChange',
  symbol: symbol as Ticker,
  newSymbol: newSymbol as Ticker,
  exDate: exDate as CivilDate,
  createdAt: 0n as Instant,
  appliedAt: effectiveAt({ exDate: exDate as CivilDate }),
})

const actions = [renamed('B', 'C', '2026-03-02'), renamed('A', 'B', '2026-02-02')]
const { appliedAt: _, ...scheduled } = renamed('C', 'D', '2026-04-01')

for (const [symbol, day, then, from] of [
  // symbol, as-of day, current symbol of the history, and first day of the history
  ['A', '2026-01-15', 'C', undefined],
  ['A', '2026-02-01', 'C', undefined],
  ['A', '2026-02-02', 'A', undefined],
  ['A', undefined, 'A', undefined],
  ['B', '2026-02-15', 'C', undefined],
  ['B', '2026-01-15', 'B', '2026-02-02'],
  ['B', '2026-03-15', 'B', '2026-02-02'],
  ['C', '2026-03-15', 'C', undefined],
  ['C', undefined, 'C', '2026-03-02'],
  ['X', '2026-03-15', 'X', undefined],
] as const)
  test(`${symbol} as of ${day ?? 'no day'} is the history of ${then}${from ? ` from ${from} on` : ''}`, () => {
    const resolved = resolveSymbol([...actions, scheduled], symbol as Ticker, day as CivilDate | undefined)
    assert.deepEqual(resolved, {
      symbol: then,
      ...definedFields({ from: from && effectiveAt({ exDate: from as CivilDate }) }),
    })
  })
