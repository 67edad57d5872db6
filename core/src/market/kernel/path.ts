import { dayOfParts } from '../../time.ts'
import { mix, normal } from './dice.ts'
import { exponential } from './exponential.ts'
import { clamp } from './node.ts'
import { type Course, courseOf } from './pace.ts'
import type { Profile } from './profile.ts'
import { recent } from './recent.ts'

/** The closes of a symbol, as natural logarithms over its base price, by trading day. */
export type Path = {
  level(index: number): number
  /** Standard deviation of that day's log return. */
  deviation(index: number): number
  /** By how much the level has changed between the close before a day and its open, beside all chance. */
  gap(index: number): number
  /** By how much the price at which a day was left differs from its level: what came over it in its session. */
  left(index: number): number
  /** From -1 to 1: how much of a day's chance is the market's. */
  readonly coupling: number
}

/** Knots of the path are drawn on their own around the trend; between them the path is bridged by halving. */
const KNOT_DAYS = 512
const WAVE_DAYS = 32
const WAVE_HEIGHT = 0.35
const BLOCKS_KEPT = 12
/** Where every symbol has its base price, whatever the seed, unless its profile says where else. */
const ANCHOR = dayOfParts(2026, 11, 2)
const SECTOR_VOLATILITY = 0.1
const COUPLING_MAX = 0.9

/** A path shared by many symbols of a market: one per seed. */
export type Factor = { at(index: number): number; wave(index: number): number }

export const marketFactor = (key: number, { marketVolatility, year }: Course): Factor =>
  makeFactor(key, marketVolatility, year)
export const sectorFactor = (key: number, { year }: Course): Factor =>
  makeFactor(key, SECTOR_VOLATILITY, year)

/** A level that changes for good: before a day's open, or in a day's session, which is told as if it had not. */
export type Shift = {
  readonly index: number
  readonly amount: number
  readonly when: 'beforeOpen' | 'inSession'
}

export function makePath(
  profile: Profile,
  key: number,
  market: Factor,
  sector: Factor | undefined,
  shifts: readonly Shift[] = [],
): Path {
  const { year, trend } = courseOf(profile)
  const { beta, shared, ofSector, ownVariance } = partsOf(profile)
  const own = Math.sqrt(ownVariance)
  const factor = makeFactor(mix(key, 1), own, year)
  const anchor = anchorOf(profile)
  const moved = (index: number): number =>
    beta * market.at(index) + factor.at(index) + (sector ? sector.at(index) : 0)
  const { total, gap, left } = shiftsOf(shifts)
  let anchored: number | undefined
  let latest = { index: Number.NaN, deviation: 0 }
  return {
    coupling: clamp(
      shared / Math.sqrt(shared * shared + ownVariance + ofSector * ofSector),
      -COUPLING_MAX,
      COUPLING_MAX,
    ),
    level(index) {
      // Only when it is asked for: a world of many symbols is made in no time.
      anchored ??= moved(anchor)
      return (trend * (index - anchor)) / year + moved(index) - anchored + total(index)
    },
    gap,
    left,
    deviation(index) {
      if (index === latest.index) return latest.deviation
      const common = shared * market.wave(index)
      const alone = own * factor.wave(index)
      const beside = sector ? ofSector * sector.wave(index) : 0
      const variance = common * common + alone * alone + beside * beside
      latest = { index, deviation: Math.sqrt(variance / year) }
      return latest.deviation
    },
  }
}

const nothing = (): number => 0

/** All that has changed for good by a day, before its open, and in its session. */
function shiftsOf(shifts: readonly Shift[]): Record<'total' | 'gap' | 'left', (index: number) => number> {
  if (shifts.length === 0) return { total: nothing, gap: nothing, left: nothing }
  const sum = (counts: (shift: Shift) => boolean): number =>
    shifts.reduce((total, shift) => total + (counts(shift) ? shift.amount : 0), 0)
  return {
    total: (index) => sum(({ index: from, when }) => (when === 'inSession' ? from < index : from <= index)),
    gap: (index) => sum((shift) => shift.when === 'beforeOpen' && shift.index === index),
    left: (index) => sum((shift) => shift.when === 'inSession' && shift.index === index),
  }
}

/** What of its volatility a symbol has from the market, from its sector and of its own, which is never nothing. */
function partsOf(profile: Profile) {
  const { beta, volatility } = profile
  const shared = beta * courseOf(profile).marketVolatility
  const ofSector = profile.sector === undefined ? 0 : SECTOR_VOLATILITY
  const left = volatility * volatility - shared * shared - ofSector * ofSector
  return { beta, shared, ofSector, ownVariance: Math.max(left, 0.09 * volatility * volatility) }
}

/** The last trading day that is not after the anchor. */
const anchorOf = (profile: Profile): number => courseOf(profile).index((profile.anchor ?? ANCHOR) + 1) - 1

function makeFactor(key: number, volatility: number, year: number): Factor {
  const daily = volatility / Math.sqrt(year)
  const [waveKey, knotKey, stepKey] = [mix(key, 2), mix(key, 3), mix(key, 4)]
  const blocks = recent<number, Float64Array>(BLOCKS_KEPT)
  const wave = (index: number): number => waveAt(waveKey, index)
  const knot = (number: number): number => daily * Math.sqrt(KNOT_DAYS / 2) * normal(knotKey, number)
  const makeBlock = (number: number): Float64Array => {
    const first = number * KNOT_DAYS
    const values = new Float64Array(KNOT_DAYS + 1)
    values[0] = knot(number)
    values[KNOT_DAYS] = knot(number + 1)
    for (let span = KNOT_DAYS; span > 1; span /= 2) {
      const spread = (daily * Math.sqrt(span)) / 2
      for (let left = 0; left < KNOT_DAYS; left += span) {
        const middle = left + span / 2
        const day = first + middle
        values[middle] =
          (values[left]! + values[left + span]!) / 2 + spread * wave(day) * normal(stepKey, day)
      }
    }
    return values
  }
  let latest: { number: number; values: Float64Array } = { number: Number.NaN, values: new Float64Array() }
  return {
    wave,
    at(index) {
      const number = Math.floor(index / KNOT_DAYS)
      if (number !== latest.number) latest = { number, values: blocks.get(number, () => makeBlock(number)) }
      return latest.values[index - number * KNOT_DAYS]!
    },
  }
}

/** Calm and stormy times: a slow wave around 1 that multiplies the size of a day's steps. */
function waveAt(key: number, index: number): number {
  const number = Math.floor(index / WAVE_DAYS)
  const part = (index - number * WAVE_DAYS) / WAVE_DAYS
  const height = normal(key, number) * (1 - part) + normal(key, number + 1) * part
  return exponential(WAVE_HEIGHT * height)
}
