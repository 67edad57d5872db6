import { type Estimate, estimateOf } from './bootstrap.ts'
import { meanOf, percentileOf, sortedOf } from './numbers.ts'
import type { Run } from './run-file.ts'

/** The result of a program in the market of one seed. */
export type SeedResult = Pick<Run, 'seed' | 'exit_code' | 'profit_loss' | 'max_drawdown'>

/** Percentiles as in NumPy and spreadsheets. */
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

/** Figures of the runs of one command with several seeds. */
export type SeedStatistics<Of extends SeedResult = SeedResult> = {
  readonly seeds: number
  /** Seeds whose program ended with an exit code other than 0. */
  readonly failed: readonly string[]
  /** Seeds with a profit. */
  readonly profitable: number
  readonly profitLoss: Distribution
  /** The interval that has the mean profit or loss of all possible seeds with a probability of 95 %. */
  readonly meanBetween: Pick<Estimate, 'low' | 'high'>
  /** Whether 0 is outside of the interval. Fewer than ten seeds do not say. */
  readonly isDifferentFromZero: boolean
  readonly maxDrawdown: Distribution
  /** The run with the largest loss; of equal ones that of the first seed. */
  readonly worst: Of
}

const SEEDS_MIN = 10
const seedOrder = new Intl.Collator('en', { numeric: true })

/** Figures of at least one run. The order of the runs changes nothing. */
export function seedStatistics<Of extends SeedResult>(runs: readonly Of[]): SeedStatistics<Of> {
  const bySeed = runs.toSorted((a, b) => seedOrder.compare(a.seed, b.seed))
  const profits = sortedOf(runs.map(({ profit_loss: profit }) => profit))
  const { low, high } = estimateOf(profits, meanOf)
  return {
    seeds: runs.length,
    failed: bySeed.filter(({ exit_code: exit }) => exit !== 0).map(({ seed }) => seed),
    profitable: profits.filter((profit) => profit > 0).length,
    profitLoss: distributionOf(profits),
    meanBetween: { low, high },
    isDifferentFromZero: runs.length >= SEEDS_MIN && (low > 0 || high < 0),
    maxDrawdown: distributionOf(runs.map(({ max_drawdown: fall }) => fall)),
    worst: bySeed.reduce((least, run) => (run.profit_loss < least.profit_loss ? run : least)),
  }
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = sortedOf(values)
  const at = (share: number): number => percentileOf(sorted, share)
  return {
    min: at(0),
    p5: at(0.05),
    p25: at(0.25),
    median: at(0.5),
    p75: at(0.75),
    p95: at(0.95),
    max: at(1),
    mean: meanOf(sorted),
  }
}

/** What the interval of the mean says, in a sentence. */
export function zeroSentence({
  seeds,
  isDifferentFromZero,
}: Pick<SeedStatistics, 'seeds' | 'isDifferentFromZero'>): string {
  if (seeds < SEEDS_MIN)
    return `The result is not shown to be different from zero: that needs at least ${SEEDS_MIN} seeds.`
  return isDifferentFromZero
    ? 'The result is different from zero: the 95 % interval of the mean does not contain zero.'
    : 'The result is not different from zero: the 95 % interval of the mean contains zero.'
}

/** Numbers of values in ranges of equal width, from the lowest value to the highest. Equal values are one range. */
export type Histogram = { readonly low: number; readonly high: number; readonly counts: readonly number[] }

const RANGES = 20

export function histogramOf(values: readonly number[]): Histogram {
  const sorted = sortedOf(values)
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)]
  if (low === high) return { low, high, counts: [values.length] }
  const counts = new Array<number>(RANGES).fill(0)
  for (const value of values)
    counts[Math.min(RANGES - 1, Math.floor(((value - low) / (high - low)) * RANGES))]! += 1
  return { low, high, counts }
}
