import { MINUTE_MICROS } from '../micros.ts'
import type { Span } from '../span.ts'
import type { Shown } from './quotes.ts'

/** Changes a trade or a quote. */
export type Bend = <Item extends Shown>(item: Item) => Item

/** A span `[from, to)` in which a tape is changed. */
export type Window = {
  readonly from: number
  readonly to: number
  /** Without trades and quotes: the whole window, or the minutes for which the function returns true. */
  readonly isDark?: true | ((minute: number) => boolean)
  /** Changes trades and quotes: prices (`isRepriced`), or only quotes. */
  readonly bend?: Bend
  readonly isRepriced?: true
  /** Replaces the result of the whole window. */
  readonly said?: { readonly span: Span | undefined }
}

/** A span with the same open windows. */
export type Piece = {
  /** The end, or the start when reading backwards. */
  readonly edge: number
  readonly isDark: boolean
  readonly isRepriced: boolean
  readonly bends: readonly Bend[]
  readonly said: { readonly span: Span | undefined } | undefined
}

export const touches = (windows: readonly Window[], from: number, to: number): boolean =>
  windows.some((window) => window.from < to && window.to > from)

/** Maximum number of minutes to scan for a change between dark and light. */
const LIGHT_MAX = 1440

/** The piece that starts at an instant. */
export function pieceAfter(windows: readonly Window[], at: number): Piece {
  let edge = Number.POSITIVE_INFINITY
  for (const window of windows) {
    if (window.from > at) edge = Math.min(edge, window.from)
    else if (window.to > at) edge = Math.min(edge, window.to, darkEdge(window, at, 1))
  }
  return pieceOf(windows, at, edge)
}
export function pieceBefore(windows: readonly Window[], end: number): Piece {
  let edge = Number.NEGATIVE_INFINITY
  for (const window of windows) {
    if (window.to < end) edge = Math.max(edge, window.to)
    else if (window.from < end) edge = Math.max(edge, window.from, darkEdge(window, end - 1, -1))
  }
  return pieceOf(windows, end - 1, edge)
}

function pieceOf(windows: readonly Window[], at: number, edge: number): Piece {
  const open = windows.filter((window) => window.from <= at && window.to > at)
  return {
    edge,
    isDark: open.some(({ isDark }) => (typeof isDark === 'function' ? isDark(minuteOf(at)) : isDark)),
    isRepriced: open.some(({ isRepriced }) => isRepriced),
    bends: open.flatMap(({ bend }) => bend ?? []),
    said: open.find(({ said }) => said)?.said,
  }
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MICROS)

/** The end of a run of dark (or light) minutes in a direction. */
function darkEdge({ isDark, from, to }: Window, at: number, step: 1 | -1): number {
  if (typeof isDark !== 'function') return step === 1 ? to : from
  const [first, last] = [minuteOf(from), minuteOf(to)]
  let minute = minuteOf(at)
  const whether = isDark(minute)
  for (let count = 0; count < LIGHT_MAX && minute >= first && minute <= last; count++) {
    minute += step
    if (isDark(minute) !== whether) break
  }
  return (step === 1 ? minute : minute + 1) * MINUTE_MICROS
}
