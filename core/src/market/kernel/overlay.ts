import { MINUTE_MICROS } from '../history/micros.ts'
import { type DaySpan, joinSpans, type Span } from '../history/span.ts'
import type { TapeCalendar } from './factors/pace.ts'
import type { Print, TapeItem } from './quotes.ts'
import { isDaily, isPriced } from './segments.ts'
import { type Direction, reaches, type Tape } from './tape.ts'
import type { TreeRange } from './tree.ts'
import { type KernelWindow, overlaps, pieceAfter, pieceBefore, type WindowPiece } from './windows.ts'

/** Number of prints read per batch when each must be checked. */
const BATCH_SIZE = 1000
/** A symbol without trades in this many pieces has no price. */
const LOOK_BACK = 100_000

/**
 * A tape with windows that are silent or changed. All other data is read from the base tape.
 */
export function overlay(base: Tape, calendar: TapeCalendar, windows: readonly KernelWindow[]): Tape {
  const quotes: Layer = { base, windows }
  const layer: Layer = { base, windows: windows.map((window) => untilAuction(base, window)) }
  const fold = (from: number, to: number): Span | undefined => foldPieces(layer, from, to)
  const prints = (from: number, to: number, limit: number, backwards = false): readonly Print[] =>
    listIn(layer, base.prints, { from, to, backwards }, limit)
  return {
    zone: base.zone,
    fold,
    prints,
    nearestTradingTime: base.nearestTradingTime,
    day: (day, until) =>
      calendar.segments(day).some((segment) => overlaps(windows, segment.from, segment.to))
        ? foldDay(calendar, fold, day, until)
        : base.day(day, until),
    minutes: (range, visit) => eachMinute(layer, range, fold, visit),
    last: (at) => lastItem(layer.windows, at, base.last),
    lastQuote: (at) => lastItem(quotes.windows, at, base.lastQuote),
    quotes: (from, to, limit, backwards = false) =>
      listIn(quotes, base.quotes, { from, to, backwards }, limit),
    next: (after, to) => prints(after + 1, to, 1)[0],
    touch: (side, price, from, to) => findTouch(quotes, side, price, from, to),
    reach: (direction, price, from, to) => findTrade(layer, direction, price, from, to),
  }
}

/** The window for trades: it ends before its auction. */
function untilAuction(base: Tape, window: KernelWindow): KernelWindow {
  const auction = window.endsInAuction ? base.last(window.to - 1) : undefined
  return auction && auction.at >= window.from ? { ...window, to: auction.at } : window
}

type Layer = { readonly base: Tape; readonly windows: readonly KernelWindow[] }

/** Visits the pieces of `[from, to)` in order until the callback returns false. */
function eachPiece(
  { windows }: Layer,
  { from, to, backwards }: TreeRange,
  visitPiece: (from: number, to: number, piece: WindowPiece) => boolean,
): void {
  let [start, end] = [from, to]
  while (start < end) {
    const piece = backwards ? pieceBefore(windows, end) : pieceAfter(windows, start)
    const [first, last] = backwards ? [Math.max(piece.edge, start), end] : [start, Math.min(piece.edge, end)]
    if (!visitPiece(first, last, piece)) return
    if (backwards) end = first
    else start = last
  }
}

const changed = <Item extends TapeItem>({ changes }: WindowPiece, item: Item): Item =>
  changes.reduce((shown, change) => change(shown), item)

function foldPieces(layer: Layer, from: number, to: number): Span | undefined {
  let total: Span | undefined
  eachPiece(layer, { from, to, backwards: false }, (start, end, piece) => {
    if (!piece.isSilent) total = joinSpans(total, foldPiece(layer.base, start, end, piece))
    return true
  })
  return total
}

function foldPiece(base: Tape, start: number, end: number, piece: WindowPiece): Span | undefined {
  if (piece.replacement) return piece.replacement.span
  if (!piece.isRepriced) return base.fold(start, end)
  return foldList(base.prints(start, end - 1, Number.POSITIVE_INFINITY).map((print) => changed(piece, print)))
}

export const foldList = (prints: readonly Print[]): Span | undefined =>
  prints.reduce<Span | undefined>((total, { at, price, size }) => {
    const one = { start: at, open: price, high: price, low: price, close: price }
    return joinSpans(total, { ...one, volume: size, trades: 1, turnover: price * size })
  }, undefined)

