import assert from 'node:assert/strict'
import type { FeesBooked, Leg, OrderFilled, View } from '@quipu/core'
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

// Rules for fees, implemented without code of the core.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
export const centsUp = (amount: bigint): bigint => up(amount, CENT) * CENT

export type Fees = { sec: bigint; taf: bigint; cat: bigint }
export const noFees = (): Fees => ({ sec: 0n, taf: 0n, cat: 0n })

/** SEC fee per million dollars, TAF per share with its maximum, and CAT fee per share, all in billionths. */
function ratesOn(date: string): { million: bigint; share: bigint; most: bigint; audit: bigint } {
  const million = date >= '2026-04-04' ? 20_600_000_000n : 0n
  if (date < '2026-01-01') return { million, share: 166_000n, most: 830n * CENT, audit: 22_000n }
  const isPaused = date >= '2026-10-01' && date < '2027-01-01'
  return { million, share: isPaused ? 0n : 195_000n, most: 979n * CENT, audit: 3_000n }
}

/** Regulatory fees of a trade in shares. */
export function regulatoryFees(side: 'buy' | 'sell', quantity: bigint, cash: bigint, date: string): Fees {
  const { million, share, most, audit } = ratesOn(date)
  const cat = up(audit * quantity, NANO)
  if (side === 'buy') return { sec: 0n, taf: 0n, cat }
  const taf = up(share * quantity, NANO)
  return { sec: up(cash * million, 1_000_000n * NANO), taf: taf < most ? taf : most, cat }
}

/** The broker fee for crypto: 0.25 % of the received coins, or of the received dollars in whole cents. */
export function cryptoFee(side: 'buy' | 'sell', quantity: bigint, cash: bigint): bigint {
  if (side === 'buy') return up(quantity, 400n)
  const fee = centsUp(up(cash, 400n))
  return fee < cash ? fee : cash
}
