export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

/** The standard deviation of a sample. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / (values.length - 1))
}

/** Percentiles of sorted values lie between two neighbours, in proportion to the distance, as in NumPy and spreadsheets. */
export function percentileOf(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0]
  // Between infinite values there is no distance.
  return below === above ? below : below + (above - below) * (position % 1)
}

export const sortedOf = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

/** Of an even number of values, the mean of the two in the middle. */
export const medianOf = (values: readonly number[]): number => percentileOf(sortedOf(values), 0.5)
