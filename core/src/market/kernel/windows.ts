import { MINUTE_MICROS } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
import type { TapeItem } from './quotes.ts'

/** Changes a trade or a quote. */
export type ItemChange = <Item extends TapeItem>(item: Item) => Item

/** A span `[from, to)` in which a tape is changed. */
export type KernelWindow = {
  readonly from: number
  readonly to: number
  /** Without trades and quotes: the whole window, or the minutes for which the function returns true. */
  readonly isSilent?: true | ((minute: number) => boolean)
  /** The last trade of the window is its auction: it is not silent, but no quote follows it. */
  readonly endsInAuction?: boolean
  /** Changes trades and quotes: prices (`isRepriced`), or only quotes. */
  readonly change?: ItemChange
  readonly isRepriced?: true
  /** Replaces the result of the whole window. */
  readonly replacement?: { readonly span: Span | undefined }
}

/** A span with the same open windows. */
export type WindowPiece = {
  /** The end, or the start when reading backwards. */
  readonly edge: number
  readonly isSilent: boolean
  readonly isRepriced: boolean
  readonly changes: readonly ItemChange[]
  readonly replacement: { readonly span: Span | undefined } | undefined
}

export const overlaps = (windows: readonly KernelWindow[], from: number, to: number): boolean =>
  windows.some((window) => window.from < to && window.to > from)

/** At most this many minutes are scanned to find where silent (or normal) minutes end. */
const SCAN_MINUTES_MAX = 1440

/** The piece that starts at an instant. */
export function pieceAfter(windows: readonly KernelWindow[], at: number): WindowPiece {
  let edge = Number.POSITIVE_INFINITY
  for (const window of windows) {
    if (window.from > at) edge = Math.min(edge, window.from)
    else if (window.to > at) edge = Math.min(edge, window.to, silentEdge(window, at, 1))
  }
  return pieceOf(windows, at, edge)
}
export function pieceBefore(windows: readonly KernelWindow[], end: number): WindowPiece {
  let edge = Number.NEGATIVE_INFINITY
  for (const window of windows) {
    if (window.to < end) edge = Math.max(edge, window.to)
    else if (window.from < end) edge = Math.max(edge, window.from, silentEdge(window, end - 1, -1))
  }
  return pieceOf(windows, end - 1, edge)
}

function pieceOf(windows: readonly KernelWindow[], at: number, edge: number): WindowPiece {
  const open = windows.filter((window) => window.from <= at && window.to > at)
  return {
    edge,
    isSilent: open.some(({ isSilent }) =>
      typeof isSilent === 'function' ? isSilent(minuteOf(at)) : isSilent,
    ),
    isRepriced: open.some(({ isRepriced }) => isRepriced),
    changes: open.flatMap(({ change }) => change ?? []),
    replacement: open.find(({ replacement }) => replacement)?.replacement,
  }
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MICROS)

/** Where silent (or normal) minutes end in a direction. */
function silentEdge({ isSilent, from, to }: KernelWindow, at: number, step: 1 | -1): number {
  if (typeof isSilent !== 'function') return step === 1 ? to : from
  const [first, last] = [minuteOf(from), minuteOf(to)]
  let minute = minuteOf(at)
  const startsSilent = isSilent(minute)
  for (let count = 0; count < SCAN_MINUTES_MAX && minute >= first && minute <= last; count++) {
    minute += step
    if (isSilent(minute) !== startsSilent) break
  }
  return (step === 1 ? minute : minute + 1) * MINUTE_MICROS
}
