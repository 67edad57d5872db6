import {
  type BarFrame,
  barStart,
  type DayFrame,
  type Instant,
  instantOfMicros,
  isDayFrame,
  later,
  microsBefore,
  minuteBucket,
  newYork,
  session,
  type Zone,
} from '@quipu/core'
import { minutesOf } from './frames.ts'

/** A time span; the end is exclusive. */
export type BarSpan = { readonly start: Instant; readonly end: Instant }

const MINUTE_NS = 60_000_000_000n
const DAY_NS = 1440n * MINUTE_NS

export const lengthOf = (frame: BarFrame): bigint => BigInt(minutesOf(frame)) * MINUTE_NS

/**
 * The trading time of a bar: the regular session for a stock day, 24 hours for a crypto day. Bars longer than a day
 * and days without a session have none.
 */
export function tradedIn(start: Instant, frame: BarFrame, zone: Zone): BarSpan | undefined {
  if (!isDayFrame(frame) || (frame.unit === 'day' && zone === 'utc'))
    return { start, end: later(start, lengthOf(frame)) }
  const hours = frame.unit === 'day' ? session(newYork(start).date) : undefined
  return hours && { start: hours.open, end: hours.close }
}

/** The time from which a bar is visible: the close for a stock day, otherwise the end of its span. */
export const spanEnd = (start: Instant, frame: BarFrame, zone: Zone): Instant =>
  isDayFrame(frame)
    ? (tradedIn(start, frame, zone)?.end ?? nextStart(start, frame, zone))
    : later(start, lengthOf(frame))

/** The start of the bar after the one that contains an instant. */
export function nextStart(at: Instant, frame: DayFrame, zone: Zone): Instant {
  const start = barStart(frame, at, zone)
  let next = start
  for (let step = lengthOf(frame); next === start; step += DAY_NS)
    next = barStart(frame, later(start, step), zone)
  return next
}

/** The bar of a frame that contains an instant. */
export function bucketOf(at: Instant, frame: BarFrame, zone: Zone): BarSpan {
  if (isDayFrame(frame)) return { start: barStart(frame, at, zone), end: nextStart(at, frame, zone) }
  const { start, end } = minuteBucket(frame, microsBefore(at), zone)
  return { start: instantOfMicros(start), end: instantOfMicros(end) }
}

/** Groups consecutive items by the bar that contains them. */
export function* grouped<Item>(
  items: Iterable<Item>,
  instantOf: (item: Item) => Instant,
  frame: BarFrame,
  zone: Zone,
): Generator<{ readonly items: readonly Item[]; readonly bucket: BarSpan }> {
  let group: Item[] = []
  let bucket: BarSpan | undefined
  for (const item of items) {
    const at = instantOf(item)
    if (!bucket || at < bucket.start || at >= bucket.end) {
      if (bucket) yield { items: group, bucket }
      group = []
      bucket = bucketOf(at, frame, zone)
    }
    group.push(item)
  }
  if (bucket) yield { items: group, bucket }
}
