import type { Hours } from '../../world.ts'
import { postCloseMinute, tradingDayAt, tradingDaysBefore } from '../calendar.ts'
import type { Path } from './factors/path.ts'
import type { Blend } from './node.ts'
import { mix, normal } from './random.ts'
import type { Segment, SegmentKind } from './segments.ts'

/** Levels at both ends of a segment, and the deviation within it. */
export type SegmentLevels = { readonly from: number; readonly to: number; readonly deviation: number }

/** Indexes for derived keys. */
const OPEN = 6
const BETWEEN = 7

/** Part of a day's variance between the close and the next open. */
const OVERNIGHT = 0.25
/** Distribution of the overnight variance on tapes with a night break. */
const WEIGHTS: Partial<Record<SegmentKind, number>> = { post: 2, late: 1, closed: 1.5, early: 1, pre: 3 }
/** On tapes without a break: variance of a minute outside the session relative to one inside. */
const QUIETER = 0.25
const SESSION_MINUTES = 390
const MINUTES: Partial<Record<SegmentKind, number>> = { post: 240, closed: 1440, early: 240, pre: 330 }

export function segmentLevels(segment: Segment, path: Path, key: number, hours: Hours): SegmentLevels {
  if (segment.kind === 'round') return round(segment, path)
  return segment.kind === 'regular' ? regular(segment, path, key) : between(segment, path, key, hours)
}

/** Level at the end of a day, including shifts during its session. */
export const endLevel = (path: Path, index: number): number => path.level(index) + path.sessionShift(index)

/** The trading day that contains a segment, or that precedes it. */
export const indexOf = ({ day, kind }: Segment): number =>
  kind === 'round' ? day : kind === 'closed' ? tradingDaysBefore(day) - 1 : tradingDaysBefore(day)

/** A day that starts where the previous one ended. */
const round = ({ day }: Segment, path: Path): SegmentLevels => ({
  from: endLevel(path, day - 1) + path.gap(day),
  to: path.level(day),
  deviation: path.deviation(day),
})

function regular(segment: Segment, path: Path, key: number): SegmentLevels {
  const index = tradingDaysBefore(segment.day)
  return {
    from: openLevel(path, key, index),
    to: path.level(index),
    deviation: path.deviation(index) * Math.sqrt(1 - OVERNIGHT),
  }
}

/** The open is between two closes, with a random deviation. */
function openLevel(path: Path, key: number, index: number): number {
  const [before, after] = [endLevel(path, index - 1) + path.gap(index), path.level(index)]
  const spread = path.deviation(index) * Math.sqrt(OVERNIGHT * (1 - OVERNIGHT))
  return (
    before + (after - before) * OVERNIGHT + spread * drawn(path.blend(index), key, OPEN, index, undefined)
  )
}

/** A draw that is partly shared with the factors; each uses a key derived for the purpose. */
function drawn(
  { keys, parts, own }: Blend,
  key: number,
  purpose: number,
  index: number,
  step?: number,
): number {
  const draw = (of: number): number =>
    step === undefined ? normal(mix(of, purpose), index) : normal(mix(mix(of, purpose), index), step)
  let sum = own * draw(key)
  for (let position = 0; position < keys.length; position++) sum += parts[position]! * draw(keys[position]!)
  return sum
}

/**
 * From a close to the next open, the tape runs through several segments; each step is drawn conditional on
 * the open.
 */
function between(segment: Segment, path: Path, key: number, hours: Hours): SegmentLevels {
  const { day, kind } = segment
  const isAfter = kind === 'post' || kind === 'late'
  const index = isAfter ? tradingDaysBefore(day) : tradingDaysBefore(day) - 1
  const first = dayAt(index)
  const closed = (tradingDayAt(index + 1) ?? first + 1) - first - 1
  const weights = weightsAfter(first, closed, hours)
  const position = indexAmong(segment, first, closed)
  const end = openLevel(path, key, index + 1)
  const blend = path.blend(index + 1)
  let left = weights.reduce((sum, weight) => sum + weight, 0)
  const scale = path.deviation(index + 1) * Math.sqrt(variancePer(left, hours))
  let from = endLevel(path, index)
  for (let step = 0; ; step++) {
    const weight = weights[step]!
    const rest = Math.max(0, left - weight)
    const spread = scale * Math.sqrt((weight * rest) / left)
    const to = from + ((end - from) * weight) / left + spread * drawn(blend, key, BETWEEN, index, step)
    if (step === position) return { from, to, deviation: scale * Math.sqrt(weight) }
    from = to
    left = rest
  }
}

const dayAt = (index: number): number => (index < 0 ? -1 : tradingDayAt(index)!)

/** Variance per unit of weight. */
const variancePer = (weights: number, hours: Hours): number =>
  hours === 'always' ? ((1 - OVERNIGHT) * QUIETER) / SESSION_MINUTES : OVERNIGHT / weights

/**
 * Weights of post, late, the closed days, early and pre: in minutes, or the night weights of a tape with a
 * break.
 */
function weightsAfter(first: number, closed: number, hours: Hours): readonly number[] {
  const weigh = hours === 'always' ? MINUTES : WEIGHTS
  const late = hours === 'always' ? 1440 - postCloseMinute(first) : WEIGHTS.late!
  const weights = [weigh.post!, late]
  for (let day = 0; day < closed; day++) weights.push(weigh.closed!)
  weights.push(weigh.early!, weigh.pre!)
  return weights
}

function indexAmong({ kind, day }: Segment, first: number, closed: number): number {
  switch (kind) {
    case 'post':
      return 0
    case 'late':
      return 1
    case 'closed':
      return 2 + day - first - 1
    case 'early':
      return 2 + closed
    case 'pre':
    case 'regular':
    case 'round':
      return 3 + closed
  }
}
