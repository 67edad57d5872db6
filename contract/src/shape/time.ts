import { type Named, type Shape, shape, wrong } from './shape.ts'

/** An instant in a request. `nanos` counts from 1970 (UTC); a date is its first nanosecond in UTC. */
export type MomentText = { readonly nanos: Instant; readonly date: CivilDate | undefined }

/** The parsed types have the names of the core, so that the server need not parse a second time. */
type Instant = Named<bigint, 'Instant'>
type CivilDate = Named<string, 'CivilDate'>
const instant = (nanos: bigint): Instant => nanos as Instant
const civilDate = (text: string): CivilDate => text as CivilDate

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
// A raw '+' in a query arrives as a space, so a space is accepted before the offset.
const momentPattern =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s?([Zz]|[+\- ]?\d{2}:?\d{2})?$/
const nanosPerMs = 1_000_000n

/** A calendar date as text, `2026-01-31`; returns the same text. */
export const date = (): Shape<string> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string' && dayOf(value) !== undefined
        ? value
        : wrong(problems, path, 'a date such as 2026-01-31', value),
    json: () => ({ type: 'string', format: 'date', examples: ['2026-01-31'] }),
  })

/** A calendar date in a request. The SDK sends a `Date` as its day in New York. */
export const sentDate = (): Shape<string, SentTime> => shape({ parse: date().parse, json: date().json })

/** A day in UTC in a request: a date, or an instant in it. */
export const utcDay = (): Shape<string, SentTime> =>
  shape({
    parse: (value, path, problems) => {
      const read = typeof value === 'string' && value.length <= 40 ? momentOf(value) : undefined
      return read === undefined
        ? wrong(problems, path, 'a date such as 2026-01-31, or a timestamp with an offset', value)
        : new Date(Number(read.nanos / nanosPerMs)).toISOString().slice(0, 10)
    },
    json: moment().json,
  })

/** A date, or the date in the text of a timestamp, whatever its offset. */
export const dateOrTimestamp = (): Shape<CivilDate, SentTime> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string' && value.length <= 40 && momentOf(value) !== undefined
        ? civilDate(value.slice(0, 10))
        : wrong(problems, path, 'a date such as 2026-01-31, or a timestamp', value),
    json: () => ({ type: 'string', format: 'date', examples: ['2026-01-31'] }),
  })

/** An instant in a response: RFC 3339 with an offset. */
export const timestamp = (): Shape<string> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string' && value.length > 10 && momentOf(value) !== undefined
        ? value
        : wrong(problems, path, 'an RFC 3339 timestamp', value),
    json: () => ({ type: 'string', format: 'date-time', examples: ['2026-11-02T15:10:15.101202303Z'] }),
  })

/** A time as clients send it: text, or a `Date`, which the SDK sends as text. */
export type SentTime = string | Date

/** An instant in a request: RFC 3339 with an offset, or a date. */
export const moment = (): Shape<MomentText, SentTime> =>
  shape({
    parse: (value, path, problems) => {
      const read = typeof value === 'string' && value.length <= 40 ? momentOf(value) : undefined
      return read ?? wrong(problems, path, 'an RFC 3339 timestamp with an offset, or a date', value)
    },
    json: () => ({
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
      examples: ['2026-01-31T14:30:00Z'],
    }),
  })

/** Milliseconds of a date's midnight in UTC; undefined for a date that does not exist. */
function dayOf(text: string): number | undefined {
  const match = datePattern.exec(text)
  if (match === null) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const ms = Date.UTC(year, month - 1, day)
  const back = new Date(ms)
  const same = back.getUTCFullYear() === year && back.getUTCMonth() === month - 1 && back.getUTCDate() === day
  return same ? ms : undefined
}

export function momentOf(text: string): MomentText | undefined {
  if (text.length === 10) {
    const day = dayOf(text)
    if (day === undefined) return undefined
    return { nanos: instant(BigInt(day) * nanosPerMs), date: civilDate(text) }
  }
  const match = momentPattern.exec(text)
  if (match === null) return undefined
  const [, day = '', hours, minutes, seconds = '0', fraction = '', zone] = match
  const midnight = dayOf(day)
  const offset = offsetOf(zone)
  const clock = [Number(hours), Number(minutes), Number(seconds)] as const
  if (midnight === undefined || offset === undefined || clock[0] > 23 || clock[1] > 59 || clock[2] > 59) {
    return undefined
  }
  const ms = midnight + ((clock[0] * 60 + clock[1] - offset) * 60 + clock[2]) * 1000
  return { nanos: instant(BigInt(ms) * nanosPerMs + BigInt(fraction.padEnd(9, '0'))), date: undefined }
}

/** Minutes east of UTC; undefined without an offset, because a local time is not an instant. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined
  if (zone === 'Z' || zone === 'z') return 0
  const digits = zone.replace(/[^0-9]/g, '')
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (hours > 23 || minutes > 59) return undefined
  const east = hours * 60 + minutes
  return zone.startsWith('-') ? -east : east
}

const durationPattern = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|ms|s|m|h|d))+$/
const durationPart = /(\d+)(?:\.(\d+))?(ns|us|ms|s|m|h|d)/g
const SECOND_NANOS = 1_000_000_000n
const nanosPer: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['ms', 1_000_000n],
  ['s', SECOND_NANOS],
  ['m', 60n * SECOND_NANOS],
  ['h', 3_600n * SECOND_NANOS],
  ['d', 86_400n * SECOND_NANOS],
])

/** A duration such as `250ms`, `90s` or `1h30m`; returns nanoseconds. */
export const duration = (): Shape<bigint, string> =>
  shape({
    parse: (value, path, problems) =>
      (typeof value === 'string' ? durationOf(value) : undefined) ??
      wrong(problems, path, 'a duration such as 250ms, 90s or 1h30m', value),
    json: () => ({ title: 'duration', type: 'string', pattern: durationPattern.source, examples: ['1h30m'] }),
  })

/** The nanoseconds of a duration; undefined for other texts. */
export const durationOf = (text: string): bigint | undefined =>
  text.length <= 80 && durationPattern.test(text) ? nanosOf(text) : undefined

function nanosOf(text: string): bigint {
  let nanos = 0n
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(durationPart)) {
    const size = nanosPer.get(unit) ?? 0n
    nanos += BigInt(whole) * size + (BigInt(fraction.padEnd(9, '0')) * size) / SECOND_NANOS
  }
  return nanos
}
