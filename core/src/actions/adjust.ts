import type { Ticker } from '../ids.ts'
import { sixPlaces } from '../market/span.ts'
import type { Bar } from '../market/tape.ts'
import type { Instant } from '../time.ts'
import { type CorporateAction, momentOf } from './action.ts'
import { byDate, originsOf } from './issues.ts'

/** Which actions history is told as if they had always been in force. */
export type Adjustment = { readonly split: boolean; readonly dividend: boolean }

/** Whatever began before `at` is told at so much of its price, and as so many times its volume. */
export type AdjustmentStep = { readonly at: Instant; readonly price: number; readonly volume: number }

/** What has happened to a symbol under all its names, of the kinds that are asked for, oldest first. */
export function adjustingActions(
  actions: readonly CorporateAction[],
  symbol: Ticker,
  wanted: Adjustment,
): readonly CorporateAction[] {
  const origins = originsOf(actions)
  const originOf = (name: Ticker): Ticker => origins.get(name) ?? name
  const isMeant = ({ kind, symbol: name, appliedAt }: CorporateAction): boolean =>
    appliedAt !== undefined &&
    ((kind === 'split' && wanted.split) || (kind === 'dividend' && wanted.dividend)) &&
    originOf(name) === originOf(symbol)
  return byDate(actions.filter(isMeant))
}

/** A dividend takes the part of the last close before it that it was. */
export function stepOf(action: CorporateAction, closeBefore: number | undefined): AdjustmentStep {
  const at = momentOf(action)
  if (action.kind === 'split') {
    const [before, after] = [Number(action.oldRate), Number(action.newRate)]
    return { at, price: before / after, volume: after / before }
  }
  const rate = action.kind === 'dividend' ? Number(action.rate) / DOLLAR : 0
  const part = closeBefore === undefined ? 0 : rate / closeBefore
  return { at, price: 1 - part, volume: 1 }
}

const DOLLAR = 1_000_000_000

/** A bar in which no step falls, as it is told after all of them: prices to four places, volume in whole shares. */
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
    open: fourPlaces(bar.open * price),
    high: fourPlaces(bar.high * price),
    low: fourPlaces(bar.low * price),
    close: fourPlaces(bar.close * price),
    volume: Math.round(bar.volume * volume),
    vwap: sixPlaces(bar.vwap * price),
  }
}

const fourPlaces = (value: number): number => Math.round(value * 10_000) / 10_000
