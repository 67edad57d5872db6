import { dayOfParts, partsOfDay } from '../../../civil-date.ts'
import { LruCache } from '../../../lru-cache.ts'
import { tradingDayAt, tradingDaysBefore } from '../../calendar.ts'
import { type Blend, clamp } from '../node.ts'
import type { Profile } from '../profile.ts'
import { mix, normal, uniform } from '../random.ts'
import { BLOCK_DAYS, blockNumber, type Factor, makeFactor } from './factor.ts'
import { tapeCalendarOf } from './pace.ts'

/** The closes of a symbol, as natural logarithms relative to its base price, by trading day. */
export type Path = {
  level(index: number): number
  /** Standard deviation of that day's log return. */
  deviation(index: number): number
  /** Logarithm of that day's volatility relative to its long-run value. */
  state(index: number): number
  /** Change of the level between the previous close and the open, beside random moves. */
  gap(index: number): number
  /** Difference between the price at the end of a day and its level: shifts during the session. */
  sessionShift(index: number): number
  /** Weights of the factors in a day's random draws. */
  blend(index: number): Blend
}

/** The day on which every symbol has its base price, for every seed, unless its profile sets another. */
const ANCHOR = dayOfParts(2026, 11, 2)
/** Minimum idiosyncratic part of a draw; otherwise all paths through a node would be identical. */
const OWN_MIN = 0.3
const OWN = 1
const BLOCKS_KEPT = 12

/**
 * A permanent change of the level, before the open of a day or during its session. The level of that day
 * itself excludes a change during the session.
 */
export type Shift = {
  readonly index: number
  readonly amount: number
  readonly when: 'beforeOpen' | 'inSession'
}

/** A factor and a symbol's load on it. */
export type Loaded = { readonly factor: Factor; readonly load: number }

/** Yearly trend: the market's gain times beta, less half the variance (log growth). A stablecoin has none. */
const trendOf = ({ pace, beta, volatility }: Profile): number =>
  pace === 'roundTheClock'
    ? 0.1 * clamp(beta, 0, 1)
    : Math.max(0.02, 0.03 + 0.06 * beta - (volatility * volatility) / 2)

export function makePath(
  profile: Profile,
  key: number,
  /** The market is first; a symbol's own volatility follows the market's. */
  shared: readonly [Loaded, ...Loaded[]],
  ownVolatility: number,
  shifts: readonly Shift[] = [],
): Path {
  const { year } = tapeCalendarOf(profile)
  const trend = trendOf(profile)
  const { own, jump } = ownFactor(profile, key, shared[0].factor, ownVolatility)
  const loaded = [...shared, { factor: own, load: 1 }]
  const anchor = anchorOf(profile)
  const moved = (index: number): number => {
    let sum = 0
    for (const { factor, load } of loaded) sum += load * factor.at(index)
    return sum
  }
  const { total, gap, left } = shiftsOf(shifts)
  let anchored: number | undefined
  let latest: Mixture | undefined
  const mixture = (index: number): Mixture => {
    if (latest?.index !== index) latest = mixtureOf(loaded, index)
    return latest
  }
  return {
    level(index) {
      // Calculated on first use, so that a world with many symbols starts quickly.
      anchored ??= moved(anchor)
      return (trend * (index - anchor)) / year + moved(index) - anchored + total(index)
    },
    gap: (index) => gap(index) + jump(index),
    sessionShift: left,
    deviation: (index) => mixture(index).deviation,
    state: (index) => mixture(index).state,
    blend: (index) => mixture(index),
  }
}

/** The components of a day's deviation. */
type Mixture = Blend & { readonly index: number; readonly deviation: number; readonly state: number }

function mixtureOf(loaded: readonly Loaded[], index: number): Mixture {
  const last = loaded.length - 1
  const parts: number[] = []
  const keys: number[] = []
  let [variance, state] = [0, 0]
  for (const { factor, load } of loaded) {
    const deviation = load * factor.deviation(index)
    const square = deviation * deviation
    parts.push(deviation)
    keys.push(factor.key)
    variance += square
    state += square * factor.state(index)
  }
  const deviation = Math.sqrt(variance)
  const own = Math.max(OWN_MIN, parts[last]! / deviation)
  const others = variance - parts[last]! * parts[last]!
  const scale = others > 0 ? Math.sqrt((1 - own * own) / others) : 0
  keys.pop()
  parts.pop()
  for (let factorIndex = 0; factorIndex < last; factorIndex++) parts[factorIndex]! *= scale
  return { index, deviation, state: state / variance, keys, parts, own: scale === 0 ? 1 : own }
}

