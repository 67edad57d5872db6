import assert from 'node:assert/strict'
import { type BarFrame, barsOfColumns, type Instant, rowsIn } from '@quipu/core'
import { momentOf, type Rule, type Trial } from './trial.ts'

const FRAMES: readonly BarFrame[] = [
  { unit: 'minute', count: 1 },
  { unit: 'minute', count: 15 },
  { unit: 'hour', count: 1 },
  { unit: 'day', count: 1 },
  { unit: 'week', count: 1 },
]
const DAY = 86_400_000_000_000n

/** Columns contain the same bars as records. */
export function columnRules(rule: Rule, trial: Trial): void {
  const { symbol } = trial
  const from = (momentOf(trial, 0) - 2n * DAY) as Instant
  const noon = momentOf(trial, 720)
  // At noon, half a minute later (when a minute may still be revised), and a week later.
  const moments = [noon, (noon + 30_000_000_000n) as Instant, (noon + 7n * DAY) as Instant]

  for (const frame of FRAMES)
    rule(`columns of ${frame.count} ${frame.unit} equal the bars`, async ({ history }) => {
      for (const now of moments)
        for (const sort of ['asc', 'desc'] as const)
          for (const limit of now === noon ? [0, 3, 1500] : [1500]) {
            const query = { symbol, frame, from, to: noon, now, sort, limit }
            const bars = await history.bars(query)
            assert.deepEqual((await history.barColumns(query)).flatMap(barsOfColumns), bars)
            const after = bars.at(bars.length >> 1)?.start
            if (after === undefined) continue
            const rest = await history.barColumns({ ...query, after })
            assert.deepEqual(rest.flatMap(barsOfColumns), await history.bars({ ...query, after }))
          }
    })

  rule('an unknown symbol has columns without rows', async ({ history }) => {
    const query = { symbol: 'NOSUCH' as typeof symbol, frame: FRAMES[0]!, from, to: noon, now: noon }
    assert.equal(rowsIn(await history.barColumns({ ...query, sort: 'asc', limit: 5 })), 0)
  })

  rule('an edition does not change, and is unique to its market', async ({ history }) => {
    const { edition } = history
    assert.equal(history.edition, edition)
    if (edition !== undefined) assert.notEqual((await trial.open()).history.edition, edition)
  })
}
