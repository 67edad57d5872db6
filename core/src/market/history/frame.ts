import { dayOfParts, partsOfDay } from '../../civil-date.ts'
import { fail, ok, type Result } from '../../result.ts'
import { mondayOf, monthsOf } from '../calendar.ts'
import { MINUTE_MICROS } from './micros.ts'
import { dayIn, midnightIn, minuteIn, type Zone } from './zone.ts'

/** The time frame of a bar. */
export type BarFrame =
  | { readonly unit: 'minute'; readonly count: number }
  | { readonly unit: 'hour'; readonly count: number }
  | { readonly unit: 'day'; readonly count: 1 }
  | { readonly unit: 'week'; readonly count: 1 }
  | { readonly unit: 'month'; readonly count: number }

/** Frames built from minutes, and frames built from trading days. */
export type MinuteFrame = Extract<BarFrame, { unit: 'minute' | 'hour' }>
export type DayFrame = Extract<BarFrame, { unit: 'day' | 'week' | 'month' }>

const GRAMMAR: readonly (readonly [RegExp, BarFrame['unit']])[] = [
  [/^([1-9]|[1-5][0-9])(?:Min|T)$/, 'minute'],
  [/^([1-9]|1[0-9]|2[0-3])(?:Hour|H)$/, 'hour'],
  [/^(1)(?:Day|D)$/, 'day'],
  [/^(1)(?:Week|W)$/, 'week'],
  [/^(1|2|3|4|6|12)(?:Month|M)$/, 'month'],
]

/** `5Min`, `1Hour`, `1Day`, `1Week`, `3Month` and their short forms `5T 1H 1D 1W 3M`; case matters. */
export function parseFrame(text: string): Result<BarFrame, 'notAFrame'> {
  for (const [pattern, unit] of GRAMMAR) {
    const match = pattern.exec(text)
    if (match) return ok({ unit, count: Number(match[1]) } as BarFrame)
  }
  return fail('notAFrame')
}

export const isDayFrame = (frame: BarFrame): frame is DayFrame =>
  frame.unit !== 'minute' && frame.unit !== 'hour'

/** `end` is exclusive. */
export type Bucket = { readonly start: number; readonly end: number }

/**
 * The bar that contains a microsecond. Minutes and single hours are counted from 1970, longer frames from midnight: their
 * last bar of a date may be shorter, and one is an hour longer when daylight saving time ends in New York.
 */
export function minuteBucket(frame: MinuteFrame, at: number, zone: Zone): Bucket {
  if (frame.unit === 'minute' || frame.count === 1) {
    const length = frame.count * (frame.unit === 'minute' ? MINUTE_MICROS : 60 * MINUTE_MICROS)
    const start = Math.floor(at / length) * length
    return { start, end: start + length }
  }
  const day = dayIn(zone, at)
  const edge = (hour: number): number =>
    hour >= 24 ? midnightIn(zone, day + 1) : minuteIn(zone, day, hour * 60)
  let hour = 0
  while (hour < 24 && edge(hour + frame.count) <= at) hour += frame.count
  return { start: edge(hour), end: edge(hour + frame.count) }
}

/** The bar that contains a day (since 1970-01-01): weeks start on Monday, months in blocks from January. */
export function dayBucket(frame: DayFrame, day: number): Bucket {
  if (frame.unit === 'day') return { start: day, end: day + 1 }
  if (frame.unit === 'week') return { start: mondayOf(day), end: mondayOf(day) + 7 }
  const start = monthsOf(day, frame.count)
  const { year, month } = partsOfDay(start)
  const next = month + frame.count
  return { start, end: next > 12 ? dayOfParts(year + 1, 1, 1) : dayOfParts(year, next, 1) }
}
