import type { Hours } from '../../world.ts'
import { MINUTE_MICROS } from '../history/micros.ts'
import { joinSpans, type Span } from '../history/span.ts'
import { type Image, mapped, splitImage } from './factors/image.ts'
import { type Blend, type Halves, type Node, type Prints, WRITE_OUT_MAX } from './node.ts'
import { foldPrints, indexAt, writeOut } from './prints.ts'
import type { Profile } from './profile.ts'
import { isPriced, type Segment, shareBy } from './segments.ts'
import { type Cut, split } from './split.ts'

/** A segment and its nodes created so far. */
export type Tree = {
  readonly segment: Segment
  readonly profile: Profile
  readonly hours: Hours
  readonly blend: Blend
  /** Key of the symbol's own draws for times, sizes and quotes, even if it follows a leader. */
  readonly own: number
  readonly root: Node | undefined
  /** The leader's tree of the same segment. */
  readonly leader?: { readonly tree: Tree; readonly image: Image }
}

export type TreeRange = { readonly from: number; readonly to: number; readonly backwards: boolean }

/** Restricts a search to nodes that satisfy `matches`. */
export type LeafRange = TreeRange & { readonly matches?: (span: Span) => boolean }

/** The trades of `[from, to)` as one span; whole nodes are used unsplit. */
export function fold(tree: Tree, from: number, to: number): Span | undefined {
  return tree.root && foldNode(tree, tree.root, from, to)
}

function foldNode(tree: Tree, node: Node, from: number, to: number): Span | undefined {
  if (node.end <= from || node.start >= to) return undefined
  if (node.start >= from && node.end <= to) return node
  const prints = printsOf(tree, node)
  if (prints) return foldPrints(prints, indexAt(prints, from), indexAt(prints, to))
  const [left, right] = halvesOf(tree, node)
  return joinSpans(left && foldNode(tree, left, from, to), right && foldNode(tree, right, from, to))
}

/**
 * Visits the minutes of `[from, to)` that have trades, forwards or backwards, until `visit` returns false.
 * The start passed to `visit` is the minute's.
 */
export function eachMinute(
  tree: Tree,
  range: TreeRange,
  visit: (start: number, span: Span) => boolean,
): boolean {
  // A partial read is likely to be repeated, so its halves are cached. A read to the end is not.
  const isPart = range.to < tree.segment.to
  const walk = (node: Node | undefined): boolean => {
    if (!node || node.end <= range.from || node.start >= range.to) return true
    if (node.end - node.start <= MINUTE_MICROS) return visit(node.start, node)
    const prints = printsOf(tree, node)
    if (prints) return eachPrintedMinute(prints, range, visit)
    const [left, right] = halvesOf(tree, node, isPart)
    return range.backwards ? walk(right) && walk(left) : walk(left) && walk(right)
  }
  return walk(tree.root)
}

