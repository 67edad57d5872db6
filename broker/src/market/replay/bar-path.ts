import {
  type Asset,
  type Instant,
  itemAt,
  keyOf,
  later,
  mix,
  SECOND,
  type Trade,
  toPrice,
  toQuantity,
  uniform,
} from '@quipu/core'

/** A stored bar without trades, from its start to its end (exclusive). */
export type KnownBar = {
  readonly start: Instant
  readonly end: Instant
  readonly open: bigint
  readonly high: bigint
  readonly low: bigint
  readonly close: bigint
  readonly volume: bigint
}

/** Between two steps of the path: five seconds, or a minute in bars of more than five minutes. */
const STEP = 5n * SECOND
const LONG_STEP = 60n * SECOND
const LONG = 300n * SECOND
/** More than the prints of any path. */
const IDS_PER_BAR = 10_000

/**
 * The price path through a bar: from the open straight to the nearer extreme, to the other one, and to the
 * close, in steps. The times of the extremes are derived from the seed, the symbol and the bar's start: the first
 * within 15 to 35 % of the bar, the second within 50 to 80 %. The last step is a microsecond before the end.
 */
export function barPath(bar: KnownBar, { symbol, tick, lot }: Asset, seed: string): readonly Trade[] {
  const key = mix(keyOf(`${seed} ${symbol}`), Number((bar.start / SECOND) % 4_294_967_296n))
  const length = bar.end - bar.start
  const share = (low: number, width: number, draw: number): bigint =>
    (length * BigInt(Math.round((low + width * uniform(key, draw)) * 1000))) / 1000n
  const isHighFirst = bar.high - bar.open < bar.open - bar.low
  const [first, second] = isHighFirst ? [bar.high, bar.low] : [bar.low, bar.high]
  const corners: Corner[] = [
    { at: 0n, price: bar.open },
    { at: share(0.15, 0.2, 1), price: first },
    { at: share(0.5, 0.3, 2), price: second },
    { at: length - 1000n, price: bar.close },
  ]
  const points = pointsOf(corners, length > LONG ? LONG_STEP : STEP, tick)
  const sizes = sharesOf(bar.volume, points.length, lot)
  return points.map(({ at, price }, index) => ({
    at: later(bar.start, at),
    price: toPrice(price),
    size: toQuantity(sizes(index)),
    side: index > 0 && price < itemAt(points, index - 1).price ? 'sell' : 'buy',
    id: Number(bar.start / SECOND) * IDS_PER_BAR + index,
    exchange: '',
    tape: '',
    conditions: [],
  }))
}

type Corner = { readonly at: bigint; readonly price: bigint }

/** The corners, and each step between two of them on the straight line, rounded to a tick. */
function pointsOf(corners: readonly Corner[], step: bigint, tick: bigint): readonly Corner[] {
  const points: Corner[] = []
  for (const [index, corner] of corners.entries()) {
    points.push(corner)
    const next = corners[index + 1]
    if (!next) break
    for (let at = (corner.at / step + 1n) * step; at < next.at; at += step)
      points.push({ at, price: between(corner, next, at, tick) })
  }
  return points
}

function between(from: Corner, to: Corner, at: bigint, tick: bigint): bigint {
  const way = ((to.price - from.price) * (at - from.at)) / (to.at - from.at)
  return from.price + (way / tick) * tick
}

/** The volume in equal parts of whole lots, the rest with the close; every print has at least a lot. */
function sharesOf(volume: bigint, count: number, lot: bigint): (index: number) => bigint {
  const part = (volume / BigInt(count) / lot) * lot
  const each = part > lot ? part : lot
  const rest = volume - each * BigInt(count - 1)
  return (index) => (index === count - 1 && rest > each ? rest : each)
}
