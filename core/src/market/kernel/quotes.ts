import type { Node, Prints } from './node.ts'
import type { Profile } from './profile.ts'
import { mix, normal, uniform } from './random.ts'
import type { Segment } from './segments.ts'
import { drawKey, leadingPrice, type Tree } from './tree.ts'

/** The market state from an instant on. */
export type TapeItem = {
  /** Microseconds since 1970. */
  readonly at: number
  /** Price of the last trade. */
  readonly price: number
  readonly bid: number
  readonly ask: number
  readonly bidSize: number
  readonly askSize: number
  /** Index of the last trade in the segment, from 0. */
  readonly number: number
  readonly segment: Segment
}

/** A trade and the quote after it. */
export type Print = TapeItem & {
  readonly size: number
  /** Whether a buyer crossed the spread. */
  readonly isBuy: boolean
}

/** A quote. The quote after a trade has update number 0; later ones before the next trade count from 1. */
export type QuoteUpdate = TapeItem & { readonly update: number }

/** Minimum and maximum number of quotes after a trade, the same for a follower, and the minimum distance. */
const UPDATES = [1, 6] as const
const FOLLOWER_UPDATES = [4, 12] as const
const GAP_MICROS = 200

/** On tapes with a night break, spreads are wider outside the regular session. */
const WIDER = { early: 4, pre: 2.5, regular: 1, post: 2.5, late: 4, closed: 4, round: 1 } as const

/** The quotes of a written-out node, in order: those after trades and those between. */
export type Quotes = {
  readonly at: readonly number[]
  readonly bid: readonly number[]
  readonly ask: readonly number[]
  /** Index of the last trade, and the number of quotes since. */
  readonly printIndex: readonly number[]
  readonly update: readonly number[]
}

type Sides = { readonly bid: number; readonly ask: number }

/** All quotes of a node, from one trade on. */
export function quotesOf(tree: Tree, node: Node, prints: Prints, from = 0): Quotes {
  const quotes: Writable = { at: [], bid: [], ask: [], printIndex: [], update: [] }
  const lead = leadingPrice(tree, node)
  let now = prints.at.length > from ? sidesOf(tree, node, prints, from) : undefined
  for (let printIndex = from; now; printIndex++) {
    const isLast = printIndex === prints.at.length - 1
    const next = isLast ? undefined : sidesOf(tree, node, prints, printIndex + 1)
    push(quotes, prints.at[printIndex]!, now, printIndex, 0)
    updateUntil(isLast ? node.end : prints.at[printIndex + 1]!, {
      tree,
      node,
      prints,
      quotes,
      lead,
      printIndex,
      now,
      next,
    })
    now = next
  }
  return quotes
}

type Writable = { [Key in keyof Quotes]: number[] }

function push(quotes: Writable, at: number, { bid, ask }: Sides, printIndex: number, update: number): void {
  quotes.at.push(at)
  quotes.bid.push(bid)
  quotes.ask.push(ask)
  quotes.printIndex.push(printIndex)
  quotes.update.push(update)
}

/** A trade, its quote and the next one, and the list that quotes are added to. */
type Gap = {
  readonly tree: Tree
  readonly node: Node
  readonly prints: Prints
  readonly quotes: Writable
  readonly lead: ((at: number) => number) | undefined
  readonly printIndex: number
  readonly now: Sides
  readonly next: Sides | undefined
}

/** The quotes between two trades; the last one is the quote at which the next trade prints. */
function updateUntil(end: number, { tree, node, prints, quotes, lead, printIndex, now, next }: Gap): void {
  const key = drawKey(tree, node)
  const start = prints.at[printIndex]!
  const isRound = tree.segment.kind === 'round'
  const [least, most] = lead ? FOLLOWER_UPDATES : UPDATES
  const drawn = least + Math.floor((most - least + 1) * uniform(key, 220 + printIndex))
  const count = Math.min(drawn, Math.floor((end - start) / GAP_MICROS) - 1)
  for (let update = 1; update <= count; update++) {
    const draw = 1000 + printIndex * 64 + update * 4
    const part = partOf(update, count, uniform(key, draw), lead !== undefined)
    const at = start + update * GAP_MICROS + Math.floor((end - start - (count + 1) * GAP_MICROS) * part)
    if (update === count && next && !isRound) push(quotes, at, next, printIndex, update)
    else {
      const progress = (at - start) / (end - start)
      const middle = lead ? lead(at) : middleAt(now, next ?? now, progress, uniform(key, draw + 1))
      const around = isRound ? prints.price[printIndex]! : middle
      push(quotes, at, within(node, sidesAround(tree, around, key, draw + 2)), printIndex, update)
    }
  }
}

/**
 * Relative time of a quote in the gap. A follower's quotes are close to its leader's price, except right
 * before and after a trade.
 */
function partOf(update: number, count: number, chance: number, isLed: boolean): number {
  if (isLed && update === 1 && count > 1) return 0
  return isLed && update === count ? 1 : (update - 1 + chance) / count
}

/** Interpolates between two quotes, with up to one tick of noise. */
function middleAt(now: Sides, next: Sides, part: number, chance: number): number {
  const [first, last] = [(now.bid + now.ask) / 2, (next.bid + next.ask) / 2]
  return first + (last - first) * part + 2 * chance - 1
}

