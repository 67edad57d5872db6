import type { Ticker } from '../../ids.ts'
import { midnightIn } from '../zone.ts'
import { PRICE_MIN } from './levels.ts'
import type { Profile } from './profile.ts'
import type { Tape } from './tape.ts'

/** What makes a tape another from the start of a day on: every share becomes `ratio`, or the price falls by so many ticks. */
export type TapeChange = { readonly day: number } & (
  | { readonly kind: 'split'; readonly ratio: number }
  | { readonly kind: 'dividend'; readonly ticks: number }
)

/** A symbol whose tape does not simply go on. */
export type Issue = {
  /** The name it began under: its dice are of that name. */
  readonly origin: Ticker
  /** All the names it ever had. */
  readonly names: readonly Ticker[]
  /** Oldest first. */
  readonly changes: readonly TapeChange[]
  /** The day from whose start on nothing trades under this name. */
  readonly endDay?: number
}

/**
 * The profile of a symbol after a change: the same dice around another price. The price is exact where the day before
 * closed, and shares trade as many times more as there are more of them.
 */
export function profileAfter(profile: Profile, change: TapeChange, close: number): Profile {
  const factor = change.kind === 'split' ? 1 / change.ratio : (close - change.ticks) / close
  const basePrice = repriced(profile.basePrice, close, Math.max(PRICE_MIN + 1, close * factor))
  if (change.kind === 'dividend') return { ...profile, basePrice }
  const volume = Math.max(1, Math.round(profile.volume * change.ratio))
  return {
    ...profile,
    basePrice,
    volume,
    trades: Math.max(1, Math.min(profile.trades, Math.ceil(volume / SIZE_MIN))),
    depth: Math.max(1, Math.round(profile.depth * change.ratio)),
  }
}

/** Trades have at least so many shares on average. */
const SIZE_MIN = 20

/** Levels become prices as a root over a floor: by that rule, which base price leads from a close to another. */
function repriced(basePrice: number, close: number, after: number): number {
  const floor = PRICE_MIN * PRICE_MIN
  const above = Math.max(1, close * close - floor)
  return Math.sqrt(((basePrice * basePrice - floor) * (after * after - floor)) / above + floor)
}

/** A stock that did not trade for so long has no price. */
const LOOK_BACK_DAYS = 30

/** The last close before a day. */
export function closeBefore(tape: Tape, day: number): number | undefined {
  for (let before = day - 1; before >= day - LOOK_BACK_DAYS; before--) {
    const span = tape.day(before, midnightIn(tape.zone, before + 1))
    if (span) return span.close
  }
  return undefined
}
