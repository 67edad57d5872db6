import { estimateOf, percentileOf } from '@quipu/sdk/runs'
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

export type Distribution = {
  readonly min: number
  readonly p5: number
  readonly p25: number
  readonly median: number
  readonly p75: number
  readonly p95: number
  readonly max: number
  readonly mean: number
}

/** What a program did in many markets. Written by --summary as JSON. */
export type SeedsSummary = {
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

const SEEDS_MIN = 10

export function summarize(runs: readonly SeedRun[], commandOf: (seed: string) => string): SeedsSummary {
  const worst = runs.reduce((least, run) => (run.profit_loss < least.profit_loss ? run : least))
  const violations: Record<string, number> = {}
  for (const run of runs)
    for (const [reason, count] of Object.entries(run.violations))
      violations[reason] = (violations[reason] ?? 0) + count
  const profits = runs.map(({ profit_loss: profit }) => profit)
  const { low, high } = estimateOf(profits, meanOf)
  return {
    seeds: runs.length,
    failed: runs.filter(({ exit_code: exit }) => exit !== 0).map(({ seed }) => seed),
    profitable: runs.filter(({ profit_loss: profit }) => profit > 0).length,
    profit_loss: distributionOf(profits),
    mean_between: { low, high },
    is_different_from_zero: runs.length >= SEEDS_MIN && (low > 0 || high < 0),
    max_drawdown: distributionOf(runs.map(({ max_drawdown: fall }) => fall)),
    violations,
    worst: { seed: worst.seed, profit_loss: worst.profit_loss, command: commandOf(worst.seed) },
    runs,
  }
}

/** Percentiles as in NumPy and spreadsheets. */
export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => percentileOf(sorted, share)
  return {
    min: at(0),
    p5: at(0.05),
    p25: at(0.25),
    median: at(0.5),
    p75: at(0.75),
    p95: at(0.95),
    max: at(1),
    mean: meanOf(values),
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
