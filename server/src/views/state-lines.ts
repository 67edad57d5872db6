import {
  type AgendaItem,
  addToSelfTradeIndex,
  BOOK_CLASSES,
  type BookClass,
  decode,
  emptyBook,
  emptyState,
  emptyTriggers,
  encode,
  enter,
  enterLevel,
  type Instant,
  isOpen,
  itemsAt,
  type Order,
  type OrderId,
  type Price,
  type Side,
  type State,
  schedule,
  selfTradeEntryOf,
  type Ticker,
} from '@quipu/core'
import { orderRecords } from './records.ts'

/** Entries, orders or order numbers per line, so that the length of a line does not grow with the state. */
const LINE_ENTRIES = 2_000

type Part = keyof State
type Line = readonly [part: Part | 'parts', value: unknown]

/** Consecutive agenda items with the same step, as order numbers; other items unchanged. */
type Planned = { readonly kind: OrderStep; readonly orders: string } | { readonly item: AgendaItem }
type OrderStep = 'workOrder' | 'expireOrder'
type Step = readonly [due: Instant, planned: readonly Planned[]]
/** Closed orders as order numbers, with the numbers of the closing events. */
type Closed = { readonly orders: string; readonly seqs: readonly number[] }
type SelfTradeKey = readonly [Order['accountId'], Ticker]
/** A price level of an order book: its orders as order numbers, in time priority. */
type TriggerLevels = { readonly by: 'stops' | 'trails'; readonly levels: readonly Level[] }
type Level = readonly [symbol: Ticker, kind: BookClass, side: Side, price: Price, orders: string]

/**
 * A state as lines. Orders are stored as the bytes of their schema; references use the order's number in that sequence.
 * Indexes that follow from the orders are not stored. Every sequence is preserved, because later decisions depend on it.
 */
export function* stateLines(state: State, which: StatePart = 'all'): Generator<string> {
  const numbers = new Map<OrderId, number>()
  if (which === 'all') for (const id of state.orders.keys()) numbers.set(id, numbers.size)
  yield encode(['parts', Object.keys(state)] satisfies Line)
  for (const part of Object.keys(state) as Part[])
    if (which === 'all' || !ofOrders.has(part))
      for (const value of valuesOfPart(state, part, numbers)) yield encode([part, value] satisfies Line)
}

type Numbers = ReadonlyMap<OrderId, number>

