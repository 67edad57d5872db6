import type { Kind } from './rows.ts'
import { WHOLE_MAX } from './scale.ts'

// As in FIELDS.
const [OPEN, HIGH, LOW, CLOSE, VOLUME, TRADES, VWAP] = [0, 1, 2, 3, 4, 5, 6] as const
const [ASK, ASK_SIZE, BID, BID_SIZE] = [0, 1, 2, 3] as const

/** Columns as they are written: a column can be foretold by those before it. */
export const ORDER: Readonly<Record<Kind, readonly number[]>> = {
  bars: [CLOSE, OPEN, HIGH, LOW, VOLUME, TRADES, VWAP],
  trades: [0, 1, 2],
  quotes: [BID, ASK, ASK_SIZE, BID_SIZE],
}

/** Columns that get one scale, where there is one. */
export const sameScale: Readonly<Record<Kind, readonly number[]>> = {
  bars: [CLOSE, OPEN, HIGH, LOW],
  trades: [],
  quotes: [BID, ASK],
}

/** The column in question, and the whole numbers of those before it; a scale of -1 has none. */
export type Question = {
  readonly kind: Kind
  readonly number: number
  readonly wholes: readonly Float64Array[]
  readonly scales: readonly number[]
}

/**
 * What a column will probably be: an open the close before it, a high and a low the farther of open and close, an
 * average price the close, an ask the bid. False where nothing can be said.
 */
export function foretell(question: Question, foretold: Float64Array): boolean {
  const { kind, number, wholes, scales } = question
  const alike = (...others: number[]): boolean => others.every((other) => scales[other] === scales[number])
  if (kind === 'quotes' && number === ASK && alike(BID)) foretold.set(wholes[BID]!)
  else if (kind === 'bars' && number === OPEN && alike(CLOSE)) openings(wholes[CLOSE]!, foretold)
  else if (kind === 'bars' && (number === HIGH || number === LOW) && alike(OPEN, CLOSE))
    extremes(wholes[OPEN]!, wholes[CLOSE]!, number === HIGH, foretold)
  else if (kind === 'bars' && number === VWAP && scales[CLOSE]! >= 0 && scales[VWAP]! >= scales[CLOSE]!)
    return enlarged(wholes[CLOSE]!, 10 ** (scales[VWAP]! - scales[CLOSE]!), foretold)
  else return false
  return true
}

function openings(closes: Float64Array, foretold: Float64Array): void {
  foretold.set(closes.subarray(0, closes.length - 1), 1)
  foretold[0] = closes[0]!
}

function extremes(opens: Float64Array, closes: Float64Array, isHigh: boolean, foretold: Float64Array): void {
  for (let row = 0; row < opens.length; row++) {
    const open = opens[row]!
    const close = closes[row]!
    foretold[row] = open > close === isHigh ? open : close
  }
}

/** False where a number would no longer be exact. */
function enlarged(closes: Float64Array, factor: number, foretold: Float64Array): boolean {
  for (let row = 0; row < closes.length; row++) {
    const large = closes[row]! * factor
    if (large > WHOLE_MAX || large < -WHOLE_MAX) return false
    foretold[row] = large
  }
  return true
}
