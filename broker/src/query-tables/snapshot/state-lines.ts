import {
  type AgendaItem,
  BOOK_CLASSES,
  type BookClass,
  encode,
  entryIn,
  type Instant,
  itemAt,
  itemsAt,
  keysOf,
  type Order,
  type OrderId,
  type Price,
  type Side,
  type State,
  type Ticker,
} from '@quipu/core'
import { orderRecords } from '../records.ts'

/** Entries, orders or order numbers per line, so that the length of a line does not grow with the state. */
const LINE_ENTRIES = 2_000

export type LinePart = keyof State
/** The values of the parts that are not stored as they are. */
type StoredParts = {
  readonly parts: readonly string[]
  readonly orders: string
  readonly clientOrderIds: readonly Order['accountId'][]
  readonly closed: Closed
  readonly selfTradeIndex: readonly SelfTradeKey[]
  readonly books: readonly (Ticker | LineLevel)[]
  readonly triggers: readonly Ticker[] | TriggerLevels
  readonly agenda: readonly LineStep[]
}
export type PlainPart = Exclude<LinePart, keyof StoredParts>
export type Line =
  | {
      readonly [Name in keyof StoredParts]: readonly [part: Name, value: StoredParts[Name]]
    }[keyof StoredParts]
  | readonly [part: PlainPart, value: unknown]

/** Consecutive agenda items with the same step, as order numbers; other items unchanged. */
type Planned = { readonly kind: OrderStep; readonly orders: string } | { readonly item: AgendaItem }
type OrderStep = 'workOrder' | 'expireOrder'
export type LineStep = readonly [due: Instant, planned: readonly Planned[]]
/** Closed orders as order numbers, with the numbers of the closing events. */
export type Closed = { readonly orders: string; readonly seqs: readonly number[] }
export type SelfTradeKey = readonly [Order['accountId'], Ticker]
/** A price level of an order book: its orders as order numbers, in time priority. */
export type TriggerLevels = { readonly by: 'stops' | 'trails'; readonly levels: readonly LineLevel[] }
export type LineLevel = readonly [symbol: Ticker, kind: BookClass, side: Side, price: Price, orders: string]

/**
 * A state as lines. Orders are stored as the bytes of their schema; references use the order's number in that sequence.
 * Indexes that follow from the orders are not stored. Every sequence is preserved, because later decisions depend on it.
 */
export function* stateLines(state: State, which: StatePart = 'all'): Generator<string> {
  const numbers = new Map<OrderId, number>()
  if (which === 'all') for (const id of state.orders.keys()) numbers.set(id, numbers.size)
  yield encode(['parts', Object.keys(state)] satisfies Line)
  for (const part of keysOf(state))
    if (which === 'all' || !ofOrders.has(part))
      for (const value of valuesOfPart(state, part, numbers)) yield encode([part, value])
}

type Numbers = ReadonlyMap<OrderId, number>

function valuesOfPart(state: State, part: LinePart, numbers: Numbers): Iterable<unknown> {
  if (isStoredPart(part)) return storedForms[part](state, numbers)
  const value = state[part]
  return value instanceof Map ? mapIn(value) : value === undefined ? [] : [value]
}

/** The lines of the parts that are not stored as they are. */
const storedForms: {
  readonly [Name in LinePart & keyof StoredParts]: (
    state: State,
    numbers: Numbers,
  ) => Iterable<StoredParts[Name]>
} = {
  orders: ordersIn,
  clientOrderIds: ({ clientOrderIds }) => [[...clientOrderIds.keys()]],
  closed: closedIn,
  selfTradeIndex: ({ selfTradeIndex }) => chunks(selfTradeKeys(selfTradeIndex)),
  triggers: triggersIn,
  books: booksIn,
  agenda: agendaIn,
}

const isStoredPart = (part: Line[0]): part is keyof typeof storedForms => part in storedForms
export const isPlainPart = (part: Line[0]): part is PlainPart => part !== 'parts' && !isStoredPart(part)

function* ordersIn({ orders }: State): Generator<string> {
  for (const some of chunks(orders.values())) yield orderRecords.writeAll(some).toString('base64')
}

function* mapIn(map: ReadonlyMap<unknown, unknown>): Generator<unknown> {
  for (const some of chunks(map)) yield new Map(some)
}

