import type { BarFrame, Instant } from '@quipu/core'

const MINUTE_NS = 60_000_000_000n
const HOUR_NS = 60n * MINUTE_NS
const DAY_NS = 24n * HOUR_NS

/** The longest duration of a bar: a day has 25 hours when daylight saving time ends. */
const LONGEST: Readonly<Record<BarFrame['unit'], bigint>> = {
  minute: MINUTE_NS,
  hour: HOUR_NS,
  day: DAY_NS + HOUR_NS,
  week: 7n * DAY_NS + HOUR_NS,
  month: 31n * DAY_NS + HOUR_NS,
}

/** A generated minute is revised within 30 seconds after its end; other sources may take longer. */
const REVISED_NS = 15n * MINUTE_NS

/** Whether all bars that start up to an instant are final. */
export const isSettled = ({ unit, count }: BarFrame, to: Instant, now: Instant): boolean =>
  to + LONGEST[unit] * BigInt(count) + REVISED_NS <= now
