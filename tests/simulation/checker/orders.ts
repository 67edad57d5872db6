import assert from 'node:assert/strict'
import type { BrokerEvent, Order, Prices } from '@quipu/core'
import type { Restated } from './action-rules.ts'
import { cents, maxStopPrice, opens } from './rules.ts'
import { holds, moneyOf, type TrackedOrder } from './tracked-order.ts'
import { awaitsReplacement, larger, pendingMoney, pendingQuantity, venueChecks } from './venue-checks.ts'

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

const NANO = 1_000_000_000n

/** Checks triggers, groups, replacements and ends of orders without code of the core. */
export class CheckerOrders {
  readonly #pricesAt: (at: bigint) => Prices
  readonly #orders = new Map<string, TrackedOrder>()
  /** By group: the parent or its replacement, and the time of the last event of a member. */
  readonly #parents = new Map<string, TrackedOrder>()
  readonly #lastEvents = new Map<string, bigint>()
  #replaced: Of<'orderReplaced'> | undefined
  /** A requested replacement, whose new order follows. */
  requested: { readonly orderId: string; readonly by: string } | undefined

  constructor(pricesAt: (at: bigint) => Prices) {
    this.#pricesAt = pricesAt
  }

  accept(order: Order): TrackedOrder {
    const { trigger, status, quantity } = order
    const tracked: TrackedOrder = {
      accepted: order,
      group: this.#groupOf(order),
      quantity,
      stop: trigger?.stop,
      armedAt: trigger?.armedAt,
      isElected: trigger?.electedAt !== undefined,
      isHeld: status === 'held',
      isWorking: false,
      isOpen: true,
      isDone: false,
      isResting: false,
      cancelAt: undefined,
      pending: undefined,
      filled: 0n,
      value: 0n,
      spent: 0n,
    }
    this.#assertOrigin(order)
    this.#orders.set(order.id, tracked)
    if (tracked.group !== undefined && order.group?.parentId === undefined)
      this.#parents.set(tracked.group, tracked)
    return tracked
  }

  get(id: string): TrackedOrder {
    const order = this.#orders.get(id)
    assert(order, `an event of ${id}, which was not accepted`)
    return order
  }

  /** The open orders of an account, oldest first. */
  openOf(accountId: string): readonly TrackedOrder[] {
    return [...this.#orders.values()].filter(
      ({ isOpen, accepted }) => isOpen && accepted.accountId === accountId,
    )
  }

