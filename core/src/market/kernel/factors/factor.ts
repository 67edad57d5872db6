import { LruCache } from '../../../lru-cache.ts'
import { clamp } from '../node.ts'
import { mix, normal, uniform } from '../random.ts'
import { exponential } from './exponential.ts'

/** A path of log prices over trading days with autocorrelated volatility. Many symbols can share a factor. */
export type Factor = {
  readonly key: number
  /** Log level at the end of a day. */
  at(index: number): number
  /** Logarithm of a day's volatility relative to its long-run value. */
  state(index: number): number
  /** Standard deviation of a day's step. */
  deviation(index: number): number
  /** Long-run variance of the state. */
  readonly stateVariance: number
}

/**
 * The kinds of factors. `fall`: how much a fall raises volatility. `swing`: amplitude of the state.
 * `follows`: how much of the market's state is added. `spread`: deviation of the knots relative to a free
 * walk. `falls`: share of rough days that fall; for shocks, this share is three times as far from one half.
 */
type Kind = {
  readonly fall: number
  readonly swing: number
  readonly follows: number
  readonly spread: number
  readonly falls: number
}
const KINDS = {
  market: { fall: 0.1, swing: 0.88, follows: 0, spread: 0.7, falls: 0.62 },
  crypto: { fall: 0.03, swing: 0.88, follows: 0, spread: 0.7, falls: 0.5 },
  shared: { fall: 0, swing: 0.85, follows: 0.65, spread: 1, falls: 0.5 },
  own: { fall: 0, swing: 0.85, follows: 0.7, spread: 1, falls: 0.5 },
} as const satisfies Record<string, Kind>

export type FactorSetup = {
  readonly kind: keyof typeof KINDS
  readonly key: number
  /** Long-run deviation of a day. */
  readonly daily: number
  /** The factor whose volatility influences this one. */
  readonly market?: Factor
  /** Relative deviation of a weekday. */
  readonly weekday?: ((index: number) => number) | undefined
  /** Added to the steps of single days. */
  readonly jumps?: (from: number, to: number) => ReadonlyMap<number, number>
}

/**
 * Steps are summed in blocks of this many days; the levels at the knots between blocks are drawn
 * independently.
 */
export const BLOCK_DAYS = 512
const KNOT_SPREAD = Math.sqrt(BLOCK_DAYS / 2)
/** Daily persistence of volatility, and the number of days simulated before a block starts. */
const KEEPS = 0.95
const RUN_IN_DAYS = 96
const FROM_SIZE = 0.135
/** Mean and variance of the size of a shock, capped at 4. */
const SIZE_MEAN = 0.79
const SIZE_VARIANCE = 0.38
const SIZE_MAX = 4
/** Slow volatility waves: straight lines between normal draws this many days apart. */
const WAVE = 0.22
const WAVE_DAYS = [96, 384] as const
/** Maximum step and daily deviation, in multiples of the usual day. */
const STEP_MAX = 7.5
const DEVIATION_MAX = 5
const BLOCKS_KEPT = 12

/** Indexes for derived keys. */
const SLOW = [2, 11] as const
const KNOT = 3
const SHOCK = 4
const SIZE = 9
const SIGN = 10

type Block = { readonly level: Float64Array; readonly state: Float32Array; readonly deviation: Float32Array }

export function makeFactor(setup: FactorSetup): Factor {
  const kind = KINDS[setup.kind]
  const stateVariance = varianceOf(kind)
  const blocks = new LruCache<number, Block>(BLOCKS_KEPT)
  let latest: { number: number; block: Block } | undefined
  const blockOf = (index: number): Block => {
    const number = blockNumber(index)
    if (number !== latest?.number)
      latest = {
        number,
        block: blocks.getOrMake(number, () => makeBlock(setup, kind, stateVariance, number)),
      }
    return latest.block
  }
  const offsetOf = (index: number): number => index - blockNumber(index) * BLOCK_DAYS
  return {
    key: setup.key,
    stateVariance,
    at: (index) => blockOf(index).level[offsetOf(index)]!,
    state: (index) => blockOf(index).state[offsetOf(index)]!,
    deviation: (index) => blockOf(index).deviation[offsetOf(index)]!,
  }
}

/** Block b contains the days 512b + 1 to 512(b + 1). */
export const blockNumber = (index: number): number => Math.floor((index - 1) / BLOCK_DAYS)

const varianceOf = ({ swing, fall }: Kind): number =>
  swing *
  swing *
  ((FROM_SIZE * FROM_SIZE * SIZE_VARIANCE + fall * fall) / (1 - KEEPS * KEEPS) +
    (WAVE_DAYS.length * WAVE * WAVE * 2) / 3)

