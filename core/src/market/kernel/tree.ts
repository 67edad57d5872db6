import { MINUTE_MICROS } from '../micros.ts'
import { join, type Span } from '../span.ts'
import { normal, uniform } from './dice.ts'
import { type Halves, type Node, type Prints, WRITTEN_OUT } from './node.ts'
import { foldPrints, placeOf, writeOut } from './prints.ts'
import type { Profile } from './profile.ts'
import { type Segment, shareBy } from './segments.ts'
import { split } from './split.ts'

/** A segment and what has been made of it. */
export type Tree = {
  readonly segment: Segment
  readonly profile: Profile
  readonly coupling: number
  readonly root: Node | undefined
}

/** A trade and the quote that it leaves. */
export type Print = {
  /** Microseconds since 1970. */
  readonly at: number
  readonly price: number
  readonly size: number
  /** Who crossed the spread. */
  readonly isBuy: boolean
  readonly bid: number
  readonly ask: number
  readonly bidSize: number
  readonly askSize: number
  /** Its number in the segment, from 0. */
  readonly number: number
  readonly segment: Segment
}

/** A range of time, walked forwards or backwards. */
export type Range = { readonly from: number; readonly to: number; readonly backwards: boolean }

/** The trades of `[from, to)` as one stretch: whole branches are taken as they are. */
export function fold(tree: Tree, from: number, to: number): Span | undefined {
  return tree.root && foldNode(tree, tree.root, from, to)
}

function foldNode(tree: Tree, node: Node, from: number, to: number): Span | undefined {
  if (node.end <= from || node.start >= to) return undefined
  if (node.start >= from && node.end <= to) return node
  const prints = printsOf(node)
  if (prints) return foldPrints(prints, placeOf(prints, from), placeOf(prints, to))
  const [left, right] = halvesOf(tree, node)
  return join(left && foldNode(tree, left, from, to), right && foldNode(tree, right, from, to))
}

/**
 * Visits the minutes of `[from, to)` that have trades, forwards or backwards, until `visit` answers false. The
 * start handed over is the minute's.
 */
export function eachMinute(tree: Tree, range: Range, visit: (start: number, span: Span) => boolean): boolean {
  // Who reads a whole segment reads on; who reads a part of it comes back, so its halves are kept.
  const isPart = range.from > tree.segment.from || range.to < tree.segment.to
  const walk = (node: Node | undefined): boolean => {
    if (!node || node.end <= range.from || node.start >= range.to) return true
    if (node.end - node.start <= MINUTE_MICROS) return visit(node.start, node)
    const prints = printsOf(node)
    if (prints) return eachPrintedMinute(prints, range, visit)
    const [left, right] = halvesOf(tree, node, isPart)
    return range.backwards ? walk(right) && walk(left) : walk(left) && walk(right)
  }
  return walk(tree.root)
}

function eachPrintedMinute(
  prints: Prints,
  { from, to, backwards }: Range,
  visit: (start: number, span: Span) => boolean,
): boolean {
  const { at } = prints
  let [first, end] = [0, at.length]
  while (first < end) {
    const minute = minuteOf(at[backwards ? end - 1 : first]!)
    let edge = backwards ? end - 1 : first + 1
    if (backwards) while (edge > first && at[edge - 1]! >= minute) edge--
    else while (edge < end && at[edge]! < minute + MINUTE_MICROS) edge++
    const span = backwards ? foldPrints(prints, edge, end) : foldPrints(prints, first, edge)
    if (minute >= from && minute < to && !visit(minute, span!)) return false
    if (backwards) end = edge
    else first = edge
  }
  return true
}

/** Faster than `%`, which is slow for doubles. */
const minuteOf = (at: number): number => Math.floor(at / MINUTE_MICROS) * MINUTE_MICROS

/**
 * Visits the written-out stretches that touch `[from, to]` and that `holds` lets through, forwards or backwards,
 * until `visit` answers false. `first` is the number of the stretch's first trade in the segment.
 */
