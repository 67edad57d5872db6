import assert from 'node:assert/strict'
import type { FeesBooked, Leg, OrderFilled, View } from '@quipu/core'
import { brokerKeeps, centsUp, type Fees, noFees, regulatorsTake } from './fee-rules.ts'
import { assertMoves, pair, settled } from './ledger.ts'
import { clockInNewYork, isCoin } from './rules.ts'

/** What every account owes to regulators, kept from its fills. */
export class OwnFees {
  readonly #owed = new Map<string, Fees>()

  /** A fill carries what it costs; of coins the broker keeps a part at once: that leg. */
  take({ accountId, symbol, quantity, cash, at, fees, coinFee }: OrderFilled, side: 'buy' | 'sell'): Leg[] {
    if (isCoin(symbol)) {
      const amount = brokerKeeps(side, quantity, cash)
      const asset = side === 'buy' ? symbol : 'USD'
      assert.equal(fees, undefined)
      assert.deepEqual(coinFee, amount === 0n ? undefined : { asset, amount })
      return moved(asset, amount, accountId)
    }
    const taken = regulatorsTake(side, quantity, cash, clockInNewYork(at).date)
    assert.equal(coinFee, undefined)
    assert.deepEqual({ ...noFees(), ...fees }, taken, 'regulators take this much')
    const owed = this.#owed.get(accountId) ?? noFees()
    this.#owed.set(accountId, {
      sec: owed.sec + taken.sec,
      taf: owed.taf + taken.taf,
      cat: owed.cat + taken.cat,
    })
    return []
  }

  /** All of it is booked at a close, each kind in whole cents. */
  book({ accountId, fees, posting }: FeesBooked): void {
    const owed = this.#owed.get(accountId)
    assert(owed, 'only what is owed is booked')
    const due = { sec: centsUp(owed.sec), taf: centsUp(owed.taf), cat: centsUp(owed.cat) }
    assert.deepEqual({ ...noFees(), ...fees }, due)
    assertMoves(posting, moved('USD', due.sec + due.taf + due.cat, accountId))
    this.#owed.delete(accountId)
  }

  /** Who begins again owes nothing. */
  forget(accountId: string): void {
    this.#owed.delete(accountId)
  }

  assertAllBooked(): void {
    assert.equal(this.#owed.size, 0, 'nothing is owed past a close')
  }

  assertSameAs({ fees }: View): void {
    assert.deepEqual([...fees].map(([id, owed]) => [id, { ...owed }]).sort(), [...this.#owed].sort())
  }
}

const moved = (asset: string, amount: bigint, accountId: string): Leg[] =>
  pair(asset, amount, settled(accountId), 'fees')
