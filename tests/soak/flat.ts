/** A measure over time, in milliseconds. */
export type Series = readonly { readonly at: number; readonly value: number }[]

const HOUR_MS = 3_600_000

/** The later half by time, after the warm-up of a process. */
export function laterHalf(series: Series): Series {
  const middle = (series[0]!.at + series.at(-1)!.at) / 2
  return series.filter(({ at }) => at >= middle)
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}

const GROUP_SIZE = 8

/** The minimum of each group of samples, which removes memory that is in use only for a short time. */
export function groupMinimums(series: Series): Series {
  const groups = Map.groupBy(series.keys(), (index) => Math.floor(index / GROUP_SIZE))
  return [...groups.values()].map((indices) => ({
    at: series[indices[0]!]!.at,
    value: Math.min(...indices.map((index) => series[index]!.value)),
  }))
}

/** Growth per hour: the median of the slopes between any two points, which an outlier does not change. */
export function growthPerHour(series: Series): number {
  const slopes = series.flatMap((left, index) =>
    series.slice(index + 1).map((right) => (right.value - left.value) / (right.at - left.at)),
  )
  return median(slopes) * HOUR_MS
}
