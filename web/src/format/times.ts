/** Times of the market are shown in New York time, whatever the machine's time zone is. */
const parts = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

type Instant = string | number | Date

const dateOf = (instant: Instant): Date => (instant instanceof Date ? instant : new Date(instant))

function fieldsOf(instant: Instant): Record<string, string> {
  return Object.fromEntries(parts.formatToParts(dateOf(instant)).map(({ type, value }) => [type, value]))
}

/** `10:31` */
export const minuteText = (instant: Instant): string => {
  const { hour, minute } = fieldsOf(instant)
  return `${hour}:${minute}`
}

/** `10:31:30` */
export const secondText = (instant: Instant): string => {
  const { hour, minute, second } = fieldsOf(instant)
  return `${hour}:${minute}:${second}`
}

/** `10:31:30.225` */
export const milliText = (instant: Instant): string =>
  `${secondText(instant)}.${String(dateOf(instant).getUTCMilliseconds()).padStart(3, '0')}`

/** `5 Jan` */
export const dayText = (instant: Instant): string => {
  const { day, month } = fieldsOf(instant)
  return `${day} ${month}`
}

/** `Mon 5 Jan 2026` */
export const longDayText = (instant: Instant): string => {
  const { weekday, day, month, year } = fieldsOf(instant)
  return `${weekday} ${day} ${month} ${year}`
}

const days = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' })

/** The day in New York as `2026-01-05`. */
export const dayKey = (instant: Instant): string => days.format(dateOf(instant))

/** The instant of a time on a day in New York, such as `2026-01-05` and `09:30`. */
export function newYorkMs(day: string, time: string): number {
  const winter = Date.parse(`${day}T${time}:00-05:00`)
  return minuteText(winter) === time ? winter : winter - 3_600_000
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
