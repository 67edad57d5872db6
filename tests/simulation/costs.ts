import assert from 'node:assert/strict'
import type { BrokerEvent, View } from '@quipu/core'

/** What positions cost, kept from the events: purchases add, sales take their part at the average. */
export class Costs {
  readonly #of = new Map<string, { quantity: bigint; cost: bigint }>()

  take(event: BrokerEvent): void {
    switch (event.kind) {
      case 'orderFilled': {
        const { quantity } = this.#at(event.accountId, event.symbol)
        const change = event.positionAfter - quantity
        const grows = quantity === 0n || quantity > 0n === change > 0n
        return this.#change(
          event.accountId,
          event.symbol,
          change,
          grows ? sign(change) * event.cash : undefined,
        )
      }
      case 'mintTransferred':
      case 'redeemCompleted':
        return this.#move(event.moved)
      case 'mintRejected':
        return event.moved && this.#move(event.moved)
      case 'journalBooked': {
        const { from, to, what } = event.journal
        return what.kind === 'shares' ? this.#move({ from, to, ...what }) : undefined
      }
      case 'sharesChanged':
        this.#of.delete(`${event.accountId}/${event.symbol}`)
        return this.#change(event.accountId, event.newSymbol ?? event.symbol, event.after, event.costBasis)
      case 'accountReset':
      case 'accountClosed':
        for (const name of this.#of.keys()) if (name.startsWith(`${event.accountId}/`)) this.#of.delete(name)
        for (const { symbol, quantity, costBasis } of event.kind === 'accountReset' ? event.positions : [])
          this.#change(event.accountId, symbol, quantity, costBasis)
    }
  }

  of(accountId: string, symbol: string): bigint {
    return this.#at(accountId, symbol).cost
  }

  assertSameAs({ positions }: View): void {
    let count = 0
    for (const [accountId, held] of positions)
      for (const { symbol, quantity, costBasis } of held.values()) {
        count += 1
        assert.deepEqual({ quantity, cost: costBasis }, this.#at(accountId, symbol), 'what a position cost')
      }
    assert.equal(count, this.#of.size)
  }

  #at(accountId: string, symbol: string): { quantity: bigint; cost: bigint } {
    return this.#of.get(`${accountId}/${symbol}`) ?? { quantity: 0n, cost: 0n }
  }

  #move(moved: { from: string; to: string; symbol: string; quantity: bigint; cost: bigint }): void {
    this.#change(moved.from, moved.symbol, -moved.quantity, -moved.cost)
    this.#change(moved.to, moved.symbol, moved.quantity, moved.cost)
  }

  /** Without a cost of its own, a change leaves every share at what it cost. */
  #change(accountId: string, symbol: string, change: bigint, cost: bigint | undefined): void {
    const before = this.#at(accountId, symbol)
    const quantity = before.quantity + change
    const name = `${accountId}/${symbol}`
    if (quantity === 0n) this.#of.delete(name)
    else
      this.#of.set(name, {
        quantity,
        cost: cost === undefined ? (before.cost * quantity) / before.quantity : before.cost + cost,
      })
  }
}

const sign = (amount: bigint): bigint => (amount < 0n ? -1n : 1n)