function eachPrintedMinute(
  prints: Prints,
  { from, to, backwards }: TreeRange,
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
 * Visits the written-out nodes that overlap `[from, to]` and satisfy `matches`, forwards or backwards, until
 * `visit` returns false. `first` is the index of the node's first trade in the segment.
 */
export function eachLeaf(
  tree: Tree,
  range: LeafRange,
  visit: (node: Node, prints: Prints, first: number) => boolean,
): boolean {
  return eachLeafOf(tree, tree.root, 0, range, visit)
}

function eachLeafOf(
  tree: Tree,
  node: Node | undefined,
  first: number,
  range: LeafRange,
  visit: (node: Node, prints: Prints, first: number) => boolean,
): boolean {
  if (!node || node.end <= range.from || node.start > range.to || range.matches?.(node) === false) return true
  const prints = printsOf(tree, node)
  if (prints) return visit(node, prints, first)
  const [left, right] = halvesOf(tree, node)
  const middle = first + (left?.trades ?? 0)
  return range.backwards
    ? eachLeafOf(tree, right, middle, range, visit) && eachLeafOf(tree, left, first, range, visit)
    : eachLeafOf(tree, left, first, range, visit) && eachLeafOf(tree, right, middle, range, visit)
}

/** Key of a node's draws for times, sizes and quotes. */
export const drawKey = (tree: Tree, node: Node): number => node.timeKey ^ tree.own

/** The trades of a node that is small enough to be written out. */
function printsOf(tree: Tree, node: Node): Prints | undefined {
  if (node.prints || node.trades > WRITE_OUT_MAX) return node.prints
  const along = walkAlong(tree, node)
  node.prints = writeOut(node, drawKey(tree, node), along)
  return node.prints
}

/** A leader with more trades than this in the node is not read trade by trade. */
const LEADER_TRADES_MAX = 1000

/**
 * The leader's last price at a time, converted to this symbol, while the node follows its leader. Times must
 * ascend, so leader nodes that end before a time are skipped: their close is known.
 */
export function leadingPrice(tree: Tree, node: Node): ((at: number) => number) | undefined {
  const { leader } = node
  if (!leader || !tree.leader || leader.trades > LEADER_TRADES_MAX) return undefined
  const { tree: leading, image } = tree.leader
  /** Remaining leader nodes; the next one is last. */
  const coming = [leader]
  let price = leader.open
  return (at) => {
    for (let next = coming.at(-1); next && next.start <= at; next = coming.at(-1)) {
      const prints = next.end <= at ? undefined : printsOf(leading, next)
      if (prints) {
        const index = indexAt(prints, at + 1) - 1
        if (index >= 0) price = prints.price[index]!
        break
      }
      coming.pop()
      if (next.end <= at) price = next.close
      else {
        const [left, right] = halvesOf(leading, next)
        if (right) coming.push(right)
        if (left) coming.push(left)
      }
    }
    return mapped(image, price)
  }
}

function walkAlong(tree: Tree, node: Node): ((at: readonly number[]) => readonly number[]) | undefined {
  const priceAt = leadingPrice(tree, node)
  return priceAt && ((times) => times.map(priceAt))
}

/**
 * Halves longer than a minute are cached. Shorter ones are too many, and each is created in a microsecond.
 */
function halvesOf(tree: Tree, node: Node, isKept = true): Halves {
  if (node.halves) return node.halves
  const isLong = node.end - node.start > MINUTE_MICROS
  return halveAt(tree, node, isLong ? cutInMinutes(tree, node) : cutInTwo(node), isLong && isKept)
}

function halveAt(tree: Tree, node: Node, cut: Cut, isKept: boolean): Halves {
  if (node.halves) return node.halves
  const halves = imagesOf(tree, node, cut, isKept) ?? split(node, cut, tree.blend)
  if (isKept) node.halves = halves
  return halves
}

/** The halves of a node that follows its leader; both are cut at the same point. */
function imagesOf(tree: Tree, node: Node, cut: Cut, isKept: boolean): Halves | undefined {
  const { leader } = node
  if (!leader || !tree.leader || leader.trades <= WRITE_OUT_MAX) return undefined
  const leaders = halveAt(tree.leader.tree, leader, cut, isKept)
  return splitImage(node, leaders, cut, tree.leader.image)
}

/** Deviation of the trade distribution; smaller outside the session on tapes without a break. */
const SPREAD = 0.35
const EVEN_SPREAD = 0.1

const cutInTwo = ({ start, end }: Node): Cut => ({
  middle: start + Math.floor((end - start) / 2),
  share: 0.5,
  spread: SPREAD,
})

/** Cuts between two minutes, with the share expected for the time of day. */
function cutInMinutes({ segment, hours }: Tree, { start, end }: Node): Cut {
  const middle = start + Math.floor((end - start) / 2 / MINUTE_MICROS) * MINUTE_MICROS
  if (hours === 'always' && !isPriced(segment.kind))
    return { middle, share: (middle - start) / (end - start), spread: EVEN_SPREAD }
  const before = expectedBy(segment, start)
  const share = (expectedBy(segment, middle) - before) / (expectedBy(segment, end) - before)
  return { middle, share, spread: SPREAD }
}

const expectedBy = ({ kind, from, to }: Segment, at: number): number =>
  shareBy(kind, (at - from) / (to - from))
