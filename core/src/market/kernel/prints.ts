import type { Span } from '../history/span.ts'
import { bulge, clamp, type Node, type Prints, withoutAuctions } from './node.ts'
import { normal, uniform } from './random.ts'

/** Writes out the trades of a node with at least `HALF_MIN` trades; folding them gives exactly the node. */
export function writeOut(
  node: Node,
  key = node.key,
  /** Source of the prices, if not a random walk. */
  walkAlong?: (at: readonly number[]) => readonly number[],
): Prints {
  if (node.first + node.last > 0)
    return withAuctionShares(node, writeOut(withoutAuctions(node), key, walkAlong))
  const at = times(node, key)
  const walk = walkAlong?.(at) ?? walkThrough(node, key, bulge(node))
  const [top, bottom, even] = extremeIndexes(key, walk)
  const price = inTicks(node, walk)
  if (node.open !== node.high && node.close !== node.high) price[top] = node.high
  if (node.open !== node.low && node.close !== node.low) price[bottom] = node.low
  const size = distributeVolume(node, key, even)
  balance(node, price, size, even)
  return { at, price, size }
}

/** Writes out a whole segment with few trades, whose turnover is not prescribed. */
export function writeFreely(node: Node): Prints {
  const { key } = node
  const price = inTicks(node, walkThrough(node, key, undefined))
  return withAuctionShares(node, {
    at: times(node, key),
    price,
    size: distributeVolume(node, key, undefined),
  })
}

/** Adds the auction shares to the first and last trade. */
function withAuctionShares({ first, last }: Node, { at, price, size }: Prints): Prints {
  const sizes = [...size]
  sizes[0]! += first
  sizes[sizes.length - 1]! += last
  return { at, price, size: sizes }
}

/** Folds the trades of an index range (end exclusive). */
export function foldPrints(prints: Prints, from: number, to: number): Span | undefined {
  if (from >= to) return undefined
  const open = prints.price[from]!
  let [high, low, volume, turnover] = [open, open, 0, 0]
  for (let index = from; index < to; index++) {
    const price = prints.price[index]!
    if (price > high) high = price
    if (price < low) low = price
    volume += prints.size[index]!
    turnover += price * prints.size[index]!
  }
  const close = prints.price[to - 1]!
  return { start: prints.at[from]!, open, high, low, close, volume, trades: to - from, turnover }
}

/** Index of the first trade or quote at or after an instant. */
export function indexAt(list: { readonly at: readonly number[] }, at: number): number {
  let index = 0
  while (index < list.at.length && list.at[index]! < at) index++
  return index
}

/** Indexes of the maximum and the minimum between the first and last trade, and a third index. */
function extremeIndexes(key: number, walk: readonly number[]): readonly [number, number, number] {
  const last = walk.length - 1
  let top = 1
  for (let index = 2; index < last; index++) if (walk[index]! > walk[top]!) top = index
  let bottom = top === 1 ? 2 : 1
  for (let index = bottom + 1; index < last; index++)
    if (index !== top && walk[index]! < walk[bottom]!) bottom = index
  let even = 1 + Math.floor(uniform(key, 20) * (last - 3))
  if (even >= Math.min(top, bottom)) even++
  if (even >= Math.max(top, bottom)) even++
  return [top, bottom, even]
}

/**
 * A random walk from open to close, bent so that its average deviates from the middle of its ends by `off`.
 */
function walkThrough(
  { trades, open, close, deviation }: Node,
  key: number,
  off: number | undefined,
): number[] {
  const steps = Math.max(1, trades - 1)
  const scale = deviation / Math.sqrt(steps)
  const free = [0]
  for (let step = 1; step < trades; step++) free.push(free[step - 1]! + scale * normal(key, 40 + step))
  const drift = (close - open - free[trades - 1]!) / steps
  let sum = 0
  for (let index = 0; index < trades; index++) {
    free[index]! += open + drift * index
    sum += free[index]!
  }
  const bend = off === undefined ? 0 : 6 * (off + (open + close) / 2 - sum / trades)
  for (let index = 0; index < trades; index++) free[index]! += bend * (index / steps) * (1 - index / steps)
  return free
}

