import type { DifferenceOrderRecord, DifferenceRowRecord } from '@quipu/contract'
import { format, formatInstant, min, type Price, type Ticker, toMoney } from '@quipu/core'
import type { BranchState } from './branch.ts'
import { type ChangedOrder, worthAt } from './branch-orders.ts'

/** Two branches at one instant: first the world of the path, then the one it is compared with. */
export type Both = readonly [BranchState, BranchState]

/** One row for each order that differs, and the sum of their effects. */
export function differenceRows([world, against]: Both): {
  readonly rows: readonly DifferenceRowRecord[]
  readonly sum: bigint
} {
  const marks = new Map([...against.marks, ...world.marks])
  const others = new Map(against.orders.map((order) => [order.key, order]))
  const pairs: Pair[] = world.orders.map((order) => ({ order, other: others.get(order.key) }))
  const matched = new Set(world.orders.map(({ key }) => key))
  for (const other of against.orders) if (!matched.has(other.key)) pairs.push({ order: undefined, other })
  const rows: (readonly [ChangedOrder, DifferenceRowRecord])[] = []
  let sum = 0n
  for (const pair of pairs) {
    const [first] = [pair.order, pair.other].filter((one) => one !== undefined).toSorted(byPlacement)
    const differs = differingFields(pair)
    if (!first || differs.length === 0) continue
    const price = priceFor(pair, marks)
    const change = price === undefined ? 0n : worthOfPair(pair.other, price) - worthOfPair(pair.order, price)
    sum += change
    rows.push([first, rowOf(pair, first, { differs, price, change })])
  }
  return { rows: rows.toSorted(([a], [b]) => byPlacement(a, b)).map(([, row]) => row), sum }
}

type Pair = { readonly order: ChangedOrder | undefined; readonly other: ChangedOrder | undefined }

const byPlacement = (a: ChangedOrder, b: ChangedOrder): number =>
  a.placedAt < b.placedAt ? -1 : a.placedAt > b.placedAt ? 1 : 0

const worthOfPair = (order: ChangedOrder | undefined, price: bigint): bigint =>
  order === undefined ? 0n : worthAt(order, price)

type Compared = {
  readonly differs: DifferenceRowRecord['differs']
  readonly price: Price | undefined
  readonly change: bigint
}

function rowOf({ order, other }: Pair, first: ChangedOrder, compared: Compared): DifferenceRowRecord {
  const placedAt = order && other ? min(order.placedAt, other.placedAt) : first.placedAt
  return {
    placed_at: formatInstant(placedAt),
    symbol: first.symbol,
    side: first.side,
    matched_by: !order || !other ? null : first.isCommon ? 'id' : 'client_order_id',
    differs: compared.differs,
    world_order: order?.record ?? null,
    against_order: other?.record ?? null,
    price: compared.price === undefined ? null : format(compared.price),
    equity_change: format(toMoney(compared.change)),
  }
}

/** The price of the first world, or of the other one, or of the last fill. One price for both worlds. */
function priceFor({ order, other }: Pair, marks: ReadonlyMap<Ticker, Price>): Price | undefined {
  const last = other?.lastPrice ?? order?.lastPrice
  const symbol = (order ?? other)?.symbol
  return last === undefined || symbol === undefined ? undefined : (marks.get(symbol) ?? last)
}

type Differing = DifferenceRowRecord['differs'][number]

const same = [
  'qty',
  'notional',
  'limit_price',
  'stop_price',
  'status',
  'filled_qty',
  'filled_avg_price',
] as const

function differingFields({ order, other }: Pair): readonly Differing[] {
  if (!order || !other) return ['existence']
  const [a, b] = [order.record, other.record]
  const fields: Differing[] = same.filter((name) => a[name] !== b[name])
  return trailOf(a) === trailOf(b) ? fields : [...fields, 'trail']
}

const trailOf = ({ trail_price, trail_percent }: DifferenceOrderRecord): string =>
  `${trail_price} ${trail_percent}`

/** Whether both worlds have the same prices, and the same market events have begun. */
export function isSameMarket([world, against]: Both): boolean {
  const marks = new Map(against.marks)
  const samePrices = world.marks.every(([symbol, mark]) => (marks.get(symbol) ?? mark) === mark)
  return samePrices && world.marketEvents.join('\n') === against.marketEvents.join('\n')
}