function sidesAround(tree: Tree, middle: number, key: number, draw: number): Sides {
  const spread = spreadAt(tree, middle, key, draw, draw + 1)
  if (tree.segment.kind === 'round') return centred(middle, spread)
  const bid = Math.round(middle - spread / 2)
  return { bid, ask: bid + spread }
}

/** A quote never exceeds its node's range, so a search can skip nodes whose range excludes a price. */
function within({ high, low }: Node, { bid, ask }: Sides): Sides {
  const shift = bid > high ? high - bid : ask < low ? low - ask : 0
  return { bid: Math.max(1, bid + shift), ask: ask + shift }
}

function spreadAt(
  { profile, hours, segment }: Tree,
  price: number,
  key: number,
  draw: number,
  round: number,
): number {
  const wider = hours === 'always' ? 1 : WIDER[segment.kind]
  const usual = (price * profile.spread * wider) / 10_000
  return Math.max(1, Math.floor(usual * (0.6 + 0.8 * uniform(key, draw)) + uniform(key, round)))
}

const centred = (price: number, spread: number): Sides => {
  const half = Math.ceil(spread / 2)
  return { bid: price - half, ask: price + half }
}

/**
 * A buy prints at the ask, a sell at the bid; the other side is a spread away. On a tape without night break,
 * the quote is centred on the trade, so that its midpoint is the last price.
 */
function sidesOf(tree: Tree, node: Node, prints: Prints, printIndex: number): Sides {
  const price = prints.price[printIndex]!
  const key = drawKey(tree, node)
  const spread = spreadAt(tree, price, key, 120 + printIndex, 140 + printIndex)
  if (tree.segment.kind === 'round') return centred(price, spread)
  return isBuy(key, prints, printIndex)
    ? { bid: price - spread, ask: price }
    : { bid: price, ask: price + spread }
}

export function printAt(tree: Tree, node: Node, prints: Prints, printIndex: number, first: number): Print {
  const { bid, ask } = sidesOf(tree, node, prints, printIndex)
  const key = drawKey(tree, node)
  return {
    at: prints.at[printIndex]!,
    price: prints.price[printIndex]!,
    size: prints.size[printIndex]!,
    isBuy: isBuy(key, prints, printIndex),
    bid,
    ask,
    bidSize: shownSize(tree, key, 160 + printIndex),
    askSize: shownSize(tree, key, 180 + printIndex),
    number: first + printIndex,
    segment: tree.segment,
  }
}

export function quoteAt(
  tree: Tree,
  node: Node,
  prints: Prints,
  quotes: Quotes,
  index: number,
  first: number,
): QuoteUpdate {
  const [printIndex, update] = [quotes.printIndex[index]!, quotes.update[index]!]
  const key = drawKey(tree, node)
  const draw = 3000 + printIndex * 64 + update * 4
  return {
    at: quotes.at[index]!,
    price: prints.price[printIndex]!,
    bid: quotes.bid[index]!,
    ask: quotes.ask[index]!,
    bidSize: shownSize(tree, key, update === 0 ? 160 + printIndex : draw),
    askSize: shownSize(tree, key, update === 0 ? 180 + printIndex : draw + 1),
    number: first + printIndex,
    update,
    segment: tree.segment,
  }
}

/** In round lots; small sizes are more frequent. */
function shownSize({ profile }: Tree, key: number, draw: number): number {
  const drawn = uniform(key, draw)
  return (profile.roundLot ?? 100) * (1 + Math.floor(profile.depth * drawn * drawn))
}

/** Buys tend to print above the previous trade, sells below it. */
function isBuy(key: number, prints: Prints, printIndex: number): boolean {
  const step = prints.price[printIndex]! - (prints.price[printIndex - 1] ?? prints.price[printIndex]!)
  return normal(key, 200 + printIndex) + (step > 0 ? 0.8 : step < 0 ? -0.8 : 0) > 0
}

/** A price in ticks and the size there in lots. */
export type TickLevel = { readonly price: number; readonly size: number }

const LEVELS = 10

/** The order book of a quote: its two sides, and deeper levels that become sparser and larger. */
export function bookOf(
  profile: Profile,
  quote: QuoteUpdate,
): { readonly bids: readonly TickLevel[]; readonly asks: readonly TickLevel[] } {
  const key = mix(mix(quote.at, quote.price), quote.number)
  const gap = Math.max(1, quote.ask - quote.bid)
  return {
    bids: levels(profile, mix(key, 1), { price: quote.bid, size: quote.bidSize }, -gap),
    asks: levels(profile, mix(key, 2), { price: quote.ask, size: quote.askSize }, gap),
  }
}

function levels({ depth, roundLot = 100 }: Profile, key: number, top: TickLevel, gap: number): TickLevel[] {
  const found = [top]
  let { price } = top
  for (let level = 1; level < LEVELS; level++) {
    const step = Math.max(1, Math.ceil(Math.abs(gap) * (0.2 + uniform(key, level)) * (1 + level / 5)))
    price += gap > 0 ? step : -step
    if (price <= 0) break
    const drawn = uniform(key, 20 + level)
    found.push({ price, size: roundLot * (1 + Math.floor(depth * drawn * drawn * (1 + level / 3))) })
  }
  return found
}
