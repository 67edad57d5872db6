import type { DifferenceOrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type BrokerEvent,
  format,
  formatInstant,
  type Instant,
  type Order,
  type OrderFilled,
  type OrderId,
  type Price,
  type Quantity,
  type SharesChanged,
  type Ticker,
  UNIT,
} from '@quipu/core'
import { entryIn } from '@quipu/core/values'
import { orderToWire } from '../../../wire/order-wire.ts'

/** An order that was open at the end of the common past, or placed after it, with the orders that replaced it. */
export type ChangedOrder = {
  /** The same in both worlds for the same order. */
  readonly key: string
  readonly isCommon: boolean
  readonly placedAt: Instant
  readonly symbol: Ticker
  readonly side: Order['side']
  readonly record: DifferenceOrderRecord
  /** The shares that its fills added, in units of today after splits; negative for a sale. */
  readonly shares: bigint
  /** The money that its fills added, without fees. */
  readonly cash: bigint
  readonly lastPrice: Price | undefined
}

type Fill = { readonly at: Instant; readonly quantity: Quantity; readonly price: Price }

/** One order as it is followed; replacements are joined at the end. */
type Followed = {
  order: Order
  readonly isCommon: boolean
  readonly fills: Fill[]
  shares: bigint
  cash: bigint
}

/** The orders of one account in one branch, from the end of the common past on. */
export class BranchOrders {
  readonly #accountId: AccountId
  readonly #followed = new Map<OrderId, Followed>()
  readonly traded = new Set<Ticker>()
  fills = 0

  constructor(accountId: AccountId) {
    this.#accountId = accountId
  }

  get count(): number {
    return this.#followed.size
  }

  /** Adds an order of the common past that is still open at its end. */
  begin(order: Order): void {
    this.#add(order, true)
  }

  apply(event: BrokerEvent, order: Order | undefined): void {
    if (event.kind === 'sharesChanged' && event.accountId === this.#accountId) this.#changeShares(event)
    if (order?.accountId !== this.#accountId) return
    const followed = this.#followed.get(order.id) ?? this.#add(order, false)
    followed.order = order
    if (event.kind === 'orderFilled') this.#fill(followed, event)
  }

  /** One for each order, in the order of placement. A replacement is the same order with other terms. */
  changed(): readonly ChangedOrder[] {
    const chains = new Map<OrderId, Followed[]>()
    for (const followed of this.#followed.values()) {
      const root = this.#rootOf(followed)
      const chain = chains.get(root.order.id)
      if (chain) chain.push(followed)
      else chains.set(root.order.id, [followed])
    }
    const keys = new Set<string>()
    return [...chains].map(([id, chain]) => {
      const key = this.#keyOf(entryIn(this.#followed, id))
      // Two legs of one order may have the same role.
      const unique = keys.has(key) ? `${key} ${id}` : key
      keys.add(unique)
      return joined(unique, chain)
    })
  }

  #add(order: Order, isCommon: boolean): Followed {
    const followed: Followed = { order, isCommon, fills: [], shares: 0n, cash: 0n }
    this.#followed.set(order.id, followed)
    return followed
  }

  #fill(followed: Followed, { at, symbol, price, quantity, cash }: OrderFilled): void {
    const isBuy = followed.order.side === 'buy'
    followed.fills.push({ at, quantity, price })
    followed.shares += isBuy ? quantity : -quantity
    followed.cash += isBuy ? -cash : cash
    this.traded.add(symbol)
    this.fills += 1
  }

  /** After a split, the shares of earlier fills are more or fewer. */
  #changeShares({ symbol, newSymbol, before, after }: SharesChanged): void {
    for (const followed of this.#followed.values())
      if (followed.order.symbol === symbol && before !== 0n)
        followed.shares = (followed.shares * after) / before
    if (newSymbol !== undefined && this.traded.has(symbol)) this.traded.add(newSymbol)
  }

  #rootOf(followed: Followed): Followed {
    const { replaces } = followed.order
    const before = replaces === undefined || followed.isCommon ? undefined : this.#followed.get(replaces)
    return before ? this.#rootOf(before) : followed
  }

  /** Ids are the same in the common past. After it the client id is what a program chooses. */
  #keyOf({ order, isCommon }: Followed): string {
    if (isCommon) return `id ${order.id}`
    const { group, clientOrderId, symbol, side } = order
    const parent = group?.parentId === undefined ? undefined : this.#followed.get(group.parentId)
    if (group && parent) return `${this.#keyOf(this.#rootOf(parent))} ${group.role}`
    return `client ${clientOrderId} ${symbol} ${side}`
  }
}

function joined(key: string, chain: readonly Followed[]): ChangedOrder {
  const [first] = chain
  // The market can refuse a replacement; then the order before it works on.
  const last = chain.findLast(({ order }) => order.status !== 'rejected') ?? chain.at(-1)
  if (!first || !last) throw new Error('bug: a chain has no order')
  const fills = chain.flatMap((one) => one.fills)
  const { symbol, side } = last.order
  return {
    key,
    isCommon: first.isCommon,
    placedAt: first.order.createdAt,
    symbol,
    side,
    record: recordOf(last.order, fills),
    shares: chain.reduce((sum, one) => sum + one.shares, 0n),
    cash: chain.reduce((sum, one) => sum + one.cash, 0n),
    lastPrice: fills.at(-1)?.price,
  }
}

function recordOf(order: Order, fills: readonly Fill[]): DifferenceOrderRecord {
  const wire = orderToWire(order)
  return {
    order_id: wire.id,
    client_order_id: wire.client_order_id,
    type: wire.type,
    time_in_force: wire.time_in_force,
    qty: wire.qty,
    notional: wire.notional,
    limit_price: wire.limit_price,
    stop_price: wire.stop_price,
    trail_price: wire.trail_price,
    trail_percent: wire.trail_percent,
    status: wire.status,
    filled_qty: wire.filled_qty,
    filled_avg_price: wire.filled_avg_price,
    updated_at: wire.updated_at,
    fills: fills.map(({ at, quantity, price }) => ({
      at: formatInstant(at),
      qty: format(quantity),
      price: format(price),
    })),
  }
}

/** What the fills of an order are worth at a price. */
export const worthAt = ({ shares, cash }: ChangedOrder, price: bigint): bigint =>
  (shares * price) / UNIT + cash
