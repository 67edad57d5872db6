import { type Distribution, type SeedStatistics, seedStatistics } from '@quipu/sdk/runs'
import type { RunSummary } from '../report/measure.ts'

/** A run of the program in the market of one seed. */
export type SeedRun = {
  readonly seed: string
  readonly exit_code: number
  readonly profit_loss: number
  readonly max_drawdown: number
  readonly orders: number
  readonly fills: number
  /** Refused requests and rejected orders, by their reason. A lookup that finds nothing is not one. */
  readonly violations: Readonly<Record<string, number>>
}

export type SeedFigures = {
  readonly seeds: number
  /** Programs that ended with an exit code other than 0, or that sent no request. */
  readonly failed: readonly string[]
  /** Seeds with a profit. */
  readonly profitable: number
  readonly profit_loss: Distribution
  /** The interval that has the mean profit or loss of all possible seeds with a probability of 95 %. */
  readonly mean_between: { readonly low: number; readonly high: number }
  /** Whether 0 is outside of the interval. Fewer than ten seeds do not say. */
  readonly is_different_from_zero: boolean
  readonly max_drawdown: Distribution
}

/** What a program did in many markets. Written by --summary as JSON. */
export type SeedsSummary = SeedFigures & {
  /** All violations by their reason. */
  readonly violations: Readonly<Record<string, number>>
  /** The seed with the largest loss, and how to run it again. */
  readonly worst: { readonly seed: string; readonly profit_loss: number; readonly command: string }
  readonly runs: readonly SeedRun[]
}

export function seedRunOf(seed: string, summary: RunSummary): SeedRun {
  const { orders, fills, refusals } = summary
  const rejected = orders['rejected'] ?? 0
  const violations: Record<string, number> = rejected > 0 ? { 'order rejected': rejected } : {}
  for (const { method, status, message, count } of refusals) {
    // A bot that looks up an order or a position which it does not have breaks no rule.
    if (method === 'GET' && status === 404) continue
    const reason = `${status} ${message}`
    violations[reason] = (violations[reason] ?? 0) + count
  }
  return {
    seed,
    exit_code: summary.exit_code,
    profit_loss: summary.profit_loss,
    max_drawdown: summary.max_drawdown,
    orders: Object.values(orders).reduce((sum, count) => sum + count, 0),
    fills: fills.length,
    violations,
  }
}

/** A program that sent no request has traded nothing, and has failed. */
export const silentRun = (seed: string, exitCode: number): SeedRun => ({
  seed,
  exit_code: exitCode,
  profit_loss: 0,
  max_drawdown: 0,
  orders: 0,
  fills: 0,
  violations: {},
})

export function summarize(runs: readonly SeedRun[], commandOf: (seed: string) => string): SeedsSummary {
  const { worst, ...statistics } = seedStatistics(runs)
  const violations: Record<string, number> = {}
  for (const run of runs)
    for (const [reason, count] of Object.entries(run.violations))
      violations[reason] = (violations[reason] ?? 0) + count
  return {
    ...figuresOf(statistics),
    violations,
    worst: { seed: worst.seed, profit_loss: worst.profit_loss, command: commandOf(worst.seed) },
    runs,
  }
}

/** The figures of many seeds, with the names that the JSON has. */
export const figuresOf = (statistics: Omit<SeedStatistics, 'worst'>): SeedFigures => ({
  seeds: statistics.seeds,
  failed: statistics.failed,
  profitable: statistics.profitable,
  profit_loss: statistics.profitLoss,
  mean_between: statistics.meanBetween,
  is_different_from_zero: statistics.isDifferentFromZero,
  max_drawdown: statistics.maxDrawdown,
})
