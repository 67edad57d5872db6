import type { RowKind } from './rows.ts'

/** The key of a series. Only bars have a `frame`, spelled as in the API (`1Min`, `1Day`). */
export type SeriesKey = {
  readonly kind: RowKind
  readonly symbol: string
  readonly frame?: string | undefined
}

const SYMBOL_LENGTH_MAX = 40

/** `bars-1Min.AAPL`, `trades.BTC/USD`. */
export const seriesName = ({ kind, frame, symbol }: SeriesKey): string =>
  `${kind}${frame === undefined ? '' : `-${frame}`}.${symbol}`

export const isSymbol = (text: string): boolean =>
  text.length > 0 && text.length <= SYMBOL_LENGTH_MAX && !/[\s\p{C}]/u.test(text)

/** Crypto pairs contain a slash. Their days begin at midnight UTC, all others in New York. */
export const isPairKey = (symbol: string): boolean => symbol.includes('/')

const HOUR_MICROS = 3_600_000_000
const DAY_MICROS = 24 * HOUR_MICROS

/** The time that one block covers: some hundred to some thousand rows. */
export function periodOf({ kind, frame = '' }: SeriesKey): number {
  if (kind !== 'bars') return HOUR_MICROS
  if (frame.endsWith('Min')) return 8 * DAY_MICROS
  return frame.endsWith('Hour') ? 64 * DAY_MICROS : 4096 * DAY_MICROS
}
