import assert from 'node:assert/strict'
import { type BrokerEvent, dayFor, type Instant, type Ticker, type View } from '@quipu/core'

/** Shares with their cost. */
type Lot = { size: bigint; cost: bigint }

type Held = {
  quantity: bigint
  cost: bigint
  /** The day of the last change, and the shares bought on that day that are still held. */
  day: string
  boughtToday: bigint
  /** Lots of earlier days, oldest first, and the purchases and sales of the day. */
  lots: Lot[]
  bought: Lot
  sold: bigint
}

/**
 * The cost basis of positions, calculated from the events: purchases add cost, sales remove it at the average. At the end
 * of a day its purchases become one lot, and its sales reduce the oldest lots.
 */
export class Costs {
  readonly #positions = new Map<string, Held>()

  take(event: BrokerEvent): void {
    switch (event.kind) {
      case 'orderFilled': {
        const { accountId, symbol, at } = event
        const quantity = this.#on(accountId, symbol, at)?.quantity ?? 0n
        const change = event.positionAfter - quantity
        const grows = quantity === 0n || quantity > 0n === change > 0n
        return this.#change(accountId, symbol, at, change, grows ? sign(change) * event.cash : undefined)
      }
      case 'mintTransferred':
      case 'redeemCompleted':
        return this.#move(event.at, event.moved)
      case 'mintRejected':
        return event.moved && this.#move(event.at, event.moved)
      case 'bookTransferMade': {
        const { from, to, what } = event.bookTransfer
        return what.kind === 'shares' ? this.#move(event.at, { from, to, ...what }) : undefined
      }
      case 'sharesChanged':
        return this.#restate(event)
      case 'accountReset':
      case 'accountClosed':
        for (const name of this.#positions.keys())
          if (name.startsWith(`${event.accountId}/`)) this.#positions.delete(name)
        for (const { symbol, quantity, costBasis } of event.kind === 'accountReset' ? event.positions : [])
          this.#positions.set(`${event.accountId}/${symbol}`, oneLot(quantity, costBasis, '', 0n))
    }
  }

  of(accountId: string, symbol: string, at: Instant): bigint {
    return this.#on(accountId, symbol, at)?.cost ?? 0n
  }

  assertSameAs({ positions }: View): void {
    let count = 0
    for (const [accountId, held] of positions)
      for (const { symbol, quantity, costBasis } of held.values()) {
        count += 1
        const expected = this.#positions.get(`${accountId}/${symbol}`)
        assert.deepEqual(
          [quantity, costBasis],
          [expected?.quantity, expected?.cost],
          'the cost basis of a position',
        )
      }
    assert.equal(count, this.#positions.size)
  }

  #on(accountId: string, symbol: string, at: Instant): Held | undefined {
    const held = this.#positions.get(`${accountId}/${symbol}`)
    return held && nextDay(held, dayFor(symbol as Ticker, at))
  }

  #move(
    at: Instant,
    moved: { from: string; to: string; symbol: string; quantity: bigint; cost: bigint },
  ): void {
    this.#change(moved.from, moved.symbol, at, -moved.quantity, -moved.cost)
    this.#change(moved.to, moved.symbol, at, moved.quantity, moved.cost)
  }

  /** A change without a cost keeps the average cost per share. */
  #change(accountId: string, symbol: string, at: Instant, change: bigint, cost: bigint | undefined): void {
    const name = `${accountId}/${symbol}`
    const day = dayFor(symbol as Ticker, at)
    const held = this.#on(accountId, symbol, at) ?? { ...oneLot(0n, 0n, day, 0n), lots: [], day }
    const quantity = held.quantity + change
    if (quantity === 0n) {
      this.#positions.delete(name)
      return
    }
    const grows = size(quantity) > size(held.quantity)
    const after = cost === undefined ? (held.cost * quantity) / held.quantity : held.cost + cost
    const boughtToday = grows ? held.boughtToday + change : least(held.boughtToday, quantity)
    if (!grows && cost !== undefined) this.#positions.set(name, oneLot(quantity, after, day, boughtToday))
    else {
      const { bought, sold } = held
      this.#positions.set(name, {
        ...held,
        ...{ quantity, cost: after, day, boughtToday },
        bought: grows ? { size: bought.size + change, cost: bought.cost + (cost ?? 0n) } : bought,
        sold: grows ? sold : sold - change,
      })
    }
  }

  /** A split or a symbol change: every lot changes by the same ratio; the last lot takes the rounding difference. */
  #restate({
    accountId,
    at,
    symbol,
    newSymbol = symbol,
    after,
    costBasis,
  }: BrokerEvent & { kind: 'sharesChanged' }): void {
    const held = this.#on(accountId, symbol, at)
    this.#positions.delete(`${accountId}/${symbol}`)
    if (after === 0n || !held) return
    const boughtToday = (held.boughtToday * after) / held.quantity
    const restated = oneLot(after, costBasis, held.day, boughtToday)
    const isUnchangedToday = held.bought.size === 0n && held.sold === 0n && held.cost !== 0n
    if (isUnchangedToday && held.lots.length > 1) {
      restated.lots = held.lots.slice(0, -1).map((lot) => ({
        size: (lot.size * after) / held.quantity,
        cost: (lot.cost * costBasis) / held.cost,
      }))
      const sum = total(restated.lots)
      restated.lots.push({ size: after - sum.size, cost: costBasis - sum.cost })
    }
    this.#positions.set(`${accountId}/${newSymbol}`, restated)
  }
}

/** The whole position as one lot; a lot of that day if all shares were bought on it. */
function oneLot(quantity: bigint, cost: bigint, day: string, boughtToday: bigint): Held {
  const all = { size: quantity, cost }
  const isOfToday = day !== '' && boughtToday === quantity
  return {
    ...{ quantity, cost, day, boughtToday, sold: 0n },
    lots: isOfToday ? [] : [all],
    bought: isOfToday ? all : { size: 0n, cost: 0n },
  }
}

function nextDay(held: Held, day: string): Held {
  if (held.day === day) return held
  const lots = held.lots.map((lot) => ({ ...lot }))
  if (held.bought.size !== 0n) lots.push({ ...held.bought })
  for (let left = size(held.sold); left > 0n; ) {
    const [oldest] = lots
    assert.ok(oldest, 'no more shares are sold than were held')
    const oldestSize = size(oldest.size)
    if (oldestSize <= left) {
      lots.shift()
      left -= oldestSize
    } else {
      lots[0] = {
        size: (oldest.size * (oldestSize - left)) / oldestSize,
        cost: (oldest.cost * (oldestSize - left)) / oldestSize,
      }
      left = 0n
    }
  }
  const { cost } = total(lots)
  return {
    ...{ quantity: held.quantity, cost, day, boughtToday: 0n, lots, sold: 0n },
    bought: { size: 0n, cost: 0n },
  }
}

const total = (lots: readonly Lot[]): Lot =>
  lots.reduce((sum, lot) => ({ size: sum.size + lot.size, cost: sum.cost + lot.cost }), {
    size: 0n,
    cost: 0n,
  })
const sign = (amount: bigint): bigint => (amount < 0n ? -1n : 1n)
const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const least = (one: bigint, other: bigint): bigint => (size(one) <= size(other) ? one : other)
