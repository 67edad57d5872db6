import type { Span } from '../history/span.ts'
import { normal } from './random.ts'

/** A time span of a segment that can be split recursively. */
export type Node = Span & {
  /** Exclusive. */
  readonly end: number
  /** Key of this time span, the same for all symbols. */
  readonly timeKey: number
  /** Key of this node's random draws: `timeKey` XOR the symbol's key. */
  readonly key: number
  /** Standard deviation, in ticks, of a walk of this length. */
  readonly deviation: number
  /** Additional auction shares of the first and last trade. Volume and turnover include them. */
  readonly first: number
  readonly last: number
  /** The leader's node for the same span, while prices are an image of it. */
  readonly leader: Node | undefined
  /** Cached results. */
  halves: Halves | undefined
  prints: Prints | undefined
}
export type Halves = readonly [Node | undefined, Node | undefined]

/** The trades of a node, oldest first: microseconds since 1970 (ascending), ticks, shares. */
export type Prints = {
  readonly at: readonly number[]
  readonly price: readonly number[]
  readonly size: readonly number[]
}

/** A node under construction. */
export type Draft = { -readonly [Key in keyof Node]: Node[Key] }

export function draft(start: number, end: number, timeKey: number, own: number): Draft {
  return {
    start,
    end,
    timeKey,
    key: timeKey ^ own,
    deviation: 0,
    first: 0,
    last: 0,
    leader: undefined,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    volume: 0,
    trades: 0,
    turnover: 0,
    halves: undefined,
    prints: undefined,
  }
}

/** Weights of the factors and of the symbol's own draw; the squares sum to 1. */
export type Blend = {
  readonly keys: readonly number[]
  readonly parts: readonly number[]
  readonly own: number
}

/** The factors' contribution to a draw. */
export function sharedDraw({ keys, parts }: Blend, timeKey: number, draw: number): number {
  let sum = 0
  for (let index = 0; index < keys.length; index++)
    sum += parts[index]! * normal(timeKey ^ keys[index]!, draw)
  return sum
}

/** Nodes with at most this many trades are written out trade by trade instead of split. */
export const WRITE_OUT_MAX = 16
/**
 * Minimum trades of a non-empty half: open, close, high and low may each need one, and one more trade of a
 * single share makes the turnover exact.
 */
export const HALF_MIN = 5

/**
 * The minimum turnover of a node with at least `HALF_MIN` trades; every value up to the maximum is possible.
 */
export function turnoverMin({ open, high, low, close, volume }: Span): number {
  const needsHigh = open !== high && close !== high
  return volume * low + (open - low) + (close - low) + (needsHigh ? high - low : 0)
}
export function turnoverMax({ open, high, low, close, volume }: Span): number {
  const needsLow = open !== low && close !== low
  return volume * high - (high - open) - (high - close) - (needsLow ? high - low : 0)
}

/** Difference between the average share price and the middle of open and close. */
export const bulge = ({ open, close, turnover, volume }: Span): number =>
  turnover / volume - (open + close) / 2

/** The usual band for the average when a walk has these ends and this extreme. */
export const averageMin = (open: number, close: number, low: number): number =>
  (Math.min(open, close) + low) / 2
export const averageMax = (open: number, close: number, high: number): number =>
  (Math.max(open, close) + high) / 2

export const clamp = (value: number, min: number, max: number): number =>
  value < min ? min : Math.min(value, max)

/** The node without its auction shares and their turnover. */
export const withoutAuctions = (node: Node): Node => ({
  ...node,
  volume: node.volume - node.first - node.last,
  turnover: node.turnover - node.first * node.open - node.last * node.close,
  first: 0,
  last: 0,
})

/** Average price of the shares outside auctions. */
export const averageOf = ({ open, close, volume, turnover, first, last }: Node): number =>
  (turnover - first * open - last * close) / (volume - first - last)

/** Adds auction shares to the first or last trade of a half. */
export function addAuction(half: Draft, end: 'first' | 'last', shares: number): void {
  half[end] += shares
  half.volume += shares
  half.turnover += shares * (end === 'first' ? half.open : half.close)
}
