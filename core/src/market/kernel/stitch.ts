import { join, type Span } from '../span.ts'
import { midnightIn } from '../zone.ts'
import type { Tape } from './tape.ts'
import type { Print, Range } from './tree.ts'

/** A tape that holds from the start of a day on. */
export type Stitched = { readonly day: number; readonly tape: Tape }

/** One tape of several, each from its day on; days lie whole in one of them. The first holds from the beginning. */
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
  const prints = (from: number, to: number, limit: number, backwards = false): readonly Print[] =>
    printsIn(pieces, { from, to, backwards }, limit)
  return {
    zone,
    day: (day, until) => pieces.findLast((piece) => piece.day <= day)!.tape.day(day, until),
    fold: (from, to) => foldPieces(pieces, from, to),
    runs: first.runs,
    minutes: (range, visit) => eachMinute(pieces, range, visit),
    last: (at) => lastPrint(pieces, at),
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
    (whole, piece) => join(whole, piece.tape.fold(Math.max(from, piece.from), Math.min(to, piece.to))),
    undefined,
  )
}

function eachMinute(
  pieces: readonly Piece[],
  { from, to, backwards }: Range,
  visit: (start: number, span: Span) => boolean,
): void {
  const touched = within(pieces, from, to)
  let goesOn = true
  for (const piece of backwards ? touched.toReversed() : touched) {
    if (!goesOn) return
    const range = { from: Math.max(from, piece.from), to: Math.min(to, piece.to), backwards }
    piece.tape.minutes(range, (start, span) => {
      goesOn = visit(start, span)
      return goesOn
    })
  }
}

function lastPrint(pieces: readonly Piece[], at: number): Print | undefined {
  for (const piece of pieces.toReversed()) {
    if (piece.from > at) continue
    const print = piece.tape.last(Math.min(at, piece.to - 1))
    if (print && print.at >= piece.from) return print
  }
  return undefined
}

function printsIn(pieces: readonly Piece[], { from, to, backwards }: Range, limit: number): readonly Print[] {
  const touched = within(pieces, from, to + 1)
  const found: Print[] = []
  for (const { tape, ...piece } of backwards ? touched.toReversed() : touched) {
    if (found.length >= limit) break
    const [start, end] = [Math.max(from, piece.from), Math.min(to, piece.to - 1)]
    found.push(...tape.prints(start, end, limit - found.length, backwards))
  }
  return found
}

/** What is first found in `[from, to]`, piece by piece. */
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