function foldDay(
  calendar: TapeCalendar,
  fold: Tape['fold'],
  day: number,
  until: number,
): DaySpan | undefined {
  let priced: Span | undefined
  let [volume, trades] = [0, 0]
  const segments = calendar.segments(day)
  for (const { kind, from, to } of segments) {
    if (!isDaily(kind)) continue
    const part = from < until ? fold(from, Math.min(to, until)) : undefined
    if (isPriced(kind)) priced = part
    volume += part?.volume ?? 0
    trades += part?.trades ?? 0
  }
  return priced && { ...priced, start: segments[0]!.from, volume, trades, priced: priced.volume }
}

/** Whole minutes of an unchanged piece come from the base; minutes at its edges are folded individually. */
function eachMinute(
  layer: Layer,
  range: TreeRange,
  fold: Tape['fold'],
  visit: (start: number, span: Span) => boolean,
): void {
  const { backwards } = range
  let [from, to] = [range.from, range.to]
  let shouldContinue = true
  while (shouldContinue && from < to) {
    const piece = backwards ? pieceBefore(layer.windows, to) : pieceAfter(layer.windows, from)
    const edge = backwards
      ? Math.max(from, Math.ceil(piece.edge / MINUTE_MICROS) * MINUTE_MICROS)
      : Math.min(to, Math.floor(piece.edge / MINUTE_MICROS) * MINUTE_MICROS)
    const [first, last] = backwards ? [edge, to] : [from, edge]
    if (first >= last || piece.isRepriced || piece.replacement) {
      const start = backwards ? to - MINUTE_MICROS : from
      const span = fold(start, start + MINUTE_MICROS)
      shouldContinue = !span || visit(start, span)
      if (backwards) to = start
      else from = start + MINUTE_MICROS
      continue
    }
    if (!piece.isSilent)
      layer.base.minutes({ from: first, to: last, backwards }, (start, span) => {
        shouldContinue = visit(start, span)
        return shouldContinue
      })
    if (backwards) to = first
    else from = last
  }
}

function lastItem<Item extends TapeItem>(
  windows: Layer['windows'],
  at: number,
  last: (at: number) => Item | undefined,
): Item | undefined {
  let end = at + 1
  for (let step = 0; step < LOOK_BACK; step++) {
    const item = last(end - 1)
    if (!item) return undefined
    const piece = pieceBefore(windows, item.at + 1)
    if (!piece.isSilent) return changed(piece, item)
    end = piece.edge
  }
  return undefined
}

type Read<Item> = (from: number, to: number, limit: number, backwards?: boolean) => readonly Item[]

function listIn<Item extends TapeItem>(
  layer: Layer,
  read: Read<Item>,
  range: TreeRange,
  limit: number,
): readonly Item[] {
  const found: Item[] = []
  eachPiece(layer, { ...range, to: range.to + 1 }, (start, end, piece) => {
    if (piece.isSilent) return true
    for (const item of read(start, end - 1, limit - found.length, range.backwards))
      found.push(changed(piece, item))
    return found.length < limit
  })
  return found
}

function findTouch(
  layer: Layer,
  side: 'buy' | 'sell',
  price: number,
  from: number,
  to: number,
): number | undefined {
  let found: number | undefined
  eachPiece(layer, { from: from + 1, to: to + 1, backwards: false }, (start, end, piece) => {
    if (!piece.isSilent)
      found =
        piece.changes.length === 0
          ? layer.base.touch(side, price, start - 1, end - 1)
          : scan(layer.base.quotes, piece, start, end, ({ bid, ask }) =>
              side === 'buy' ? ask <= price : bid >= price,
            )?.at
    return found === undefined
  })
  return found
}

function findTrade(
  layer: Layer,
  direction: Direction,
  price: number,
  from: number,
  to: number,
): Print | undefined {
  let found: Print | undefined
  eachPiece(layer, { from, to: to + 1, backwards: false }, (start, end, piece) => {
    if (!piece.isSilent)
      found =
        piece.changes.length === 0
          ? layer.base.reach(direction, price, start, end - 1)
          : scan(layer.base.prints, piece, start, end, (print) => reaches(direction, print.price, price))
    return found === undefined
  })
  return found
}

/** Checks items one by one, with changes applied. */
function scan<Item extends TapeItem>(
  read: Read<Item>,
  piece: WindowPiece,
  from: number,
  end: number,
  isWanted: (item: Item) => boolean,
): Item | undefined {
  for (let start = from; start < end; ) {
    const items = read(start, end - 1, BATCH_SIZE)
    for (const item of items) {
      const shown = changed(piece, item)
      if (isWanted(shown)) return shown
    }
    if (items.length < BATCH_SIZE) return undefined
    start = items.at(-1)!.at + 1
  }
  return undefined
}