/** The prices of a walk in ticks, within the range. */
function inTicks({ open, high, low, close }: Node, walk: readonly number[]): number[] {
  const price: number[] = []
  for (let index = 0; index < walk.length; index++) price.push(clamp(Math.round(walk[index]!), low, high))
  price[0] = open
  price[price.length - 1] = close
  return price
}

/** Sizes of at least one share that sum to the volume; the trade at `single` gets one share. */
function distributeVolume({ trades, volume }: Node, key: number, single: number | undefined): number[] {
  const weights: number[] = []
  let total = 0
  for (let index = 0; index < trades; index++) {
    const drawn = uniform(key, 60 + index)
    const weight = index === single ? 0 : 0.05 + drawn * drawn
    weights.push(weight)
    total += weight
  }
  const size: number[] = []
  let shared = 0
  for (let index = 0; index < trades; index++) {
    const shares = 1 + Math.floor(((volume - trades) * weights[index]!) / total)
    size.push(shares)
    shared += shares
  }
  size[0]! += volume - shared
  return size
}

/** Times with uneven gaps, at least a microsecond apart. */
function times({ trades, start, end }: Node, key: number): number[] {
  const passed: number[] = []
  let total = 0
  for (let index = 0; index <= trades; index++) {
    total += 0.1 + uniform(key, 80 + index)
    passed.push(total)
  }
  const room = end - start - trades
  passed.pop()
  for (let index = 0; index < trades; index++)
    passed[index] = start + index + Math.floor((room * passed[index]!) / total)
  return passed
}

/**
 * Moves shares, then prices, until the turnover matches. First, shares move from the trades farthest from the
 * wanted extreme to a trade at that extreme; the one-share trade absorbs the rest. If no shares can be moved,
 * all trades except ends and extremes change their price.
 */
function balance(node: Node, price: number[], size: number[], even: number): void {
  let missing = node.turnover - turnoverOf(price, size)
  if (missing === 0) return
  const extreme = missing > 0 ? node.high : node.low
  const first = price.indexOf(extreme)
  const target = first === even ? price.indexOf(extreme, even + 1) : first
  const distance = (index: number): number => extreme - price[index]!
  const sources = farthestFirst(price, extreme, even)
  for (const source of sources) {
    const moved = Math.min(size[source]! - 1, Math.floor(missing / distance(source)))
    missing -= move(size, source, target, moved) * distance(source)
  }
  if (Math.abs(missing) > Math.abs(distance(even))) {
    const spare = sources.find((source) => size[source]! > 1)
    // One share too many; then the one-share trade can correct in the other direction.
    if (spare !== undefined) missing -= move(size, spare, target, 1) * distance(spare)
    else missing = raise(node, price, size, missing, extreme)
  }
  price[even]! += missing
}

function turnoverOf(price: readonly number[], size: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < price.length; index++) sum += price[index]! * size[index]!
  return sum
}

/** Indexes of the prices that differ from the extreme, except one index; the farthest first. */
function farthestFirst(price: readonly number[], extreme: number, except: number): number[] {
  const indexes: number[] = []
  for (let index = 0; index < price.length; index++) {
    const distance = Math.abs(extreme - price[index]!)
    if (index === except || distance === 0) continue
    let at = indexes.length
    for (; at > 0 && Math.abs(extreme - price[indexes[at - 1]!]!) < distance; at--)
      indexes[at] = indexes[at - 1]!
    indexes[at] = index
  }
  return indexes
}

function move(size: number[], from: number, to: number, shares: number): number {
  size[from]! -= shares
  size[to]! += shares
  return shares
}

/** Moves the prices of one-share trades towards the extreme, keeping one trade at each end of the range. */
function raise(node: Node, price: number[], size: number[], missing: number, extreme: number): number {
  const other = extreme === node.high ? node.low : node.high
  const last = node.trades - 1
  let kept = price[0] === other || price[last] === other
  let rest = missing
  for (let index = 1; index < last && rest !== 0; index++) {
    if (size[index] !== 1 || price[index] === extreme) continue
    if (!kept && price[index] === other) {
      kept = true
      continue
    }
    const step = rest > 0 ? Math.min(rest, extreme - price[index]!) : Math.max(rest, extreme - price[index]!)
    price[index]! += step
    rest -= step
  }
  return rest
}
