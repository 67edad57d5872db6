import { dayOfParts } from '../../time.ts'
import { tradingDaysBefore } from '../calendar.ts'
import { mix, normal } from './dice.ts'
import { exponential } from './exponential.ts'
import type { Profile } from './profile.ts'
import { recent } from './recent.ts'

/** The closes of a symbol, as natural logarithms over its base price, by trading day. */
export type Path = {
  level(index: number): number
  /** Standard deviation of that day's log return. */
  deviation(index: number): number
  /** From 0 to 1: how much of a day's chance is the market's. */
  readonly coupling: number
}

export const YEAR_DAYS = 252
const MARKET_VOLATILITY = 0.16
const TREND = 0.03
/** Knots of the path are drawn on their own around the trend; between them the path is bridged by halving. */
const KNOT_DAYS = 512
const WAVE_DAYS = 32
const WAVE_HEIGHT = 0.35
const BLOCKS_KEPT = 12
/** Where every symbol has its base price, whatever the seed. */
const ANCHOR = tradingDaysBefore(dayOfParts(2026, 11, 2))

/** A path shared by all symbols of a market: one per seed. */
export type Factor = { at(index: number): number; wave(index: number): number }

export const marketFactor = (key: number): Factor => makeFactor(key, MARKET_VOLATILITY)

export function makePath(profile: Profile, key: number, market: Factor): Path {
  const { beta, volatility } = profile
  const shared = beta * MARKET_VOLATILITY
  const ownVariance = Math.max(volatility * volatility - shared * shared, 0.09 * volatility * volatility)
  const own = Math.sqrt(ownVariance)
  const factor = makeFactor(mix(key, 1), own)
  const moved = (index: number): number => beta * market.at(index) + factor.at(index)
  let anchored: number | undefined
  let latest = { index: Number.NaN, deviation: 0 }
  return {
    coupling: Math.min(0.9, shared / Math.sqrt(shared * shared + ownVariance)),
    level(index) {
      // Only when it is asked for: a world of many symbols is made in no time.
      anchored ??= moved(ANCHOR)
      return (TREND * (index - ANCHOR)) / YEAR_DAYS + moved(index) - anchored
    },
    deviation(index) {
      if (index === latest.index) return latest.deviation
      const common = shared * market.wave(index)
      const alone = own * factor.wave(index)
      latest = { index, deviation: Math.sqrt((common * common + alone * alone) / YEAR_DAYS) }
      return latest.deviation
    },
  }
}

function makeFactor(key: number, volatility: number): Factor {
  const daily = volatility / Math.sqrt(YEAR_DAYS)
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