export function eachLeaf(
  tree: Tree,
  range: Range & { readonly holds?: (span: Span) => boolean },
  visit: (node: Node, prints: Prints, first: number) => boolean,
): boolean {
  const walk = (node: Node | undefined, first: number): boolean => {
    if (!node || node.end <= range.from || node.start > range.to || range.holds?.(node) === false) return true
    const prints = printsOf(node)
    if (prints) return visit(node, prints, first)
    const [left, right] = halvesOf(tree, node)
    const middle = first + (left?.trades ?? 0)
    return range.backwards
      ? walk(right, middle) && walk(left, first)
      : walk(left, first) && walk(right, middle)
  }
  return walk(tree.root, 0)
}

/** Trades outside the regular session find a wider market. */
const WIDER = { early: 4, pre: 2.5, regular: 1, post: 2.5, late: 4, closed: 4, round: 1 } as const

/**
 * A buy prints at the ask, a sell at the bid; the other side is a spread away. Where the tape never rests the quote
 * settles around the trade, so that its middle is the last price.
 */
export function quoteOf(tree: Tree, node: Node, prints: Prints, place: number): { bid: number; ask: number } {
  const price = prints.price[place]!
  const usual = (price * tree.profile.spread * WIDER[tree.segment.kind]) / 10_000
  const drawn = usual * (0.6 + 0.8 * uniform(node.key, 120 + place)) + uniform(node.key, 140 + place)
  const spread = Math.max(1, Math.floor(drawn))
  if (tree.segment.kind === 'round') {
    const half = Math.ceil(spread / 2)
    return { bid: price - half, ask: price + half }
  }
  return isBuy(node, prints, place)
    ? { bid: price - spread, ask: price }
    : { bid: price, ask: price + spread }
}

export function printAt(tree: Tree, node: Node, prints: Prints, place: number, first: number): Print {
  const { bid, ask } = quoteOf(tree, node, prints, place)
  return {
    at: prints.at[place]!,
    price: prints.price[place]!,
    size: prints.size[place]!,
    isBuy: isBuy(node, prints, place),
    bid,
    ask,
    bidSize: shownSize(tree, node, 160 + place),
    askSize: shownSize(tree, node, 180 + place),
    number: first + place,
    segment: tree.segment,
  }
}

/** Round lots; small ones are more frequent. */
function shownSize(tree: Tree, node: Node, draw: number): number {
  const drawn = uniform(node.key, draw)
  return (tree.profile.roundLot ?? 100) * (1 + Math.floor(tree.profile.depth * drawn * drawn))
}

/** Buyers rather print above the trade before, sellers below it. */
function isBuy(node: Node, prints: Prints, place: number): boolean {
  const step = prints.price[place]! - (prints.price[place - 1] ?? prints.price[place]!)
  return normal(node.key, 200 + place) + (step > 0 ? 0.8 : step < 0 ? -0.8 : 0) > 0
}

/** The trades of a stretch that is small enough to be written out. */
function printsOf(node: Node): Prints | undefined {
  if (node.prints || node.trades > WRITTEN_OUT) return node.prints
  node.prints = writeOut(node)
  return node.prints
}

/** Down to the minute the halves are kept; below it there are too many, and each is made in a microsecond. */
function halvesOf(tree: Tree, node: Node, isKept = true): Halves {
  if (node.halves) return node.halves
  const length = node.end - node.start
  const isLong = length > MINUTE_MICROS
  const unit = isLong ? MINUTE_MICROS : 1
  const middle = node.start + Math.floor(length / 2 / unit) * unit
  const halves = split(node, middle, isLong ? shareOf(tree.segment, node, middle) : 0.5, tree.coupling)
  if (isLong && isKept) node.halves = halves
  return halves
}

/** The part of a stretch's trades that the time of day lets expect before its middle. */
function shareOf({ kind, from, to }: Segment, node: Node, middle: number): number {
  const by = (at: number): number => shareBy(kind, (at - from) / (to - from))
  const [start, end] = [by(node.start), by(node.end)]
  return (by(middle) - start) / (end - start)
}
