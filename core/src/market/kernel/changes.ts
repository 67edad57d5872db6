import type { Ticker } from '../../ids.ts'
import { midnightIn } from '../history/zone.ts'
import { PRICE_MIN } from './levels.ts'
import type { Profile } from './profile.ts'
import type { Tape } from './tape.ts'

/**
 * Changes a tape from the start of a day: a split multiplies shares by `ratio`, a dividend lowers the price
 * by `ticks`.
 */
export type TapeChange = { readonly day: number } & (
  | { readonly kind: 'split'; readonly ratio: number }
  | { readonly kind: 'dividend'; readonly ticks: number }
)

/** A symbol whose tape is changed by corporate actions. */
export type Issue = {
  /** The first name; random draws use it. */
  readonly origin: Ticker
  /** Oldest first. */
  readonly changes: readonly TapeChange[]
  /** From the start of this day nothing trades under this name. */
  readonly endDay?: number
}

/**
 * The profile after a change: the same random draws around another price. The price matches the previous
 * close exactly, and volume scales with the share count.
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

/** Minimum average trade size. */
const SIZE_MIN = 20

/**
 * Prices are a root function of levels above a floor; this solves for the base price that maps one close to
 * another.
 */
function repriced(basePrice: number, close: number, after: number): number {
  const floor = PRICE_MIN * PRICE_MIN
  const above = Math.max(1, close * close - floor)
  return Math.sqrt(((basePrice * basePrice - floor) * (after * after - floor)) / above + floor)
}

/** A stock that has not traded for this long has no price. */
const LOOK_BACK_DAYS = 30

export function closeBefore(tape: Tape, day: number): number | undefined {
  for (let before = day - 1; before >= day - LOOK_BACK_DAYS; before--) {
    const span = tape.day(before, midnightIn(tape.zone, before + 1))
    if (span) return span.close
  }
  return undefined
}