function valuesOfPart(state: State, part: Part, numbers: Numbers): Iterable<unknown> {
  switch (part) {
    case 'orders':
      return ordersIn(state)
    case 'clientOrderIds':
      return [[...state.clientOrderIds.keys()]]
    case 'closed':
      return closedIn(state, numbers)
    case 'selfTradeIndex':
      return chunks(selfTradeKeys(state.selfTradeIndex))
    case 'triggers':
      return triggersIn(state, numbers)
    case 'books':
      return booksIn(state, numbers)
    case 'agenda':
      return agendaIn(state, numbers)
    default: {
      const value = state[part]
      return value instanceof Map ? mapIn(value) : value === undefined ? [] : [value]
    }
  }
}

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
function* booksIn({ books }: State, numbers: Numbers): Generator<readonly (Ticker | Level)[]> {
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

function* levelsIn(books: State['books'], numbers: Numbers): Generator<Sized<Level>> {
  for (const [symbol, book] of books)
    for (const kind of BOOK_CLASSES)
      for (const side of ['buy', 'sell'] as const) {
        const { prices, orders } = book[kind][side]
        for (const [index, price] of prices.entries())
          for (const some of chunks(orders[index]!))
            yield { size: some.length, value: [symbol, kind, side, price, orderNumbers(some, numbers)] }
      }
}

const agendaIn = ({ agenda }: State, numbers: Numbers) => joined(stepsIn(agenda, numbers))

function* stepsIn(agenda: State['agenda'], numbers: Numbers): Generator<Sized<Step>> {
  for (const due of agenda.dues)
    for (const some of chunks(itemsAt(agenda, due)))
      yield { size: some.length, value: [due, [...plannedIn(some, numbers)]] }
}

function* plannedIn(items: readonly AgendaItem[], numbers: Numbers): Generator<Planned> {
  for (let start = 0; start < items.length; ) {
    const { kind } = items[start]!
    if (kind !== 'workOrder' && kind !== 'expireOrder') {
      yield { item: items[start++]! }
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
  Buffer.from(Uint32Array.from(ids, (id) => numbers.get(id)!).buffer).toString('base64')

/** The inverse. A copy of the bytes, so that their start is aligned for integers. */
const numbersOf = (text: string): Uint32Array =>
  new Uint32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)

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

const openByOwner = (orders: readonly Order[]): ReadonlyMap<string, readonly Order[]> =>
  Map.groupBy(orders.filter(isOpen), ({ accountId, symbol }) => `${accountId}/${symbol}`)

/** The part of a state to store or rebuild: all of it, or only what `applyWithoutOrders` writes. */
export type StatePart = 'all' | 'withoutOrders'

/** Parts that describe orders. The agenda also has other items. */
const ofOrders: ReadonlySet<string> = new Set<Part>([
  ...(['orders', 'clientOrderIds', 'closed', 'selfTradeIndex', 'groups'] as const),
  ...(['books', 'triggers', 'auctions', 'usedSizes', 'holds'] as const),
])

/** A state without orders, from its lines. */
export function stateWithoutOrders(lines: readonly string[]): State | undefined {
  const reader = new StateReader('withoutOrders')
  for (const line of lines) reader.take(line)
  return reader.state
}

/** Rebuilds a state from its lines. */
export class StateReader {
  readonly #state = emptyState()
  readonly #orders: Order[] = []
  #open: ReadonlyMap<string, readonly Order[]> | undefined
  #isOurs = false
  readonly #part: StatePart

  constructor(part: StatePart = 'all') {
    this.#part = part
  }

  /** The state, if this version knows all of its parts. */
  get state(): State | undefined {
    return this.#isOurs ? this.#state : undefined
  }

  take(line: string): void {
    const [part, value] = decode(line) as Line
    if (this.#part === 'withoutOrders' && ofOrders.has(part)) return
    switch (part) {
      case 'parts':
        this.#isOurs = String(value) === Object.keys(this.#state).join()
        return
      case 'orders':
        return this.#takeOrders(value as string)
      case 'clientOrderIds':
        return this.#takeOwners(value as readonly never[])
      case 'closed':
        return this.#takeClosed(value as Closed)
      case 'selfTradeIndex':
        return this.#takeSelfTradeKeys(value as readonly SelfTradeKey[])
      case 'books':
        return this.#takeBooks(value as readonly (Ticker | Level)[])
      case 'triggers':
        return this.#takeTriggers(value as readonly Ticker[] | TriggerLevels)
      case 'agenda':
        for (const step of value as readonly Step[]) this.#takeStep(step)
        return
      default:
        this.#takePlain(part, value)
    }
  }

  #takeOrders(bytes: string): void {
    const { orders } = this.#state
    for (const order of orderRecords.readAll(Buffer.from(bytes, 'base64'))) {
      this.#orders.push(order)
      orders.set(order.id, order)
    }
  }

  /** Accounts in the order of their first order. Client order ids and open orders follow from the orders. */
  #takeOwners(accounts: readonly Order['accountId'][]): void {
    const { clientOrderIds } = this.#state
    for (const accountId of accounts) clientOrderIds.set(accountId, new Map())
    for (const order of this.#orders) clientOrderIds.get(order.accountId)!.set(order.clientOrderId, order.id)
  }

  #takeClosed({ orders, seqs }: Closed): void {
    const { closed } = this.#state
    for (const number of numbersOf(orders)) closed.ids.push(this.#orders[number]!.id)
    closed.seqs.push(...seqs)
  }

  #takeSelfTradeKeys(keys: readonly SelfTradeKey[]): void {
    const { selfTradeIndex } = this.#state
    this.#open ??= openByOwner(this.#orders)
    for (const [accountId, symbol] of keys) {
      selfTradeEntryOf(selfTradeIndex, accountId, symbol)
      for (const order of this.#open.get(`${accountId}/${symbol}`) ?? [])
        addToSelfTradeIndex(selfTradeIndex, order)
    }
  }

  #takeBooks(entries: readonly (Ticker | Level)[]): void {
    const { books } = this.#state
    for (const entry of entries)
      if (typeof entry === 'string') books.set(entry, emptyBook())
      else for (const number of numbersOf(entry[4])) enter(books.get(entry[0])!, this.#orders[number]!)
  }

  #takeTriggers(value: readonly Ticker[] | TriggerLevels): void {
    const { triggers } = this.#state
    if ('by' in value)
      for (const [symbol, kind, side, price, orders] of value.levels)
        for (const number of numbersOf(orders))
          enterLevel(triggers.get(symbol)![value.by][kind][side], price, this.#orders[number]!.id)
    else for (const symbol of value) triggers.set(symbol, emptyTriggers())
  }

  #takeStep([due, planned]: Step): void {
    const { agenda } = this.#state
    for (const one of planned)
      if ('item' in one) schedule(agenda, due, one.item)
      else if (this.#part === 'all')
        for (const number of numbersOf(one.orders))
          schedule(agenda, due, { kind: one.kind, orderId: this.#orders[number]!.id })
  }

  #takePlain(part: Part, value: unknown): void {
    const known = this.#state[part]
    if (known instanceof Map)
      for (const [key, entry] of value as Map<never, never>) known.set(key, entry as never)
    else Object.assign(this.#state, { [part]: value })
  }
}
