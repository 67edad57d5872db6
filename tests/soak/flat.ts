/** A measure over time, in milliseconds. */
export type Series = readonly { readonly at: number; readonly value: number }[]

const HOUR_MS = 3_600_000

/** The later half, by time: what a process needs to warm up lies before it. */
export function laterHalf(series: Series): Series {
  const middle = (series[0]!.at + series.at(-1)!.at) / 2
  return series.filter(({ at }) => at >= middle)
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}

const TOGETHER = 8

/** The least of every few in a row: what comes and goes between two looks is not what is kept. */
export function floors(series: Series): Series {
  const groups = Map.groupBy(series.keys(), (index) => Math.floor(index / TOGETHER))
  return [...groups.values()].map((indices) => ({
    at: series[indices[0]!]!.at,
    value: Math.min(...indices.map((index) => series[index]!.value)),
  }))
}

/** By how much it grows in an hour: the median of the slopes between any two points, which no single outlier moves. */
export function growthPerHour(series: Series): number {
  const slopes = series.flatMap((left, index) =>
    series.slice(index + 1).map((right) => (right.value - left.value) / (right.at - left.at)),
  )
  return median(slopes) * HOUR_MS
}