/** Entries 1 to 512 are the block's days; entry 0 is its starting level. */
function makeBlock(
  { key, daily, market, weekday, jumps }: FactorSetup,
  kind: Kind,
  variance: number,
  number: number,
): Block {
  const first = number * BLOCK_DAYS
  const level = new Float64Array(BLOCK_DAYS + 1)
  const state = new Float32Array(BLOCK_DAYS + 1)
  const deviation = new Float32Array(BLOCK_DAYS + 1)
  const extra = jumps?.(first + 1, first + BLOCK_DAYS)
  const keys = { size: mix(key, SIZE), shock: mix(key, SHOCK), sign: mix(key, SIGN) }
  const slow = SLOW.map((each) => mix(key, each))
  const { follows } = kind
  const usualShock = shockMean(kind)
  const shift = market ? follows * (1 - follows) * market.stateVariance - variance : -variance
  let memory = 0
  for (let offset = 1 - RUN_IN_DAYS; offset <= BLOCK_DAYS; offset++) {
    const day = first + offset
    const times = sizeOf(keys.size, day)
    const shock = times * drawn(keys, kind, times, day)
    if (offset > 0) {
      const waves = WAVE * (lineAt(slow[0]!, day, WAVE_DAYS[0]) + lineAt(slow[1]!, day, WAVE_DAYS[1]))
      const now = kind.swing * (memory + waves) + shift + (market ? follows * market.state(day) : 0)
      const usual = daily * (weekday ? weekday(day) : 1)
      const scale = usual * exponential(now)
      state[offset] = now
      deviation[offset] = Math.min(scale * times, DEVIATION_MAX * usual)
      const step = clamp(scale * shock, -STEP_MAX * usual, STEP_MAX * usual)
      level[offset] = level[offset - 1]! + step + (extra?.get(day) ?? 0)
    }
    memory =
      KEEPS * memory +
      FROM_SIZE * (Math.min(SIZE_MAX, Math.abs(shock)) - SIZE_MEAN) -
      kind.fall * (shock - usualShock)
  }
  tilt(level, knotOf(key, daily, kind, number), knotOf(key, daily, kind, number + 1))
  return { level, state, deviation }
}

const knotOf = (key: number, daily: number, { spread }: Kind, number: number): number =>
  spread * daily * KNOT_SPREAD * normal(mix(key, KNOT), number)

/** Connects one knot to the next by changing each day's step by the same small amount. */
function tilt(level: Float64Array, start: number, end: number): void {
  const each = (end - start - level[BLOCK_DAYS]!) / BLOCK_DAYS
  for (let offset = 0; offset < BLOCK_DAYS; offset++) level[offset]! += start + each * offset
  level[BLOCK_DAYS] = end
}

/** Most days are calm, one in eleven is rough, one in a hundred is a shock; the overall variance is 1. */
const CALM_SIZE = 0.88 / 1.0233
const ROUGH = { share: 0.09, size: 1.7 / 1.0233 }
const SHOCKS = { share: 0.01, size: 3 / 1.0233 }

function sizeOf(key: number, day: number): number {
  const chance = uniform(key, day)
  if (chance < SHOCKS.share) return SHOCKS.size
  return chance < SHOCKS.share + ROUGH.share ? ROUGH.size : CALM_SIZE
}

/** Mean of a shock when falls are more frequent than rises. */
const shockMean = (kind: Kind): number =>
  NORMAL_SIZE *
  (ROUGH.share * ROUGH.size * (1 - 2 * fallsOf(kind, ROUGH.size)) +
    SHOCKS.share * SHOCKS.size * (1 - 2 * fallsOf(kind, SHOCKS.size)))
const NORMAL_SIZE = 0.8

const fallsOf = ({ falls }: Kind, times: number): number =>
  times < SHOCKS.size ? falls : 0.5 + 3 * (falls - 0.5)

type Keys = { readonly shock: number; readonly sign: number }

function drawn(keys: Keys, kind: Kind, times: number, day: number): number {
  const chance = normal(keys.shock, day)
  if (kind.falls === 0.5 || times < 1) return chance
  return uniform(keys.sign, day) < fallsOf(kind, times) ? -Math.abs(chance) : Math.abs(chance)
}

/** Linear interpolation between normal draws `days` apart. */
export function lineAt(key: number, day: number, days: number): number {
  const number = Math.floor(day / days)
  const part = day / days - number
  return normal(key, number) * (1 - part) + normal(key, number + 1) * part
}
