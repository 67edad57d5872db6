import { joinSpans, type Span } from '../history/span.ts'
import { midnightIn } from '../history/zone.ts'
import type { TapeItem } from './quotes.ts'
import type { Tape } from './tape.ts'
import type { TreeRange } from './tree.ts'

/** A tape that is valid from the start of a day. */
export type Stitched = { readonly day: number; readonly tape: Tape }

/** Combines several tapes, each valid from its day on. The first is valid from the beginning. */
export function stitch(first: Tape, later: readonly Stitched[]): Tape {
  if (later.length === 0) return first
  const { zone } = first
  const pieces: readonly Piece[] = [{ day: Number.NEGATIVE_INFINITY, tape: first }, ...later].map(
    ({ day, tape }, index) => ({
      day,
      tape,
      from: index === 0 ? Number.NEGATIVE_INFINITY : midnightIn(zone, day),
      to: later[index] ? midnightIn(zone, later[index].day) : Number.POSITIVE_INFINITY,
    }),
  )
  const prints: Tape['prints'] = (from, to, limit, backwards = false) =>
    listIn(pieces, { from, to, backwards }, limit, (tape) => tape.prints)
  return {
    zone,
    day: (day, until) => pieces.findLast((piece) => piece.day <= day)!.tape.day(day, until),
    fold: (from, to) => foldPieces(pieces, from, to),
    nearestTradingTime: first.nearestTradingTime,
    minutes: (range, visit) => eachMinute(pieces, range, visit),
    last: (at) => lastItem(pieces, at, (tape) => tape.last),
    lastQuote: (at) => lastItem(pieces, at, (tape) => tape.lastQuote),
    quotes: (from, to, limit, backwards = false) =>
      listIn(pieces, { from, to, backwards }, limit, (tape) => tape.quotes),
    next: (after, to) => prints(after + 1, to, 1)[0],
    prints,
    touch: (side, price, from, to) =>
      firstFound(pieces, from + 1, to, (tape, start, end) => tape.touch(side, price, start - 1, end)),
    reach: (direction, price, from, to) =>
      firstFound(pieces, from, to, (tape, start, end) => tape.reach(direction, price, start, end)),
  }
}

/** `[from, to)` */
type Piece = Stitched & { readonly from: number; readonly to: number }

const within = (pieces: readonly Piece[], from: number, to: number): readonly Piece[] =>
  pieces.filter((piece) => piece.from < to && piece.to > from)

function foldPieces(pieces: readonly Piece[], from: number, to: number): Span | undefined {
  return within(pieces, from, to).reduce<Span | undefined>(
    (total, piece) => joinSpans(total, piece.tape.fold(Math.max(from, piece.from), Math.min(to, piece.to))),
    undefined,
  )
}

function eachMinute(
  pieces: readonly Piece[],
  { from, to, backwards }: TreeRange,
  visit: (start: number, span: Span) => boolean,
): void {
  const overlapping = within(pieces, from, to)
  let shouldContinue = true
  for (const piece of backwards ? overlapping.toReversed() : overlapping) {
    if (!shouldContinue) return
    const range = { from: Math.max(from, piece.from), to: Math.min(to, piece.to), backwards }
    piece.tape.minutes(range, (start, span) => {
      shouldContinue = visit(start, span)
      return shouldContinue
    })
  }
}

function lastItem<Item extends TapeItem>(
  pieces: readonly Piece[],
  at: number,
  last: (tape: Tape) => (at: number) => Item | undefined,
): Item | undefined {
  for (const piece of pieces.toReversed()) {
    if (piece.from > at) continue
    const item = last(piece.tape)(Math.min(at, piece.to - 1))
    if (item && item.at >= piece.from) return item
  }
  return undefined
}

function listIn<Item>(
  pieces: readonly Piece[],
  { from, to, backwards }: TreeRange,
  limit: number,
  read: (tape: Tape) => (from: number, to: number, limit: number, backwards?: boolean) => readonly Item[],
): readonly Item[] {
  const overlapping = within(pieces, from, to + 1)
  const found: Item[] = []
  for (const { tape, ...piece } of backwards ? overlapping.toReversed() : overlapping) {
    if (found.length >= limit) break
    const [start, end] = [Math.max(from, piece.from), Math.min(to, piece.to - 1)]
    // Pushes one by one: a night of quotes exceeds the maximum number of call arguments.
    for (const item of read(tape)(start, end, limit - found.length, backwards)) found.push(item)
  }
  return found
}

/** The first result in `[from, to]`, piece by piece. */
function firstFound<Found>(
  pieces: readonly Piece[],
  from: number,
  to: number,
  find: (tape: Tape, from: number, to: number) => Found | undefined,
): Found | undefined {
  for (const piece of within(pieces, from, to + 1)) {
    const found = find(piece.tape, Math.max(from, piece.from), Math.min(to, piece.to - 1))
    if (found !== undefined) return found
  }
  return undefined
}
