import type { Fills } from './fills.ts'
import { floors, growthPerHour, laterHalf, median, type Series } from './flat.ts'
import type { Told } from './probe.ts'
import type { Asked } from './steady-load.ts'

export type Sample = {
  readonly at: number
  readonly residentMiB: number
  readonly mappedMiB: number
  readonly openFiles: number
  readonly viewsLag: number
}

export type Measured = {
  readonly samples: readonly Sample[]
  readonly threads: readonly Told[]
  readonly fills: Pick<Fills, 'lateMs' | 'doubled' | 'canceled'>
  readonly asked: Asked
  readonly isSound: boolean
}

export type Verdict = {
  readonly isFlat: boolean
  /** Each measure: at the end of its first half, at the end, and how it moved in the later half; a `!` is over its bound. */
  readonly lines: readonly string[]
}

const MIB = 1024 * 1024

/**
 * What flat means. A thread that keeps 8 bytes of each request is over the first bound at this load's 200,000 requests an
 * hour; a resident set may still fill the views' caches and break up, by far less than a history in memory would need.
 */
const KEPT_MAX_MIB = 1.5
const CODE_MAX_MIB = 4
const RESIDENT_GROWTH_MAX_MIB = 24
const LATE_GROWTH_MAX_MS = 25
/** The journal's next segment, and connections of this test that come and go. */
const FILES_MORE_MAX = 4

export function verdictOf({ samples, threads, fills, asked, isSound }: Measured): Verdict {
  const lines = [
    ...[...Map.groupBy(threads, ({ thread }) => thread)].flatMap(([thread, told]) => [
      slope(`${thread}: objects`, 'MiB', KEPT_MAX_MIB, floors(seriesOf(told, inMiB('heapBytes')))),
      slope(`${thread}: compiled code`, 'MiB', CODE_MAX_MIB, floors(seriesOf(told, inMiB('codeBytes')))),
      slope(`${thread}: outside`, 'MiB', KEPT_MAX_MIB, floors(seriesOf(told, inMiB('outsideBytes')))),
    ]),
    slope(
      'resident set',
      'MiB',
      RESIDENT_GROWTH_MAX_MIB,
      seriesOf(samples, ({ residentMiB }) => residentMiB),
    ),
    slope(
      'of it mapped files',
      'MiB',
      RESIDENT_GROWTH_MAX_MIB,
      seriesOf(samples, ({ mappedMiB }) => mappedMiB),
    ),
    slope('lateness of timers', 'ms', LATE_GROWTH_MAX_MS, byMinute(fills.lateMs)),
    files(samples),
    exact('views behind at the end', samples.at(-1)!.viewsLag < 100, samples.at(-1)!.viewsLag),
    exact('timers lost', fills.lateMs.length >= asked.filled, asked.filled - fills.lateMs.length),
    exact('timers doubled', fills.doubled() === 0, fills.doubled()),
    exact('cancels not told', fills.canceled() === asked.canceled, asked.canceled - fills.canceled()),
    exact('unexpected answers', asked.unexpected.length === 0, asked.unexpected.slice(0, 3).join('; ')),
    exact('audit, log and exit are sound', isSound, isSound),
  ]
  return { isFlat: lines.every((line) => !line.startsWith('!')), lines }
}

const inMiB =
  (name: 'heapBytes' | 'codeBytes' | 'outsideBytes') =>
  (told: Told): number =>
    told[name] / MIB

const seriesOf = <T extends { readonly at: number }>(list: readonly T[], of: (one: T) => number): Series =>
  list.map((one) => ({ at: one.at, value: of(one) }))

/** The median of each minute. */
function byMinute(series: Series): Series {
  const minutes = Map.groupBy(series, ({ at }) => Math.floor(at / 60_000))
  return [...minutes].map(([minute, of]) => ({
    at: minute * 60_000,
    value: median(of.map(({ value }) => value)),
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
  const most = (of: Series) => Math.max(...of.map(({ value }) => value))
  const series = seriesOf(samples, ({ openFiles }) => openFiles)
  const [first, later] = [most(series.slice(0, series.length / 2)), most(laterHalf(series))]
  return `${mark(later <= first + FILES_MORE_MAX)} open files, at most: ${first} in the first half, ${later} in the later`
}

const exact = (name: string, isGood: boolean, value: unknown): string => `${mark(isGood)} ${name}: ${value}`