function* closedIn({ closed }: State, numbers: Numbers): Generator<Closed> {
  let at = 0
  for (const ids of chunks(closed.ids))
    yield { orders: orderNumbers(ids, numbers), seqs: closed.seqs.slice(at, (at += ids.length)) }
}

/** The keys of the self-trade index: account and symbol. Its entries follow from the orders. */
function* selfTradeKeys(index: State['selfTradeIndex']): Generator<SelfTradeKey> {
  for (const [accountId, entries] of index) for (const symbol of entries.keys()) yield [accountId, symbol]
}

/** The symbols, then the price levels. */
function* booksIn({ books }: State, numbers: Numbers): Generator<readonly (Ticker | LineLevel)[]> {
  yield [...books.keys()]
  yield* joined(levelsIn(books, numbers))
}

/** Levels of stop orders and of trailing stops, in the form of book levels. */
function* triggersIn({ triggers }: State, numbers: Numbers) {
  yield [...triggers.keys()]
  for (const by of ['stops', 'trails'] as const) {
    const books = new Map([...triggers].map(([symbol, waiting]) => [symbol, waiting[by]]))
    for (const levels of joined(levelsIn(books, numbers))) yield { by, levels }
  }
}

function* levelsIn(books: State['books'], numbers: Numbers): Generator<Sized<LineLevel>> {
  for (const [symbol, book] of books)
    for (const kind of BOOK_CLASSES)
      for (const side of ['buy', 'sell'] as const) {
        const { prices, orders } = book[kind][side]
        for (const [index, price] of prices.entries())
          for (const some of chunks(itemAt(orders, index)))
            yield { size: some.length, value: [symbol, kind, side, price, orderNumbers(some, numbers)] }
      }
}

function agendaIn({ agenda }: State, numbers: Numbers): Iterable<readonly LineStep[]> {
  return joined(stepsIn(agenda, numbers))
}

function* stepsIn(agenda: State['agenda'], numbers: Numbers): Generator<Sized<LineStep>> {
  for (const due of agenda.dues)
    for (const some of chunks(itemsAt(agenda, due)))
      yield { size: some.length, value: [due, [...plannedIn(some, numbers)]] }
}

function* plannedIn(items: readonly AgendaItem[], numbers: Numbers): Generator<Planned> {
  for (let start = 0; start < items.length; ) {
    const item = itemAt(items, start)
    const { kind } = item
    if (kind !== 'workOrder' && kind !== 'expireOrder') {
      start++
      yield { item }
      continue
    }
    const ids: OrderId[] = []
    for (let item = items[start]; item?.kind === kind; item = items[++start])
      if (numbers.has(item.orderId)) ids.push(item.orderId)
    yield { kind, orders: orderNumbers(ids, numbers) }
  }
}

/** Order numbers as 32-bit integers. */
const orderNumbers = (ids: readonly OrderId[], numbers: Numbers): string =>
  Buffer.from(Uint32Array.from(ids, (id) => entryIn(numbers, id)).buffer).toString('base64')

function* chunks<Value>(values: Iterable<Value>): Generator<readonly Value[]> {
  let chunk: Value[] = []
  for (const value of values) {
    chunk.push(value)
    if (chunk.length < LINE_ENTRIES) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

type Sized<Value> = { readonly size: number; readonly value: Value }

/** Joins small values into one line. */
function* joined<Value>(values: Iterable<Sized<Value>>): Generator<readonly Value[]> {
  let [line, entries]: [Value[], number] = [[], 0]
  for (const { size, value } of values) {
    line.push(value)
    entries += size
    if (entries < LINE_ENTRIES) continue
    yield line
    ;[line, entries] = [[], 0]
  }
  if (line.length > 0) yield line
}

/** The part of a state to store or rebuild: all of it, or only what `applyWithoutOrders` writes. */
export type StatePart = 'all' | 'withoutOrders'

/** Parts that describe orders. The agenda also has other items. */
export const ofOrders: ReadonlySet<string> = new Set<LinePart>([
  ...(['orders', 'clientOrderIds', 'closed', 'selfTradeIndex', 'groups'] as const),
  ...(['books', 'triggers', 'auctions', 'usedSizes', 'holds'] as const),
])
