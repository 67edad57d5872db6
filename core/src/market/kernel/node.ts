import type { Span } from '../span.ts'
import { normal } from './dice.ts'

/** A stretch of a segment that can be halved again and again. */
export type Node = Span & {
  /** Excluded. */
  readonly end: number
  /** The key of this stretch of time, the same for all symbols. */
  readonly spot: number
  /** The key of the dice of this stretch: the spot, exclusive or the key of whose dice they are. */
  readonly key: number
  /** Standard deviation, in ticks, of a walk as long as this one. */
  readonly deviation: number
  /** Shares that the first and the last trade have on top, from an auction. Volume and turnover include them. */
  readonly first: number
  readonly last: number
  /** The same stretch of the leader's tape, as long as prices are an image of it. */
  readonly leader: Node | undefined
  /** What was made of it so far. */
  halves: Halves | undefined
  prints: Prints | undefined
}
export type Halves = readonly [Node | undefined, Node | undefined]

/** The trades of a stretch, oldest first: microseconds since 1970 (rising), ticks, shares. */
export type Prints = {
  readonly at: readonly number[]
  readonly price: readonly number[]
  readonly size: readonly number[]
}

/** A node in the making. */
export type Draft = { -readonly [Key in keyof Node]: Node[Key] }

export function draft(start: number, end: number, spot: number, own: number): Draft {
  return {
    start,
    end,
    spot,
    key: spot ^ own,
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

/** How much of a draw each factor has, and how much is the symbol's own; the squares sum to 1. */
export type Blend = {
  readonly keys: readonly number[]
  readonly parts: readonly number[]
  readonly own: number
}

/** What the factors contribute to a draw of a stretch of time. */
export function sharedDraw({ keys, parts }: Blend, spot: number, draw: number): number {
  let sum = 0
  for (let index = 0; index < keys.length; index++) sum += parts[index]! * normal(spot ^ keys[index]!, draw)
  return sum
}

/** Up to so many trades a stretch is not halved but written out, trade by trade. */
export const WRITTEN_OUT = 16
/**
 * A half has no trades or at least so many: its open, close, high and low may each need one, and one more of a
 * single share brings the turnover to the last tick.
 */
export const HALF_MIN = 5

/** Which turnovers a stretch of at least `HALF_MIN` trades can have: all from the least to the greatest. */
export function turnoverMin({ open, high, low, close, volume }: Span): number {
  const needsHigh = open !== high && close !== high
  return volume * low + (open - low) + (close - low) + (needsHigh ? high - low : 0)
}
export function turnoverMax({ open, high, low, close, volume }: Span): number {
  const needsLow = open !== low && close !== low
  return volume * high - (high - open) - (high - close) - (needsLow ? high - low : 0)
}

/** How far the average price of the shares lies above the middle between open and close. */
export const bulge = ({ open, close, turnover, volume }: Span): number =>
  turnover / volume - (open + close) / 2

/** The band in which the average of a walk with these ends and this extreme usually lies. */
export const averageMin = (open: number, close: number, low: number): number =>
  (Math.min(open, close) + low) / 2
export const averageMax = (open: number, close: number, high: number): number =>
  (Math.max(open, close) + high) / 2

export const clamp = (value: number, min: number, max: number): number =>
  value < min ? min : Math.min(value, max)

/** A stretch without the shares of its auctions, and what they came to. */
export const withoutAuctions = (node: Node): Node => ({
  ...node,
  volume: node.volume - node.first - node.last,
  turnover: node.turnover - node.first * node.open - node.last * node.close,
  first: 0,
  last: 0,
})

/** The average price of the shares that no auction traded. */
export const averageOf = ({ open, close, volume, turnover, first, last }: Node): number =>
  (turnover - first * open - last * close) / (volume - first - last)

/** Gives a half the shares of an auction at its first or its last trade. */
export function addAuction(half: Draft, end: 'first' | 'last', shares: number): void {
  half[end] += shares
  half.volume += shares
  half.turnover += shares * (end === 'first' ? half.open : half.close)
}
