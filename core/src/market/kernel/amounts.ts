import type { Hours } from '../../world.ts'
import { isEarlyClose } from '../calendar.ts'
import { MINUTE_MICROS } from '../history/micros.ts'
import { exponential } from './factors/exponential.ts'
import { lineAt } from './factors/factor.ts'
import { isWeekend, type Path } from './factors/path.ts'
import { clamp } from './node.ts'
import type { Profile } from './profile.ts'
import { mix, normal, uniform } from './random.ts'
import { endLevel, indexOf } from './segment-levels.ts'
import { isPriced, type Segment, type SegmentKind } from './segments.ts'

/** Trades and volume of a segment; auctions are part of the volume. */
export type Amount = {
  readonly trades: number
  readonly volume: number
  /** Shares of the opening and closing auctions. */
  readonly first: number
  readonly last: number
}

/** Volume relative to the regular session, on tapes with a night break. */
const VOLUMES: Record<SegmentKind, number> = {
  early: 0.004,
  pre: 0.02,
  regular: 1,
  post: 0.03,
  late: 0.004,
  closed: 0.012,
  round: 1,
}
/** Volume of a shortened session relative to a full one. */
const HALF_DAY = 0.55
/** Trades outside the regular session are smaller. */
const SMALLER = 0.5
const SESSION_MINUTES = 390
/** A closed date is as busy as an average day. */
const CLOSED_MOVE = 1.1
/** Crypto trades less at weekends. */
const WEEKEND = 0.6
/** The auctions' shares of a session's volume, each varied by a fraction. */
const OPENING = { part: 0.015, more: 0.3 }
const CLOSING = { part: 0.065, more: 0.2 }
/** Minimum average trade size. */
const SIZE_MIN = 20
/** Bounds within which a leveraged fund keeps its traded value constant. */
const RATIO_MAX = 10_000

const ACTIVITY = 5
const SLOW = 14

type Keys = { readonly own: number; readonly market: number }

/** Returns trades and volume of each segment of a symbol. */
export function makeAmounts(
  profile: Profile,
  path: Path,
  keys: Keys,
  hours: Hours,
): (segment: Segment) => Amount {
  let latest: Day | undefined
  return (segment) => {
    // Segments of one day are requested in sequence, so the day's values are kept.
    if (latest?.day !== segment.day) latest = dayOf(segment, profile, path, keys)
    return amountOf(segment, latest, hours)
  }
}

/** Values common to all segments of a date. */
type Day = {
  readonly day: number
  readonly dayKey: number
  readonly activity: number
  /** Volume and trades of an average session. */
  readonly volume: number
  readonly trades: number
}

function dayOf(segment: Segment, profile: Profile, path: Path, keys: Keys): Day {
  const { day } = segment
  const dayKey = mix(mix(keys.own, ACTIVITY), day)
  return {
    day,
    dayKey,
    activity: activityOf(segment, path, keys, dayKey),
    ...averagesOf(profile, path, segment),
  }
}

function amountOf(segment: Segment, day: Day, hours: Hours): Amount {
  const { kind, index } = segment
  const { dayKey } = day
  const activity = partOf(segment, hours) * day.activity
  const size = (day.volume / day.trades) * (isPriced(kind) ? 1 : SMALLER)
  const expected = (day.volume * activity * (0.9 + 0.2 * uniform(dayKey, 10 + index))) / size
  const trades = Math.floor(expected + uniform(dayKey, 20 + index))
  if (trades === 0) return NOTHING
  const volume = Math.max(trades, Math.round(day.volume * activity))
  if (kind !== 'regular') return { trades, volume, first: 0, last: 0 }
  const share = ({ part, more }: typeof OPENING, draw: number): number =>
    Math.floor((volume - trades) * part * (1 + more * (2 * uniform(dayKey, draw) - 1)))
  return { trades, volume, first: share(OPENING, 30), last: share(CLOSING, 31) }
}
const NOTHING: Amount = { trades: 0, volume: 0, first: 0, last: 0 }

/** Volume of a segment relative to a session, before the day's activity factor. */
function partOf({ kind, day, from, to }: Segment, hours: Hours): number {
  if (kind === 'round') return isWeekend(day) ? WEEKEND : 1
  if (kind === 'regular') return isEarlyClose(day) ? HALF_DAY : 1
  return hours === 'always' ? (SMALLER * (to - from)) / MINUTE_MICROS / SESSION_MINUTES : VOLUMES[kind]
}

/**
 * Activity of a day: slow waves of the market and of the symbol, the volatility, the day's move and a random
 * part.
 */
function activityOf(segment: Segment, path: Path, keys: Keys, own: number): number {
  const { kind, day } = segment
  if (kind === 'closed') return 0.68 + 0.27 * CLOSED_MOVE
  const index = indexOf(segment)
  const slow = mix(keys.own, SLOW)
  const logActivity =
    0.16 * lineAt(mix(keys.market, SLOW), index, 10) +
    0.24 * lineAt(slow, index, 12) +
    0.22 * lineAt(mix(slow, 1), index, 80) +
    0.6 * clamp(path.state(index), -0.9, 1.2) +
    0.13 * normal(mix(keys.market, ACTIVITY), day) +
    0.24 * normal(own, 0)
  const moved = Math.abs(path.level(index) - endLevel(path, index - 1)) / path.deviation(index)
  return exponential(logActivity) * (0.68 + 0.27 * Math.min(9, moved))
}

/**
 * Volume and trades of an average day. A leveraged fund keeps its traded value when its price is far from its
 * base.
 */
function averagesOf(
  { follows, volume, trades }: Profile,
  path: Path,
  segment: Segment,
): Pick<Profile, 'volume' | 'trades'> {
  if (!follows || follows.times === 1) return { volume, trades }
  const scaled = volume * clamp(exponential(-path.level(indexOf(segment))), 1 / RATIO_MAX, RATIO_MAX)
  return { volume: scaled, trades: Math.min(trades, Math.max(1, scaled / SIZE_MIN)) }
}
