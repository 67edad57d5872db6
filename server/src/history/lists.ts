import { adjustedColumns } from '@quipu/broker/market/adjusted-bars.ts'
import type { WorldActions } from '@quipu/broker/market/market-inputs.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import {
  type Adjustment,
  type AssetClass,
  type BarColumns,
  type BarFrame,
  type CivilDate,
  type DailyAuctions,
  type Instant,
  lastOf,
  newYork,
  type QuoteTick,
  rowsIn,
  startAt,
  type TickCursor,
  type Ticker,
  type Trade,
} from '@quipu/core'
import type { BarForm } from '../wire/bar-json.ts'
import { type PositionCodec, readInstant } from './page-token.ts'

/** The lists of market history that requests read page by page. Plain data. */
export type HistoryList = BarList | TickList | AuctionList

export type BarList = {
  readonly kind: 'bars'
  readonly class: AssetClass
  readonly frame: BarFrame
  readonly adjustment: Adjustment
  readonly form: BarForm
}
export type TickList = { readonly kind: 'trades' | 'quotes'; readonly class: AssetClass }
export type AuctionList = { readonly kind: 'auctions'; readonly class: 'usEquity' }

/** The market of a world, and the corporate actions that adjusted bars need. */
export type HistorySource = {
  readonly market: Pick<MarketSource, 'assets' | 'history'>
  readonly actions: WorldActions['actions']
}

/** The items to read of one symbol. */
export type ItemQuery<Position> = {
  readonly symbol: Ticker
  readonly from: Instant
  readonly to: Instant
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly after?: Position
}

/** How to read and split the items of a list, and how a position is written to a page token. */
export type ListKind<Items, Position> = PositionCodec<Position> & {
  readItems(source: HistorySource, query: ItemQuery<Position>): Promise<Items>
  countOf(items: Items): number
  /** The first `count` items, or all. */
  firstOf(items: Items, count: number): Items
  lastPosition(items: Items): Position
}

/** How positions of a list are written to page tokens. */
export function positionsOf(list: HistoryList): PositionCodec<unknown> {
  if (list.kind === 'bars') return barPositions(list.frame)
  return list.kind === 'auctions' ? auctions : tickPositions(list.kind)
}

export type Pieces = readonly BarColumns[]

/** The position of a bar is its start. */
const barPositions = ({ count, unit }: BarFrame): PositionCodec<Instant> => ({
  kind: `${count}${unit}`,
  write: String,
  read: readInstant,
})

export const barList = ({ frame, adjustment }: BarList): ListKind<Pieces, Instant> => ({
  ...barPositions(frame),
  readItems: ({ market, actions }, query) =>
    adjustment.split || adjustment.dividend
      ? adjustedColumns(market.history, { actions }, { ...query, frame }, adjustment)
      : market.history.barColumns({ ...query, frame }),
  countOf: rowsIn,
  firstOf: firstRows,
  lastPosition: (pieces) => {
    const last = pieces.findLast(({ count }) => count > 0)!
    return startAt(last, last.count - 1)
  },
})

function firstRows(pieces: Pieces, count: number): Pieces {
  let rest = count
  return pieces.map((piece) => {
    const taken = Math.min(rest, piece.count)
    rest -= taken
    return { ...piece, count: taken }
  })
}

/** The functions that split a list of records. */
const recordsBy = <Item, Position>(positionOf: (item: Item) => Position) => ({
  countOf: (items: readonly Item[]): number => items.length,
  firstOf: (items: readonly Item[], count: number): readonly Item[] => items.slice(0, count),
  lastPosition: (items: readonly Item[]): Position => positionOf(lastOf(items)),
})

/** Several ticks may have the same time, so the position of a tick is its time and its id. */
const tickPositions = (kind: string): PositionCodec<TickCursor> => ({
  kind,
  write: ({ at, id }) => `${at}.${id}`,
  read: (text) => {
    const [nanos = '', digits = '', more] = text.split('.')
    const [at, id] = [readInstant(nanos), Number(digits)]
    const isRight = more === undefined && digits !== '' && Number.isSafeInteger(id)
    return at !== undefined && isRight ? { at, id } : undefined
  },
})

const positionOf = ({ at, id }: TickCursor): TickCursor => ({ at, id })

export const trades: ListKind<readonly Trade[], TickCursor> = {
  ...tickPositions('trades'),
  ...recordsBy<Trade, TickCursor>(positionOf),
  readItems: ({ market }, query) => market.history.trades(query),
}

export const quotes: ListKind<readonly QuoteTick[], TickCursor> = {
  ...tickPositions('quotes'),
  ...recordsBy<QuoteTick, TickCursor>(positionOf),
  readItems: ({ market }, query) => market.history.quotes(query),
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The position of a day is its date. */
export const auctions: ListKind<readonly DailyAuctions[], CivilDate> = {
  kind: 'auctions',
  write: (date) => date,
  read: (text) => (DATE.test(text) ? (text as CivilDate) : undefined),
  ...recordsBy(({ date }: DailyAuctions) => date),
  readItems: ({ market }, { from, to, ...query }) =>
    market.history.auctions({ ...query, from: newYork(from).date, to: newYork(to).date }),
}
