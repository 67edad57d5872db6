import type { Ticker } from '../ids.ts'
import { sixDecimals } from '../market/history/span.ts'
import type { Bar } from '../market/history/tape.ts'
import type { Instant } from '../time.ts'
import { type CorporateAction, effectiveAt } from './action.ts'
import { byDate, originsOf } from './issues.ts'

/** The kinds of actions that historical prices are adjusted for. */
export type Adjustment = { readonly split: boolean; readonly dividend: boolean }

/** Prices and volumes before `at` are multiplied by these factors. */
export type AdjustmentStep = { readonly at: Instant; readonly price: number; readonly volume: number }

/** Applied actions of the wanted kinds, under all names of the symbol, oldest first. */
export function adjustingActions(
  actions: readonly CorporateAction[],
  symbol: Ticker,
  wanted: Adjustment,
): readonly CorporateAction[] {
  const origins = originsOf(actions)
  const originOf = (name: Ticker): Ticker => origins.get(name) ?? name
  const isWanted = ({ kind, symbol: name, appliedAt }: CorporateAction): boolean =>
    appliedAt !== undefined &&
    ((kind === 'split' && wanted.split) || (kind === 'dividend' && wanted.dividend)) &&
    originOf(name) === originOf(symbol)
  return byDate(actions.filter(isWanted))
}

/** A dividend lowers earlier prices by its fraction of the last close before it. */
export function adjustStep(action: CorporateAction, closeBefore: number | undefined): AdjustmentStep {
  const at = effectiveAt(action)
  if (action.kind === 'split') {
    const [before, after] = [Number(action.oldRate), Number(action.newRate)]
    return { at, price: before / after, volume: after / before }
  }
  const rate = action.kind === 'dividend' ? Number(action.rate) / DOLLAR : 0
  const part = closeBefore === undefined ? 0 : rate / closeBefore
  return { at, price: 1 - part, volume: 1 }
}

const DOLLAR = 1_000_000_000

/**
 * A bar adjusted by all later steps: prices to four decimals, volume in whole shares. No step may fall inside
 * the bar.
 */
export function adjustedBar(bar: Bar, steps: readonly AdjustmentStep[]): Bar {
  let [price, volume] = [1, 1]
  for (const step of steps)
    if (step.at > bar.start) {
      price *= step.price
      volume *= step.volume
    }
  if (price === 1 && volume === 1) return bar
  return {
    ...bar,
    open: fourDecimals(bar.open * price),
    high: fourDecimals(bar.high * price),
    low: fourDecimals(bar.low * price),
    close: fourDecimals(bar.close * price),
    volume: Math.round(bar.volume * volume),
    vwap: sixDecimals(bar.vwap * price),
  }
}

const fourDecimals = (value: number): number => Math.round(value * 10_000) / 10_000
