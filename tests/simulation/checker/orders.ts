import assert from 'node:assert/strict'
import type { BrokerEvent, Order, Prices } from '@quipu/core'
import type { Restated } from './action-rules.ts'
import { assertTradingTime, cents, isCoin, mostOf, opens } from './rules.ts'

/** An order as the checker knows it: as it was accepted, and what came of it since. */
export type OwnOrder = {
  accepted: Order
  /** The id of the first parent of its group. */
  readonly group: string | undefined
  quantity: bigint
  stop: bigint | undefined
  /** From when on trades count for its stop. */
  armedAt: bigint | undefined
  isElected: boolean
  /** A leg that waits for its parent, or for its trade beside a sibling. */
  isHeld: boolean
  isWorking: boolean
  isOpen: boolean
  filled: bigint
  value: bigint
  spent: bigint
}

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

const NANO = 1_000_000_000n

/** What becomes of orders, by rules of the checker's own: triggers, groups, replacements, ends. */
export class OwnOrders {
  readonly #pricesAt: (at: bigint) => Prices
  readonly #orders = new Map<string, OwnOrder>()
  /** By group: the parent, or what stands in its place, and when something last happened to a member. */
  readonly #parents = new Map<string, OwnOrder>()
  readonly #causes = new Map<string, bigint>()
  #replaced: Of<'orderReplaced'> | undefined

  constructor(pricesAt: (at: bigint) => Prices) {
    this.#pricesAt = pricesAt
  }

  accept(order: Order): OwnOrder {
    const { trigger, status, quantity } = order
    const own: OwnOrder = {
      accepted: order,
      group: this.#groupOf(order),
      quantity,
      stop: trigger?.stop,
      armedAt: trigger?.armedAt,
      isElected: trigger?.electedAt !== undefined,
      isHeld: status === 'held',
      isWorking: false,
      isOpen: true,
      filled: 0n,
      value: 0n,
      spent: 0n,
    }
    this.#assertPlace(order)
    this.#orders.set(order.id, own)
    if (own.group !== undefined && order.group?.parentId === undefined) this.#parents.set(own.group, own)
    return own
  }

  get(id: string): OwnOrder {
    const order = this.#orders.get(id)
    assert(order, `an event of ${id}, which was never accepted`)
    return order
  }

  /** The open ones of an account, in the order in which they came. */
  openOf(accountId: string): readonly OwnOrder[] {
    return [...this.#orders.values()].filter(
      ({ isOpen, accepted }) => isOpen && accepted.accountId === accountId,
    )
  }

