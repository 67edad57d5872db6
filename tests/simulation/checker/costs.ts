import assert from 'node:assert/strict'
import { type BrokerEvent, dayFor, type Instant, type Ticker, type View } from '@quipu/core'

/** Shares with their cost. */
type Pile = { size: bigint; cost: bigint }

type Held = {
  quantity: bigint
  cost: bigint
  /** The day of the last change, and how much of what is held came on it. */
  day: string
  fresh: bigint
  /** Piles of earlier days, oldest first; what that day bought and sold. */
  piles: Pile[]
  bought: Pile
  sold: bigint
}

/**
 * What positions cost, kept from the events: purchases add, sales take their part at the average. When a day is over,
 * its purchases are one pile, and its sales have taken from the oldest piles.
 */
export class Costs {
  readonly #of = new Map<string, Held>()

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
      case 'journalBooked': {
        const { from, to, what } = event.journal
        return what.kind === 'shares' ? this.#move(event.at, { from, to, ...what }) : undefined
      }
      case 'sharesChanged':
        return this.#restate(event)
      case 'accountReset':
      case 'accountClosed':
        for (const name of this.#of.keys()) if (name.startsWith(`${event.accountId}/`)) this.#of.delete(name)
        for (const { symbol, quantity, costBasis } of event.kind === 'accountReset' ? event.positions : [])
          this.#of.set(`${event.accountId}/${symbol}`, onePile(quantity, costBasis, '', 0n))
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
        const own = this.#of.get(`${accountId}/${symbol}`)
        assert.deepEqual([quantity, costBasis], [own?.quantity, own?.cost], 'what a position cost')
      }
    assert.equal(count, this.#of.size)
  }

  #on(accountId: string, symbol: string, at: Instant): Held | undefined {
    const held = this.#of.get(`${accountId}/${symbol}`)
    return held && nextDay(held, dayFor(symbol as Ticker, at))
  }

  #move(
    at: Instant,
    moved: { from: string; to: string; symbol: string; quantity: bigint; cost: bigint },
  ): void {
    this.#change(moved.from, moved.symbol, at, -moved.quantity, -moved.cost)
    this.#change(moved.to, moved.symbol, at, moved.quantity, moved.cost)
  }

  /** Without a cost of its own, a change leaves every share at what it cost. */
  #change(accountId: string, symbol: string, at: Instant, change: bigint, cost: bigint | undefined): void {
    const name = `${accountId}/${symbol}`
    const day = dayFor(symbol as Ticker, at)
    const held = this.#on(accountId, symbol, at) ?? { ...onePile(0n, 0n, day, 0n), piles: [], day }
    const quantity = held.quantity + change
    if (quantity === 0n) {
      this.#of.delete(name)
      return
    }
    const grows = size(quantity) > size(held.quantity)
    const after = cost === undefined ? (held.cost * quantity) / held.quantity : held.cost + cost
    const fresh = grows ? held.fresh + change : least(held.fresh, quantity)
    if (!grows && cost !== undefined) this.#of.set(name, onePile(quantity, after, day, fresh))
    else {
      const { bought, sold } = held
      this.#of.set(name, {
        ...held,
        ...{ quantity, cost: after, day, fresh },
        bought: grows ? { size: bought.size + change, cost: bought.cost + (cost ?? 0n) } : bought,
        sold: grows ? sold : sold - change,
      })
    }
  }

  /** A split or another name: every pile becomes more or less as all of it does; the last takes what is left. */
  #restate({
    accountId,
    at,
    symbol,
    newSymbol = symbol,
    after,
    costBasis,
  }: BrokerEvent & { kind: 'sharesChanged' }): void {
    const held = this.#on(accountId, symbol, at)
    this.#of.delete(`${accountId}/${symbol}`)
    if (after === 0n || !held) return
    const fresh = (held.fresh * after) / held.quantity
    const restated = onePile(after, costBasis, held.day, fresh)
    const isQuiet = held.bought.size === 0n && held.sold === 0n && held.cost !== 0n
    if (isQuiet && held.piles.length > 1) {
      restated.piles = held.piles.slice(0, -1).map((pile) => ({
        size: (pile.size * after) / held.quantity,
        cost: (pile.cost * costBasis) / held.cost,
      }))
      const sum = total(restated.piles)
      restated.piles.push({ size: after - sum.size, cost: costBasis - sum.cost })
    }
    this.#of.set(`${accountId}/${newSymbol}`, restated)
  }
}

/** All of it in one pile: one of that day where all of it came on it. */
function onePile(quantity: bigint, cost: bigint, day: string, fresh: bigint): Held {
  const all = { size: quantity, cost }
  const isOfToday = day !== '' && fresh === quantity
  return {
    ...{ quantity, cost, day, fresh, sold: 0n },
    piles: isOfToday ? [] : [all],
    bought: isOfToday ? all : { size: 0n, cost: 0n },
  }
}

function nextDay(held: Held, day: string): Held {
  if (held.day === day) return held
  const piles = held.piles.map((pile) => ({ ...pile }))
  if (held.bought.size !== 0n) piles.push({ ...held.bought })
  for (let left = size(held.sold); left > 0n; ) {
    const [oldest] = piles
    assert.ok(oldest, 'more was sold than there was')
    const of = size(oldest.size)
    if (of <= left) {
      piles.shift()
      left -= of
    } else {
      piles[0] = { size: (oldest.size * (of - left)) / of, cost: (oldest.cost * (of - left)) / of }
      left = 0n
    }
  }
  const { cost } = total(piles)
  return {
    ...{ quantity: held.quantity, cost, day, fresh: 0n, piles, sold: 0n },
    bought: { size: 0n, cost: 0n },
  }
}

const total = (piles: readonly Pile[]): Pile =>
  piles.reduce((sum, pile) => ({ size: sum.size + pile.size, cost: sum.cost + pile.cost }), {
    size: 0n,
    cost: 0n,
  })
const sign = (amount: bigint): bigint => (amount < 0n ? -1n : 1n)
const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const least = (one: bigint, other: bigint): bigint => (size(one) <= size(other) ? one : other)
