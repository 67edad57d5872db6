import assert from 'node:assert/strict'
import type { FeesBooked, Leg, OrderFilled, View } from '@quipu/core'
import { centsUp, cryptoFee, type Fees, noFees, regulatoryFees } from './fee-rules.ts'
import { assertMoves, pair, settled } from './ledger.ts'
import { isCrypto, newYorkClock } from './rules.ts'

/** The regulatory fees that each account owes, calculated from its fills. */
export class CheckerFees {
  readonly #owed = new Map<string, Fees>()

  /** Checks the fees of a fill; returns the posting legs of a crypto fee, which is charged immediately. */
  take({ accountId, symbol, quantity, cash, at, fees, coinFee }: OrderFilled, side: 'buy' | 'sell'): Leg[] {
    if (isCrypto(symbol)) {
      const amount = cryptoFee(side, quantity, cash)
      const asset = side === 'buy' ? symbol : 'USD'
      assert.equal(fees, undefined)
      assert.deepEqual(coinFee, amount === 0n ? undefined : { asset, amount })
      return moved(asset, amount, accountId)
    }
    const charged = regulatoryFees(side, quantity, cash, newYorkClock(at).date)
    assert.equal(coinFee, undefined)
    assert.deepEqual({ ...noFees(), ...fees }, charged, 'the regulatory fees of a fill')
    const owed = this.#owed.get(accountId) ?? noFees()
    this.#owed.set(accountId, {
      sec: owed.sec + charged.sec,
      taf: owed.taf + charged.taf,
      cat: owed.cat + charged.cat,
    })
    return []
  }

  /** At a close all fees are booked, each kind in whole cents. */
  book({ accountId, fees, posting }: FeesBooked): void {
    const owed = this.#owed.get(accountId)
    assert(owed, 'only owed fees are booked')
    const due = { sec: centsUp(owed.sec), taf: centsUp(owed.taf), cat: centsUp(owed.cat) }
    assert.deepEqual({ ...noFees(), ...fees }, due)
    assertMoves(posting, moved('USD', due.sec + due.taf + due.cat, accountId))
    this.#owed.delete(accountId)
  }

  /** An account that was reset or closed owes nothing. */
  forget(accountId: string): void {
    this.#owed.delete(accountId)
  }

  assertAllBooked(): void {
    assert.equal(this.#owed.size, 0, 'no fee is owed after a close')
  }

  assertSameAs({ fees }: View): void {
    assert.deepEqual([...fees].map(([id, owed]) => [id, { ...owed }]).sort(), [...this.#owed].sort())
  }
}

const moved = (asset: string, amount: bigint, accountId: string): Leg[] =>
  pair(asset, amount, settled(accountId), 'fees')
