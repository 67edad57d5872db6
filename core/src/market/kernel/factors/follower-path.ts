import { LruCache } from '../../../lru-cache.ts'
import { type Blend, clamp } from '../node.ts'
import type { Follows, Profile } from '../profile.ts'
import { mix } from '../random.ts'
import { exponential, logarithm } from './exponential.ts'
import { BLOCK_DAYS, blockNumber, lineAt } from './factor.ts'
import { anchorOf, type Path, type Shift, shiftsOf } from './path.ts'

/** Maximum log level: a fund with daily reset decays without bound. */
const LEVEL_MAX = 9
/** Minimum daily growth: a leveraged fund would lose more than everything when its index falls by a third. */
const GROWTH_MIN = 0.05
const YEAR = 252
const BLOCKS_KEPT = 12
/** The ratio to an unleveraged leader oscillates over these numbers of days. */
const SLACK_DAYS = [5, 20] as const
const SLACK = 13

/**
 * The path of a symbol that tracks a leader. Market events of the leader affect it, multiplied by the
 * leverage.
 */
export function followerPath(
  profile: Profile,
  follows: Follows,
  leader: Path,
  key: number,
  shifts: readonly Shift[] = [],
): Path {
  const base =
    follows.times === 1 ? unleveraged(profile, follows, leader, key) : leveraged(profile, follows, leader)
  const { total, gap, left } = shiftsOf(shifts)
  const times = Math.abs(follows.times)
  return {
    level: cacheTwo((index) => base.level(index) + total(index)),
    sessionShift: (index) => base.sessionShift(index) + left(index),
    gap,
    deviation: (index) => times * leader.deviation(index),
    state: leader.state,
    blend: (index) => inverted(leader.blend(index), follows.times),
  }
}

/** Caches the values of two neighbouring days, which are requested repeatedly. */
function cacheTwo(make: (index: number) => number): (index: number) => number {
  const [indexes, values] = [new Float64Array(2).fill(Number.NaN), new Float64Array(2)]
  return (index) => {
    const slot = index & 1
    if (indexes[slot] !== index) {
      values[slot] = make(index)
      indexes[slot] = index
    }
    return values[slot]!
  }
}

type Levels = Pick<Path, 'level' | 'sessionShift'>

/** The leader's level plus a tracking difference that reverts to zero. */
function unleveraged(profile: Profile, { slack }: Follows, leader: Path, key: number): Levels {
  const anchor = anchorOf(profile)
  const slackKey = mix(key, SLACK)
  const swing = (index: number): number =>
    slack === 0
      ? 0
      : (slack / 2) * (lineAt(slackKey, index, SLACK_DAYS[0]) + lineAt(slackKey + 1, index, SLACK_DAYS[1]))
  let anchored: number | undefined
  return {
    level(index) {
      anchored ??= leader.level(anchor) + swing(anchor)
      return leader.level(index) + swing(index) - anchored
    },
    sessionShift: leader.sessionShift,
  }
}

/** A multiple of the leader's daily return, less a fee. */
function leveraged(profile: Profile, { times, fee }: Follows, leader: Path): Levels {
  const leftLevel = (index: number): number => leader.level(index) + leader.sessionShift(index)
  const grown = (move: number): number =>
    logarithm(Math.max(GROWTH_MIN, 1 + times * (exponential(move) - 1))) - fee / YEAR
  const anchor = anchorOf(profile)
  const sums = sumsOf(blockNumber(anchor), (index) => grown(leftLevel(index) - leftLevel(index - 1)))
  const cumulative = (index: number): number => sums(index) - sums(anchor)
  const level = (index: number): number =>
    cumulative(index - 1) + grown(leader.level(index) - leftLevel(index - 1))
  return {
    level: (index) => clamp(level(index), -LEVEL_MAX, LEVEL_MAX),
    sessionShift: (index) => (leader.sessionShift(index) === 0 ? 0 : cumulative(index) - level(index)),
  }
}

/** Cumulative sums of daily steps, cached by block. Block sums always run outward from the origin block. */
function sumsOf(origin: number, step: (index: number) => number): (index: number) => number {
  const blocks = new LruCache<number, Float64Array>(BLOCKS_KEPT)
  const starts = new Map<number, number>()
  const blockOf = (number: number): Float64Array =>
    blocks.getOrMake(number, () => {
      const sums = new Float64Array(BLOCK_DAYS + 1)
      for (let slot = 1; slot <= BLOCK_DAYS; slot++)
        sums[slot] = sums[slot - 1]! + step(number * BLOCK_DAYS + slot)
      return sums
    })
  const startOf = (number: number): number => {
    const known = starts.get(number)
    if (known !== undefined) return known
    const start =
      number === origin
        ? 0
        : number > origin
          ? startOf(number - 1) + blockOf(number - 1)[BLOCK_DAYS]!
          : startOf(number + 1) - blockOf(number)[BLOCK_DAYS]!
    starts.set(number, start)
    return start
  }
  let latest: { number: number; start: number; sums: Float64Array } | undefined
  return (index) => {
    const number = blockNumber(index)
    if (number !== latest?.number) latest = { number, start: startOf(number), sums: blockOf(number) }
    return latest.start + latest.sums[index - number * BLOCK_DAYS]!
  }
}

/** An inverse fund inverts the sign of the leader's draws. */
const inverted = (blend: Blend, times: number): Blend =>
  times > 0 ? blend : { ...blend, parts: blend.parts.map((part) => -part) }
