import {
  barStart,
  type DayFrame,
  type Frame,
  type Instant,
  instantOfMicros,
  isDayFrame,
  microsBefore,
  minuteBucket,
  newYork,
  session,
  type Zone,
} from '@quipu/core'
import { minutesOf } from './frames.ts'

/** From one instant up to another, which is excluded. */
export type Span = { readonly start: Instant; readonly end: Instant }

const MINUTE_NS = 60_000_000_000n
const DAY_NS = 1440n * MINUTE_NS

export const lengthOf = (frame: Frame): bigint => BigInt(minutesOf(frame)) * MINUTE_NS

/**
 * When a bar was traded: a day of stocks in its regular session, one of coins around the clock. What is longer than a
 * day has no such span, and neither has a day without a session.
 */
export function tradedIn(start: Instant, frame: Frame, zone: Zone): Span | undefined {
  if (!isDayFrame(frame) || (frame.unit === 'day' && zone === 'utc'))
    return { start, end: (start + lengthOf(frame)) as Instant }
  const hours = frame.unit === 'day' ? session(newYork(start).date) : undefined
  return hours && { start: hours.open, end: hours.close }
}

/** When a bar is over, and so may be seen: a day of stocks at its close, all else at the end of its span. */
export const endOf = (start: Instant, frame: Frame, zone: Zone): Instant =>
  isDayFrame(frame)
    ? (tradedIn(start, frame, zone)?.end ?? nextStart(start, frame, zone))
    : ((start + lengthOf(frame)) as Instant)

/** Where the bar after the one begins in which an instant lies. */
export function nextStart(at: Instant, frame: DayFrame, zone: Zone): Instant {
  const start = barStart(frame, at, zone)
  let next = start
  for (let step = lengthOf(frame); next === start; step += DAY_NS)
    next = barStart(frame, (start + step) as Instant, zone)
  return next
}

/** The bar of a frame in which an instant lies. */
export function bucketOf(at: Instant, frame: Frame, zone: Zone): Span {
  if (isDayFrame(frame)) return { start: barStart(frame, at, zone), end: nextStart(at, frame, zone) }
  const { start, end } = minuteBucket(frame, microsBefore(at), zone)
  return { start: instantOfMicros(start), end: instantOfMicros(end) }
}

/** Neighbours that lie in one bar of a frame, in the order in which they come. */
export function* grouped<Item>(
  items: Iterable<Item>,
  instantOf: (item: Item) => Instant,
  frame: Frame,
  zone: Zone,
): Generator<{ readonly items: readonly Item[]; readonly bucket: Span }> {
  let group: Item[] = []
  let bucket: Span | undefined
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
