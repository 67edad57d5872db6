import type { Ticker } from '../../../ids.ts'
import { newYorkSeconds } from '../../../time.ts'
import type { Hours } from '../../../world.ts'
import { SECOND_MICROS } from '../../history/micros.ts'
import { joinSpans, type Span } from '../../history/span.ts'
import { makeMarket } from '../market.ts'
import type { Profile } from '../profile.ts'
import type { Print } from '../quotes.ts'
import type { Tape } from '../tape.ts'

/** Profiles from one trade in several days to many trades a second. */
export const PROFILES: readonly Profile[] = [
  ['BUSY', 26_800, 45_000_000, 120_000],
  ['CALM', 7000, 400_000, 3000],
  ['THIN', 900, 3000, 60],
  ['RARE', 150, 8, 3],
  ['DUST', 120, 1, 0.3],
].map(([symbol, basePrice, volume, trades]) => ({
  symbol: symbol as Ticker,
  basePrice: basePrice as number,
  volume: volume as number,
  trades: trades as number,
  volatility: 0.4,
  beta: 1.1,
  spread: 2,
  depth: 10,
}))

/** Followers: of a busy and of a thin leader, of another follower, reset daily, and busier than the leader. */
const FOLLOWERS: readonly Profile[] = (
  [
    ['TWIN', 'BUSY', 1, 9000, 8_000_000, 30_000],
    ['BULL', 'BUSY', 3, 4000, 2_000_000, 20_000],
    ['BEAR', 'TWIN', -3, 6000, 3_000_000, 15_000],
    ['LOUD', 'THIN', 2, 2500, 900_000, 6000],
    ['FEWS', 'CALM', -1, 5000, 2000, 40],
  ] as const
).map(([symbol, leader, times, basePrice, volume, trades]) => ({
  ...PROFILES[0]!,
  symbol: symbol as Ticker,
  basePrice,
  volume,
  trades,
  isFund: true,
  follows: { leader: leader as Ticker, times, fee: 0.01, slack: times === 1 ? 0.002 : 0 },
}))
export const ALL = [...PROFILES, ...FOLLOWERS]

export const END = Number.MAX_SAFE_INTEGER
/** A random test case: a trading day (by index) of a symbol in a market. */
export type MarketCase = {
  readonly seed: string
  readonly hours: Hours
  readonly profile: Profile
  readonly index: number
}

export const tapeOf = ({ seed, hours, profile }: Pick<MarketCase, 'seed' | 'hours' | 'profile'>): Tape =>
  makeMarket({ seed, hours, profiles: ALL }).get(profile.symbol)!

export const micros = (day: number, minute: number): number => newYorkSeconds(day, minute) * SECOND_MICROS
export const midnights = (day: number): readonly [number, number] => [micros(day, 0), micros(day + 1, 0)]

export function minutesOf(tape: Tape, from: number, to: number, backwards = false): [number, Span][] {
  const found: [number, Span][] = []
  tape.minutes({ from, to, backwards }, (start, span) => found.push([start, span]) > 0)
  return found
}

export const shape = (span: Span | undefined) =>
  span && [span.open, span.high, span.low, span.close, span.volume, span.trades, span.turnover]

export const foldAll = (spans: readonly Span[]): Span | undefined =>
  spans.reduce<Span | undefined>((total, span) => joinSpans(total, span), undefined)

export const spanOf = ({ at, price, size }: Print): Span => ({
  start: at,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: size,
  trades: 1,
  turnover: price * size,
})
