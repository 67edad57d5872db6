import { medianOf } from './numbers.ts'
import type { Run, RunEquity } from './run-file.ts'

/** A fall from the highest value so far, as a fraction: 0 or less. */
export type Fall = { readonly at: string; readonly fall: number }

export function drawdownOf(points: readonly { readonly at: string; readonly equity: number }[]): Fall[] {
  let peak = Number.NEGATIVE_INFINITY
  return points.map(({ at, equity }) => {
    peak = Math.max(peak, equity)
    return { at, fall: peak > 0 ? equity / peak - 1 : 0 }
  })
}

/** The curve of buy-and-hold of the traded symbols, or of SPY, where it is known. */
export const holdOf = (
  points: readonly RunEquity[],
  of: 'hold' | 'spy' = 'hold',
): { readonly at: string; readonly equity: number }[] =>
  points.flatMap(({ at, [of]: equity }) => (equity === undefined ? [] : [{ at, equity }]))

const words: Readonly<Record<Run['verdict'], string>> = {
  passed: 'Passed',
  failed: 'Failed',
  warning: 'Passed with a warning',
  stopped: 'Stopped',
  running: 'Running',
}

export const verdictWord = ({ verdict }: Pick<Run, 'verdict'>): string => words[verdict]

/** Runs of one command with several seeds. */
export type RunGroup<Of extends Run = Run> = {
  readonly runs: readonly Of[]
  readonly passed: number
  /** Median of the runs. */
  readonly profitLoss: number
  readonly maxDrawdown: number
  readonly sharpe: number | undefined
}

export function groupOf<Of extends Run>(runs: readonly Of[]): RunGroup<Of> {
  const sharpes = runs.flatMap(({ sharpe }) => sharpe ?? [])
  return {
    runs,
    passed: runs.filter(({ verdict }) => verdict === 'passed' || verdict === 'warning').length,
    profitLoss: medianOf(runs.map(({ profit_loss: profit }) => profit)),
    maxDrawdown: medianOf(runs.map(({ max_drawdown: fall }) => fall)),
    sharpe: sharpes.length === 0 ? undefined : medianOf(sharpes),
  }
}
