import type { Span } from '../span.ts'
import { normal, uniform } from './dice.ts'
import { bulge, clamp, type Node, type Prints } from './node.ts'

/** Writes out a stretch of `HALF_MIN` trades or more: they fold back into it exactly. */
export function writeOut(node: Node): Prints {
  const { key, trades } = node
  const [top, bottom, even] = threePlaces(key, trades)
  const price = chord(node)
  if (node.open !== node.high && node.close !== node.high) price[top] = node.high
  if (node.open !== node.low && node.close !== node.low) price[bottom] = node.low
  const size = shareOut(node, even)
  balance(node, price, size, [top, bottom, even])
  return { at: times(node), price, size }
}

/** Writes out a whole segment of few trades, where nothing above prescribes the turnover. */
export function writeFreely(node: Node): Prints {
  const price = chord(node)
  if (node.trades === 1) price[0] = node.close
  return { at: times(node), price, size: shareOut(node, undefined) }
}

/** The trades from one place to another (excluded) as one stretch. */
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

/** The place of the first trade at or after an instant. */
export function placeOf(prints: Prints, at: number): number {
  let place = 0
  while (place < prints.at.length && prints.at[place]! < at) place++
  return place
}

/** Three different places between the first trade and the last. */
function threePlaces(key: number, trades: number): readonly [number, number, number] {
  const inner = trades - 2
  const first = Math.floor(uniform(key, 20) * inner)
  const second = (first + 1 + Math.floor(uniform(key, 21) * (inner - 1))) % inner
  let third = Math.floor(uniform(key, 22) * (inner - 2))
  if (third >= Math.min(first, second)) third++
  if (third >= Math.max(first, second)) third++
  return [first + 1, second + 1, third + 1]
}

/** Prices along the way from open to close, bent towards the average and scattered within the range. */
function chord(node: Node): number[] {
  const { key, trades, open, close, high, low } = node
  const scatter = 0.3 * node.deviation
  const bend = node.turnover === 0 ? 0 : 6 * bulge(node)
  const price: number[] = []
  for (let index = 0; index < trades; index++) {
    const part = index / Math.max(1, trades - 1)
    const straight = open + (close - open) * part + bend * part * (1 - part)
    price.push(clamp(Math.round(straight + scatter * normal(key, 40 + index)), low, high))
  }
  price[0] = open
  if (trades > 1) price[trades - 1] = close
  return price
}

/** Sizes of at least one share each that sum to the volume; the trade at `single` has one share. */
function shareOut({ key, trades, volume }: Node, single: number | undefined): number[] {
  const weights: number[] = []
  let total = 0
  for (let index = 0; index < trades; index++) {
    const drawn = uniform(key, 60 + index)
    weights.push(index === single ? 0 : 0.05 + drawn * drawn)
    total += weights[index]!
  }
  const size = weights.map((weight) => 1 + Math.floor(((volume - trades) * weight) / total))
  size[0]! += volume - size.reduce((sum, shares) => sum + shares, 0)
  return size
}

/** Times with uneven gaps, each trade at least a microsecond after the one before. */
function times({ key, trades, start, end }: Node): number[] {
  const passed: number[] = []
  let total = 0
  for (let index = 0; index <= trades; index++) {
    total += 0.1 + uniform(key, 80 + index)
    passed.push(total)
  }
  const room = end - start - trades
  return passed.slice(0, trades).map((sum, index) => start + index + Math.floor((room * sum) / total))
}

/**
 * Moves shares, then prices, until the turnover is met. First shares go from the trades farthest from the
 * wanted side to one that prints the extreme of that side; the trade of one share takes up the rest. Where no
 * shares are left to move, every trade that is no end and no extreme moves its price.
 */
function balance(
  node: Node,
  price: number[],
  size: number[],
  places: readonly [number, number, number],
): void {
  const even = places[2]
  let missing = node.turnover - price.reduce((sum, ticks, index) => sum + ticks * size[index]!, 0)
  if (missing === 0) return
  const extreme = missing > 0 ? node.high : node.low
  const target = price.findIndex((ticks, index) => ticks === extreme && index !== even)
  const distance = (index: number): number => extreme - price[index]!
  const sources = price.map((_, index) => index).filter((index) => index !== even && distance(index) !== 0)
  sources.sort((a, b) => Math.abs(distance(b)) - Math.abs(distance(a)) || a - b)
  for (const source of sources) {
    const moved = Math.min(size[source]! - 1, Math.floor(missing / distance(source)))
    missing -= move(size, source, target, moved) * distance(source)
  }
  if (Math.abs(missing) > Math.abs(distance(even))) {
    const spare = sources.find((source) => size[source]! > 1)
    // One share too many: then the single share has room on the other side.
    if (spare !== undefined) missing -= move(size, spare, target, 1) * distance(spare)
    else missing = raise(node, price, size, missing, extreme)
  }
  price[even]! += missing
}

function move(size: number[], from: number, to: number, shares: number): number {
  size[from]! -= shares
  size[to]! += shares
  return shares
}

/** Moves prices of single shares towards the extreme, keeping one trade at each end of the range. */
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
