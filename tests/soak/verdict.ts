import type { Fills, ThreadSample } from './steady.ts'
import type { LoadCounts } from './steady-load.ts'

export type Sample = {
  readonly at: number
  readonly residentMiB: number
  readonly mappedMiB: number
  readonly openFiles: number
  readonly queryTablesLag: number
}

export type Measured = {
  readonly samples: readonly Sample[]
  readonly threads: readonly ThreadSample[]
  readonly fills: Pick<Fills, 'lateMs' | 'doubled' | 'canceled'>
  readonly counts: LoadCounts
  readonly isSound: boolean
}

export type Verdict = {
  readonly isFlat: boolean
  /** Each measure: its first, middle and last value, and its growth in the later half; `!` marks a value over its limit. */
  readonly lines: readonly string[]
}

const MIB = 1024 * 1024

/**
 * Limits of growth per hour. A thread that leaks 8 bytes per request exceeds the first limit at 200,000 requests an hour.
 * The resident set may grow more, because the caches of the query tables fill up and memory fragments.
 */
const LEAK_MAX_MIB = 1.5
const CODE_MAX_MIB = 4
const RESIDENT_GROWTH_MAX_MIB = 24
const LATE_GROWTH_MAX_MS = 25
/** The next segment of the journal, and short connections of this test. */
const FILES_MORE_MAX = 4

export function verdictOf({ samples, threads, fills, counts, isSound }: Measured): Verdict {
  const lines = [
    ...[...Map.groupBy(threads, ({ thread }) => thread)].flatMap(([thread, reports]) => [
      slope(`${thread}: objects`, 'MiB', LEAK_MAX_MIB, groupMinimums(seriesOf(reports, inMiB('heapBytes')))),
      slope(
        `${thread}: compiled code`,
        'MiB',
        CODE_MAX_MIB,
        groupMinimums(seriesOf(reports, inMiB('codeBytes'))),
      ),
      slope(
        `${thread}: outside`,
        'MiB',
        LEAK_MAX_MIB,
        groupMinimums(seriesOf(reports, inMiB('outsideBytes'))),
      ),
    ]),
    slope(
      'resident set',
      'MiB',
      RESIDENT_GROWTH_MAX_MIB,
      seriesOf(samples, ({ residentMiB }) => residentMiB),
    ),
    slope(
      'mapped files in the resident set',
      'MiB',
      RESIDENT_GROWTH_MAX_MIB,
      seriesOf(samples, ({ mappedMiB }) => mappedMiB),
    ),
    slope('lateness of timers', 'ms', LATE_GROWTH_MAX_MS, byMinute(fills.lateMs)),
    files(samples),
    exact(
      'query tables behind at the end',
      samples.at(-1)!.queryTablesLag < 100,
      samples.at(-1)!.queryTablesLag,
    ),
    exact('timers lost', fills.lateMs.length >= counts.filled, counts.filled - fills.lateMs.length),
    exact('timers doubled', fills.doubled() === 0, fills.doubled()),
    exact('cancels not reported', fills.canceled() === counts.canceled, counts.canceled - fills.canceled()),
    exact('unexpected responses', counts.unexpected.length === 0, counts.unexpected.slice(0, 3).join('; ')),
    exact('audit, log and exit are sound', isSound, isSound),
  ]
  return { isFlat: lines.every((line) => !line.startsWith('!')), lines }
}

const inMiB =
  (name: 'heapBytes' | 'codeBytes' | 'outsideBytes') =>
  (sample: ThreadSample): number =>
    sample[name] / MIB

const seriesOf = <T extends { readonly at: number }>(list: readonly T[], read: (item: T) => number): Series =>
  list.map((item) => ({ at: item.at, value: read(item) }))

/** The median of each minute. */
function byMinute(series: Series): Series {
  const minutes = Map.groupBy(series, ({ at }) => Math.floor(at / 60_000))
  return [...minutes].map(([minute, points]) => ({
    at: minute * 60_000,
    value: median(points.map(({ value }) => value)),
  }))
}

const mark = (isGood: boolean): string => (isGood ? ' ' : '!')

function slope(name: string, unit: string, growthMax: number, series: Series): string {
  const later = laterHalf(series)
  const growth = growthPerHour(later)
  const [first, middle, last] = [series[0]!, later[0]!, series.at(-1)!].map(({ value }) => value.toFixed(1))
  return (
    `${mark(growth <= growthMax)} ${name}: ${first}, ${middle}, ${last} ${unit}; ` +
    `${growth.toFixed(2)} ${unit} an hour in the later half, at most ${growthMax}`
  )
}

function files(samples: readonly Sample[]): string {
  const maximum = (points: Series) => Math.max(...points.map(({ value }) => value))
  const series = seriesOf(samples, ({ openFiles }) => openFiles)
  const [first, later] = [maximum(series.slice(0, series.length / 2)), maximum(laterHalf(series))]
  return `${mark(later <= first + FILES_MORE_MAX)} open files, at most: ${first} in the first half, ${later} in the later`
}

const exact = (name: string, isGood: boolean, value: unknown): string => `${mark(isGood)} ${name}: ${value}`

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

/** The smallest sample of each group, without memory that is in use only for a short time. */
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
