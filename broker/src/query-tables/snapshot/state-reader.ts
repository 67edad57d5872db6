import {
  addToSelfTradeIndex,
  decode,
  emptyBook,
  emptyState,
  emptyTriggers,
  enter,
  enterLevel,
  entryIn,
  isOpen,
  itemAt,
  type Order,
  type State,
  schedule,
  selfTradeEntryOf,
  type Ticker,
  unreachable,
} from '@quipu/core'
import { orderRecords } from '../records.ts'
import {
  type Closed,
  isPlainPart,
  type Line,
  type LineLevel,
  type LineStep,
  ofOrders,
  type PlainPart,
  type SelfTradeKey,
  type StatePart,
  type TriggerLevels,
} from './state-lines.ts'

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
    if (isPlainPart(part)) return this.#takePlain(part, value)
    switch (part) {
      case 'parts':
        this.#isOurs = String(value) === Object.keys(this.#state).join()
        return
      case 'orders':
        return this.#takeOrders(value)
      case 'clientOrderIds':
        return this.#takeOwners(value)
      case 'closed':
        return this.#takeClosed(value)
      case 'selfTradeIndex':
        return this.#takeSelfTradeKeys(value)
      case 'books':
        return this.#takeBooks(value)
      case 'triggers':
        return this.#takeTriggers(value)
      case 'agenda':
        for (const step of value) this.#takeStep(step)
        return
      default:
        return unreachable(part)
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
    for (const order of this.#orders)
      entryIn(clientOrderIds, order.accountId).set(order.clientOrderId, order.id)
  }

  #takeClosed({ orders, seqs }: Closed): void {
    const { closed } = this.#state
    for (const number of numbersOf(orders)) closed.ids.push(itemAt(this.#orders, number).id)
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

  #takeBooks(entries: readonly (Ticker | LineLevel)[]): void {
    const { books } = this.#state
    for (const entry of entries)
      if (typeof entry === 'string') books.set(entry, emptyBook())
      else
        for (const number of numbersOf(entry[4]))
          enter(entryIn(books, entry[0]), itemAt(this.#orders, number))
  }

  #takeTriggers(value: readonly Ticker[] | TriggerLevels): void {
    const { triggers } = this.#state
    if ('by' in value)
      for (const [symbol, kind, side, price, orders] of value.levels)
        for (const number of numbersOf(orders))
          enterLevel(entryIn(triggers, symbol)[value.by][kind][side], price, itemAt(this.#orders, number).id)
    else for (const symbol of value) triggers.set(symbol, emptyTriggers())
  }

  #takeStep([due, planned]: LineStep): void {
    const { agenda } = this.#state
    for (const one of planned)
      if ('item' in one) schedule(agenda, due, one.item)
      else if (this.#part === 'all')
        for (const number of numbersOf(one.orders))
          schedule(agenda, due, { kind: one.kind, orderId: itemAt(this.#orders, number).id })
  }

  #takePlain(part: PlainPart, value: unknown): void {
    const known = this.#state[part]
    if (known instanceof Map)
      for (const [key, entry] of value as Map<never, never>) known.set(key, entry as never)
    else Object.assign(this.#state, { [part]: value })
  }
}

const openByOwner = (orders: readonly Order[]): ReadonlyMap<string, readonly Order[]> =>
  Map.groupBy(orders.filter(isOpen), ({ accountId, symbol }) => `${accountId}/${symbol}`)

/** Order numbers from their text. A copy of the bytes, so that their start is aligned for integers. */
const numbersOf = (text: string): Uint32Array =>
  new Uint32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)