  openIn(symbol: string): readonly OwnOrder[] {
    return [...this.#orders.values()].filter(({ isOpen, accepted }) => isOpen && accepted.symbol === symbol)
  }

  /** What a corporate action made of it. */
  restate(own: OwnOrder, { quantity, stop, symbol, limit, reserve }: Restated): void {
    const changed = { symbol, reserve, ...(limit !== undefined && { limit }) }
    own.accepted = { ...own.accepted, ...(changed as Partial<Order>) }
    Object.assign(own, { quantity, stop })
  }

  heldMoney(accountId: string): bigint {
    return this.openOf(accountId)
      .filter((own) => opens(own.accepted.intent) && holds(own))
      .reduce((sum, own) => sum + moneyOf(own), 0n)
  }

  heldShares(accountId: string, symbol: string): bigint {
    return this.openOf(accountId)
      .filter((own) => !opens(own.accepted.intent) && own.accepted.symbol === symbol && holds(own))
      .reduce((sum, { quantity, filled }) => sum + quantity - filled, 0n)
  }

  /** The money that an order gave back to the one in its place. */
  freedFor({ replaces }: Order): bigint {
    return replaces === undefined ? 0n : moneyOf(this.get(replaces))
  }

  /** Of a fill: what was done is booked, and within what the order allows. */
  fill(own: OwnOrder, { at, price, quantity, cash, rest, auction }: Of<'orderFilled'>): void {
    const { side, limit, notional, timeInForce, trigger } = own.accepted
    assert(own.isOpen && own.isWorking && !own.isHeld, 'only a working order fills')
    assert(trigger === undefined || own.isElected, 'a stop waits for its trade')
    if (limit !== undefined) assert(side === 'buy' ? price <= limit : price >= limit, 'within its limit')
    else if (trigger && side === 'buy' && own.accepted.kind === 'stop')
      assert(price <= mostOf(own.stop!), 'not far above its stop')
    assert.equal(auction !== undefined, timeInForce === 'opg' || timeInForce === 'cls')
    own.filled += quantity
    own.value += price * quantity
    own.spent += cash
    if (notional !== undefined) {
      assert(own.spent <= notional + cents(1n, NANO, 'buy'), 'no more than its dollars')
      own.quantity = own.filled + rest!
    }
    assert(own.filled <= own.quantity, 'no more than it was for')
    this.#note(own, at)
    if (own.filled === own.quantity) own.isOpen = false
  }

  end(orderId: string, at: bigint): OwnOrder {
    const own = this.get(orderId)
    assert(own.isOpen, 'an order ends once')
    own.isOpen = false
    this.#note(own, at)
    return own
  }

  readonly checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    orderWorked: ({ at, orderId }) => {
      const own = this.get(orderId)
      assert(own.isOpen && !own.isHeld)
      own.isWorking = true
      this.#note(own, at)
    },
    orderActivated: ({ orderId }) => {
      const own = this.get(orderId)
      assert(own.isHeld && own.accepted.group?.role === 'takeProfit', 'a take-profit that waited')
      this.#assertParentFilled(own)
      Object.assign(own, { isHeld: false, isWorking: true })
    },
    orderArmed: ({ at, orderId }) => {
      const own = this.get(orderId)
      const { group } = own.accepted
      assert(own.isHeld && group?.role === 'stopLoss', 'a stop-loss that waited')
      if (group.class !== 'oco') this.#assertParentFilled(own)
      own.armedAt = at
    },
    orderTrailed: ({ orderId, highWater, stop }) => {
      const own = this.get(orderId)
      const { side } = own.accepted
      assert(own.isOpen && !own.isElected)
      assert(side === 'sell' ? stop >= own.stop! : stop <= own.stop!, 'a trail never goes back')
      assert(side === 'sell' ? stop < highWater : stop > highWater)
      own.stop = stop
    },
    orderElected: (event) => this.#elected(event),
    orderResized: ({ orderId, quantity }) => {
      const own = this.get(orderId)
      assert(own.isOpen && quantity > own.filled && own.accepted.group, 'only a member of a group')
      own.quantity = quantity
    },
    orderReplaced: (event) => {
      this.end(event.orderId, event.at)
      this.#replaced = event
    },
    orderCanceled: ({ at, orderId, why }) => {
      const own = this.get(orderId)
      const { timeInForce, expiresAt } = own.accepted
      if (why === 'aged') assert(at >= expiresAt && timeInForce === 'gtc')
      if (why === 'unfilled') assert(timeInForce === 'ioc' || timeInForce === 'fok')
      if (timeInForce === 'fok') assert.equal(own.filled, 0n, 'all or nothing')
      if (why === 'group')
        assert.equal(this.#causes.get(own.group!), at, 'a member goes because another did something')
      this.end(orderId, at)
    },
    orderExpired: ({ at, orderId }) => {
      const { accepted } = this.end(orderId, at)
      // An immediate one too, if nobody was there to work it on its day.
      assert(at >= accepted.expiresAt && accepted.timeInForce !== 'gtc', 'it ends with its day')
    },
  }

  #elected({ at, orderId, trade }: Of<'orderElected'>): void {
    const own = this.get(orderId)
    const { side, symbol } = own.accepted
    assert(own.isOpen && !own.isElected && own.armedAt !== undefined, 'only one that waits for its trade')
    assert.deepEqual(trade, this.#pricesAt(at).trade(symbol), 'the trade it carries is the market’s')
    assert(trade.at >= own.armedAt, 'no trade from before counts')
    assert(side === 'buy' ? trade.price >= own.stop! : trade.price <= own.stop!, 'the trade reached it')
    Object.assign(own, { isElected: true, isWorking: true, isHeld: false })
    this.#note(own, at)
  }

  /** A leg follows its parent, a replacement what it replaces; the others come by themselves. */
  #assertPlace({ id, group, replaces, status, side, quantity }: Order): void {
    if (replaces !== undefined) {
      assert.deepEqual([this.#replaced?.orderId, this.#replaced?.by], [replaces, id], 'one for another')
      this.#replaced = undefined
      return
    }
    if (group?.parentId === undefined) return
    const { accepted } = this.get(group.parentId)
    assert.equal(status, 'held')
    assert.equal(quantity, accepted.quantity)
    assert.equal(side === accepted.side, group.class === 'oco', 'an exit is on the other side of its entry')
  }

  #assertParentFilled({ group }: OwnOrder): void {
    const parent = this.#parents.get(group!)!
    assert(!parent.isOpen && parent.filled === parent.quantity, 'its parent is filled whole')
  }

  #groupOf({ id, group, replaces }: Order): string | undefined {
    if (group === undefined) return undefined
    if (replaces !== undefined) return this.get(replaces).group
    return group.parentId ?? id
  }

  #note({ group }: OwnOrder, at: bigint): void {
    if (group !== undefined) this.#causes.set(group, at)
  }
}

/** A leg holds nothing while it waits, but for one without a sibling whose parent is filled. */
const holds = ({ isHeld, armedAt, accepted }: OwnOrder): boolean =>
  !isHeld || (accepted.group?.class === 'oto' && armedAt !== undefined)

function moneyOf({ accepted, quantity, filled, spent }: OwnOrder): bigint {
  const { notional, reserve } = accepted
  if (notional === undefined) return cents(reserve, quantity - filled, 'buy')
  return notional > spent ? notional - spent : 0n
}

export function assertHours(hours: 'nyse' | 'always', at: bigint, { symbol, extendedHours }: Order): void {
  if (hours === 'nyse' && !isCoin(symbol)) assertTradingTime(at, extendedHours)
}
