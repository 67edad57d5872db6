import type { Frame, Instant } from '@quipu/core'

const MINUTE_NS = 60_000_000_000n
const HOUR_NS = 60n * MINUTE_NS
const DAY_NS = 24n * HOUR_NS

/** No bar of a unit lasts longer: a day has 25 hours when clocks are set back. */
const LONGEST: Readonly<Record<Frame['unit'], bigint>> = {
  minute: MINUTE_NS,
  hour: HOUR_NS,
  day: DAY_NS + HOUR_NS,
  week: 7n * DAY_NS + HOUR_NS,
  month: 31n * DAY_NS + HOUR_NS,
}

/** A minute is told again half a minute after its end at the latest; a source of another kind may take longer. */
const REVISED_NS = 15n * MINUTE_NS

/** Whether bars that begin up to an instant are all over, and so long that nothing revises them. */
export const isSettled = ({ unit, count }: Frame, to: Instant, now: Instant): boolean =>
  to + LONGEST[unit] * BigInt(count) + REVISED_NS <= now