  openIn(symbol: string): readonly TrackedOrder[] {
    return [...this.#orders.values()].filter(({ isOpen, accepted }) => isOpen && accepted.symbol === symbol)
  }

  /** Applies the changes of a corporate action. */
  restate(tracked: TrackedOrder, { quantity, stop, symbol, limit, reserve }: Restated): void {
    const changed = { symbol, reserve, ...(limit !== undefined && { limit }) }
    tracked.accepted = { ...tracked.accepted, ...(changed as Partial<Order>) }
    Object.assign(tracked, { quantity, stop })
  }

  heldMoney(accountId: string): bigint {
    return this.openOf(accountId)
      .filter((tracked) => opens(tracked.accepted.intent) && this.#holds(tracked))
      .reduce((sum, tracked) => sum + larger(moneyOf(tracked), pendingMoney(this, tracked)), 0n)
  }

  heldShares(accountId: string, symbol: string): bigint {
    return this.openOf(accountId)
      .filter(
        (tracked) =>
          !opens(tracked.accepted.intent) && tracked.accepted.symbol === symbol && this.#holds(tracked),
      )
      .reduce(
        (sum, tracked) => sum + larger(tracked.quantity - tracked.filled, pendingQuantity(this, tracked)),
        0n,
      )
  }

  #holds(tracked: TrackedOrder): boolean {
    return holds(tracked) && !awaitsReplacement(this, tracked)
  }

  /** The cash hold that a replaced order releases. */
  freedFor({ replaces }: Order): bigint {
    return replaces === undefined ? 0n : moneyOf(this.get(replaces))
  }

  /** Checks a fill against the terms of its order and records it. */
  fill(tracked: TrackedOrder, { at, price, quantity, cash, rest, auction, venue }: Of<'orderFilled'>): void {
    const { side, limit, notional, timeInForce, trigger } = tracked.accepted
    assert(tracked.isOpen && tracked.isWorking && !tracked.isHeld, 'only a working order is filled')
    assert(!tracked.isDone && !tracked.isResting, 'an order that the market does not work is not filled')
    assert(trigger === undefined || tracked.isElected, 'a stop order is filled only after its election')
    if (limit !== undefined) assert(side === 'buy' ? price <= limit : price >= limit, 'within its limit')
    else if (trigger && side === 'buy' && tracked.accepted.kind === 'stop')
      assert(price <= maxStopPrice(tracked.stop!), 'at most the allowed distance above its stop')
    assert.equal(auction !== undefined, timeInForce === 'opg' || timeInForce === 'cls')
    tracked.isResting = venue?.restsUntil !== undefined
    tracked.filled += quantity
    tracked.value += price * quantity
    tracked.spent += cash
    if (notional !== undefined) {
      assert(tracked.spent <= notional + cents(1n, NANO, 'buy'), 'no more than its notional')
      tracked.quantity = tracked.filled + rest!
    }
    assert(tracked.filled <= tracked.quantity, 'no more than its quantity')
    this.#recordEvent(tracked, at)
    if (tracked.filled < tracked.quantity) return
    assert(!tracked.pending, 'a complete fill rejects the pending replacement first')
    tracked.isOpen = false
  }

  end(orderId: string, at: bigint): TrackedOrder {
    const tracked = this.get(orderId)
    assert(tracked.isOpen, 'an order ends once')
    assert(!tracked.pending, 'the end of an order rejects its pending replacement first')
    tracked.isOpen = false
    this.#recordEvent(tracked, at)
    return tracked
  }

  readonly checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    orderAcknowledged: ({ at, orderId }) => {
      const tracked = this.get(orderId)
      assert(tracked.isOpen && !tracked.isHeld && !awaitsReplacement(this, tracked))
      tracked.isWorking = true
      this.#recordEvent(tracked, at)
    },
    orderActivated: ({ orderId }) => {
      const tracked = this.get(orderId)
      assert(
        tracked.isHeld && tracked.accepted.group?.role === 'takeProfit',
        'only a held take-profit is activated',
      )
      this.#assertParentFilled(tracked)
      Object.assign(tracked, { isHeld: false, isWorking: true })
    },
    stopActivated: ({ at, orderId }) => {
      const tracked = this.get(orderId)
      const { group } = tracked.accepted
      assert(tracked.isHeld && group?.role === 'stopLoss', 'only a held stop-loss is armed')
      if (group.class !== 'oco') this.#assertParentFilled(tracked)
      tracked.armedAt = at
    },
    stopAdjusted: ({ orderId, highWater, stop }) => {
      const tracked = this.get(orderId)
      const { side } = tracked.accepted
      assert(tracked.isOpen && !tracked.isElected)
      assert(
        side === 'sell' ? stop >= tracked.stop! : stop <= tracked.stop!,
        'a trailing stop never moves away from the price',
      )
      assert(side === 'sell' ? stop < highWater : stop > highWater)
      tracked.stop = stop
    },
    orderElected: (event) => this.#elected(event),
    orderResized: ({ orderId, quantity }) => {
      const tracked = this.get(orderId)
      // Or an order that replaces another one, which was partly filled in the meantime.
      const replaces = this.#replaced?.by === orderId
      assert(
        tracked.isOpen && quantity > tracked.filled && (tracked.accepted.group || replaces),
        'only a member of a group',
      )
      tracked.quantity = quantity
    },
    orderReplaced: (event) => {
      const tracked = this.get(event.orderId)
      if (tracked.pending) assert.equal(tracked.pending.by, event.by, 'the requested replacement')
      tracked.pending = undefined
      this.end(event.orderId, event.at)
      this.#replaced = event
    },
    ...venueChecks(this),
    orderCanceled: ({ at, orderId, why }) => {
      const tracked = this.get(orderId)
      const { timeInForce, expiresAt } = tracked.accepted
      if (why === 'aged') assert(at >= expiresAt && timeInForce === 'gtc')
      if (why === 'unfilled') assert(timeInForce === 'ioc' || timeInForce === 'fok')
      if (timeInForce === 'fok') assert.equal(tracked.filled, 0n, 'all or nothing')
      if (why === 'group')
        assert.equal(
          this.#lastEvents.get(tracked.group!),
          at,
          'a member is canceled at the same time as an event of its group',
        )
      this.end(orderId, at)
    },
    orderExpired: ({ at, orderId }) => {
      const { accepted } = this.end(orderId, at)
      // Also an immediate order, if the server did not run on its day.
      assert(at >= accepted.expiresAt && accepted.timeInForce !== 'gtc', 'not before its expiry')
    },
  }

  #elected({ at, orderId, trade }: Of<'orderElected'>): void {
    const tracked = this.get(orderId)
    const { side, symbol } = tracked.accepted
    assert(
      tracked.isOpen && !tracked.isElected && tracked.armedAt !== undefined,
      'only an armed stop is elected',
    )
    assert.deepEqual(trade, this.#pricesAt(at).trade(symbol), 'the recorded trade is the trade of the market')
    assert(trade.at >= tracked.armedAt, 'no trade from before the order counts')
    assert(
      side === 'buy' ? trade.price >= tracked.stop! : trade.price <= tracked.stop!,
      'the trade reached the stop',
    )
    Object.assign(tracked, { isElected: true, isWorking: true, isHeld: false })
    this.#recordEvent(tracked, at)
  }

  /** A leg follows its parent and a replacement follows the replaced order. */
  #assertOrigin({ id, group, replaces, status, side, quantity }: Order): void {
    if (replaces !== undefined) {
      const { orderId, by } = this.requested ?? this.#replaced ?? {}
      assert.deepEqual([orderId, by], [replaces, id], 'the replacement follows the replaced order')
      this.#replaced = undefined
      this.requested = undefined
      return
    }
    if (group?.parentId === undefined) return
    const { accepted } = this.get(group.parentId)
    assert.equal(status, 'held')
    assert.equal(quantity, accepted.quantity)
    assert.equal(side === accepted.side, group.class === 'oco', 'an exit is on the other side of its entry')
  }

  #assertParentFilled({ group }: TrackedOrder): void {
    const parent = this.#parents.get(group!)!
    assert(!parent.isOpen && parent.filled === parent.quantity, 'its parent is completely filled')
  }

  #groupOf({ id, group, replaces }: Order): string | undefined {
    if (group === undefined) return undefined
    if (replaces !== undefined) return this.get(replaces).group
    return group.parentId ?? id
  }

  #recordEvent({ group }: TrackedOrder, at: bigint): void {
    if (group !== undefined) this.#lastEvents.set(group, at)
  }
}
