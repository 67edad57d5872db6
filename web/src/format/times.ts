/** Times of the market are shown in New York time, whatever the machine's time zone is. */
const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
})

type Instant = string | number | Date

const dateOf = (instant: Instant): Date => (instant instanceof Date ? instant : new Date(instant))

const HOUR_MS = 3_600_000
const HOURS_MAX = 10_000
/** How far New York is from UTC, by the hour. It changes at full hours, and a long list has thousands of times of few hours. */
const offsets = new Map<number, number>()

function offsetMs(atMs: number): number {
  const hour = Math.floor(atMs / HOUR_MS)
  const known = offsets.get(hour)
  if (known !== undefined) return known
  const startMs = hour * HOUR_MS
  const of = Object.fromEntries(
    newYork.formatToParts(startMs).map(({ type, value }) => [type, Number(value)]),
  )
  const localMs = Date.UTC(of['year']!, of['month']! - 1, of['day'], of['hour'], of['minute'], of['second'])
  if (offsets.size >= HOURS_MAX) offsets.clear()
  offsets.set(hour, localMs - startMs)
  return localMs - startMs
}

/** A date whose UTC fields are those of New York. */
function localDate(instant: Instant): Date {
  const atMs = dateOf(instant).getTime()
  return new Date(atMs + offsetMs(atMs))
}

/** `10:31` */
export const minuteText = (instant: Instant): string => localDate(instant).toISOString().slice(11, 16)

/** `10:31:30` */
export const secondText = (instant: Instant): string => localDate(instant).toISOString().slice(11, 19)

/** `10:31:30.225` */
export const milliText = (instant: Instant): string => localDate(instant).toISOString().slice(11, 23)

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `5 Jan` */
export const dayText = (instant: Instant): string => {
  const date = localDate(instant)
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]}`
}

/** All texts of a time in a list, `10:31:30.225` and `5 Jan 10:31`, at the cost of one. */
export function timeWords(instant: Instant): string {
  const date = localDate(instant)
  const text = date.toISOString()
  return `${text.slice(11, 23)}\n${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${text.slice(11, 16)}`
}

/** `Mon 5 Jan 2026` */
export const longDayText = (instant: Instant): string => {
  const date = localDate(instant)
  return `${dayNames[date.getUTCDay()]} ${dayText(instant)} ${date.getUTCFullYear()}`
}

/** The day in New York as `2026-01-05`. */
export const dayKey = (instant: Instant): string => localDate(instant).toISOString().slice(0, 10)

/** The instant of a time on a day in New York, such as `2026-01-05` and `09:30`. */
export function newYorkMs(day: string, time: string): number {
  const winter = Date.parse(`${day}T${time}:00-05:00`)
  return minuteText(winter) === time ? winter : winter - HOUR_MS
}

/** When a gap is seen: at the open of the day, and for a coin at midnight in UTC. */
export const gapMs = (day: string, symbol = ''): number =>
  symbol.includes('/') ? Date.parse(`${day}T00:00:00Z`) : newYorkMs(day, '09:30')

/** `10:31:30` on the day of `now`, otherwise `5 Jan 10:31`. */
export const nearText = (instant: Instant, now: Instant): string =>
  dayKey(instant) === dayKey(now) ? secondText(instant) : `${dayText(instant)} ${minuteText(instant)}`

/** `43 min 25 s`, `3 h 47 min`, `2 d 3 h`: the two largest units. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.floor(ms / 1000)
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** Machine time in UTC, for the request log: `14:31:30.225`. */
export const utcText = (instant: Instant): string => dateOf(instant).toISOString().slice(11, 23)