/** The idiosyncratic factor; companies also have earnings jumps. */
function ownFactor(
  profile: Profile,
  key: number,
  market: Factor,
  volatility: number,
): { own: Factor; jump: (index: number) => number } {
  const { year } = tapeCalendarOf(profile)
  const base = { kind: 'own', key: mix(key, OWN), market } as const
  const daily = volatility / Math.sqrt(year)
  const weekday = pathWeekday(profile)
  if (profile.isFund || profile.pace === 'roundTheClock')
    return { own: makeFactor({ ...base, daily, weekday }), jump: zero }
  const jumps = (from: number, to: number) => earningsJumps(key, daily, from, to)
  const kept = new LruCache<number, ReadonlyMap<number, number>>(BLOCKS_KEPT)
  return {
    own: makeFactor({ ...base, daily: daily * Math.sqrt(BETWEEN_REPORTS), jumps }),
    jump(index) {
      const first = blockNumber(index) * BLOCK_DAYS + 1
      return kept.getOrMake(first, () => jumps(first, first + BLOCK_DAYS - 1)).get(index) ?? 0
    },
  }
}

/** Crypto moves less at weekends. Its index is the day since 1970-01-01, a Thursday. */
export const pathWeekday = ({ pace }: Pick<Profile, 'pace'>): ((index: number) => number) | undefined =>
  pace === 'roundTheClock' ? (day) => (isWeekend(day) ? 0.66 : 1.1) : undefined

export function isWeekend(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7
  return weekday === 0 || weekday === 6
}

export const zero = (): number => 0

/** Permanent changes up to a day, before its open, and during its session. */
export function shiftsOf(
  shifts: readonly Shift[],
): Record<'total' | 'gap' | 'left', (index: number) => number> {
  if (shifts.length === 0) return { total: zero, gap: zero, left: zero }
  const sum = (counts: (shift: Shift) => boolean): number =>
    shifts.reduce((total, shift) => total + (counts(shift) ? shift.amount : 0), 0)
  return {
    total: (index) => sum(({ index: from, when }) => (when === 'inSession' ? from < index : from <= index)),
    gap: (index) => sum((shift) => shift.when === 'beforeOpen' && shift.index === index),
    left: (index) => sum((shift) => shift.when === 'inSession' && shift.index === index),
  }
}

/** The last trading day on or before the anchor. */
export const anchorOf = (profile: Profile): number =>
  tapeCalendarOf(profile).index((profile.anchor ?? ANCHOR) + 1) - 1

/** Companies report quarterly, this many days after the start of the quarter. */
const REPORT_MIN_DAYS = 13
const REPORT_SPAN_DAYS = 38
/** Deviation of an earnings jump, in the company's usual days. */
const JUMP = 3
const REPORT = 12

/** Share of the idiosyncratic variance left for other days: four reports a year of 0.5 to 1.5 jumps. */
export const BETWEEN_REPORTS = 1 - (4 * JUMP * JUMP * 1.08) / 252

/** Earnings jumps of the trading days between two indexes, inclusive. They occur before the open. */
export function earningsJumps(
  key: number,
  daily: number,
  from: number,
  to: number,
): ReadonlyMap<number, number> {
  const jumps = new Map<number, number>()
  const reportKey = mix(key, REPORT)
  const wait = REPORT_MIN_DAYS + Math.floor(REPORT_SPAN_DAYS * uniform(reportKey, 0))
  const first = tradingDayAt(Math.max(0, from))
  const last = tradingDayAt(to) ?? (first === undefined ? undefined : first + (to - from) * 2)
  if (first === undefined || last === undefined) return jumps
  const [start, end] = [quarterOf(first) - 1, quarterOf(last)]
  for (let quarter = start; quarter <= end; quarter++) {
    const day = dayOfParts(Math.floor(quarter / 4), 1 + 3 * (quarter % 4), 1) + wait
    const index = tradingDaysBefore(day)
    if (index < from || index > to || index === 0) continue
    jumps.set(
      index,
      JUMP * daily * (0.5 + uniform(reportKey, 2 * quarter)) * normal(reportKey, 2 * quarter + 1),
    )
  }
  return jumps
}

function quarterOf(day: number): number {
  const { year, month } = partsOfDay(day)
  return 4 * year + Math.floor((month - 1) / 3)
}
