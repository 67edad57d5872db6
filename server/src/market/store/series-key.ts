import type { Kind } from './rows.ts'

/** What a series holds: `frame` is there for bars alone, spelled as the wire does (`1Min`, `1Day`). */
export type SeriesKey = { readonly kind: Kind; readonly symbol: string; readonly frame?: string | undefined }

const SYMBOL_LENGTH_MAX = 40

/** One text for each key: a map's key, and the beginning of the names of its files. */
export function seriesName({ kind, frame, symbol }: SeriesKey): string {
  return `${kind}${frame === undefined ? '' : `-${frame}`}.${safeName(symbol)}`
}

/**
 * Capital letters, digits and dashes stay; all else, small letters too, becomes `%` and hex, because some disks know
 * no difference between `a` and `A`. `BTC/USD` is `BTC%2FUSD`, `BRK.B` is `BRK%2EB`.
 */
export function safeName(symbol: string): string {
  let name = ''
  for (const byte of Buffer.from(symbol)) {
    const char = String.fromCharCode(byte)
    name += /[A-Z0-9-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return name
}

/** Can there be a series of this symbol? */
export const isSymbol = (text: string): boolean =>
  text.length > 0 && text.length <= SYMBOL_LENGTH_MAX && !/[\s\p{C}]/u.test(text)

/** Coins are written as a pair; their days begin at midnight in UTC, all others' in New York. */
export const isPair = (symbol: string): boolean => symbol.includes('/')
