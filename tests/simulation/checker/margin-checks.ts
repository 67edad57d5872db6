import assert from 'node:assert/strict'
import type { BrokerEvent, Prices, View, WorldSettings } from '@quipu/core'
import { assertMoves, type CheckerLedger, pair, settled } from './ledger.ts'
import type { Powers } from './margin-rules.ts'

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>
type Call = { readonly dueAt: bigint; isEnforced: boolean }

/** The parts of the checker that margin checks read. */
export type MarginState = {
  readonly ledger: CheckerLedger
  readonly settings: () => Pick<WorldSettings, 'margin'>
  readonly powersAt: (at: bigint, accountId: string) => Pick<Powers, 'maintenance'>
  readonly pricesAt: (at: bigint) => Prices
  readonly openOrders: (accountId: string) => number
}

/** Margin interest and margin calls, calculated without code of the core. */
export class CheckerMargin {
  readonly #state: MarginState
  readonly #interest = new Map<string, bigint>()
  readonly #calls = new Map<string, Call>()

  constructor(state: MarginState) {
    this.#state = state
  }

  hasCall(accountId: string): boolean {
    return this.#calls.has(accountId)
  }

  /** An account that was reset or closed has no call and owes no interest. */
  forget(accountId: string): void {
    this.#calls.delete(accountId)
    this.#interest.delete(accountId)
  }

  assertSameAs({ interest, marginCalls }: View): void {
    assert.deepEqual([...interest].sort(), [...this.#interest].sort(), 'accrued interest')
    assert.deepEqual([...marginCalls.keys()].sort(), [...this.#calls.keys()].sort(), 'open margin calls')
  }

  readonly checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    interestAccrued: ({ accountId, debit, rate, days, amount }) => {
      assert.equal(rate, this.#state.settings().margin?.interestRate)
      assert.equal(debit, -this.#state.ledger.of(settled(accountId)).get('USD'), 'the settled debit')
      const exact = debit * BigInt(rate) * BigInt(days)
      const whole = 360_000_000n
      assert(debit > 0n && amount === (exact + whole / 2n) / whole, 'debit, rate and days')
      this.#interest.set(accountId, (this.#interest.get(accountId) ?? 0n) + amount)
    },
    interestPosted: ({ accountId, amount, posting }) => {
      const owed = this.#interest.get(accountId) ?? 0n
      assert.equal(amount, ((owed + 5_000_000n) / 10_000_000n) * 10_000_000n, 'the sum of a month, in cents')
      assertMoves(posting, pair('USD', amount, settled(accountId), 'interest'))
      this.#interest.delete(accountId)
    },
    marginCallIssued: ({ at, accountId, equity, maintenanceMargin, amount, dueAt }) => {
      assert(!this.#calls.has(accountId) && dueAt > at, 'one call at a time')
      assert(amount === maintenanceMargin - equity && amount > 0n)
      this.#assertValues(at, accountId, equity, maintenanceMargin)
      this.#calls.set(accountId, { dueAt, isEnforced: false })
    },
    marginCallMet: ({ at, accountId, equity, maintenanceMargin }) => {
      assert(this.#calls.delete(accountId), 'an open call is met')
      assert(equity >= maintenanceMargin)
      this.#assertValues(at, accountId, equity, maintenanceMargin)
    },
    marginCallEnforced: ({ at, accountId, equity, maintenanceMargin }) => {
      const call = this.#calls.get(accountId)
      assert(call && at >= call.dueAt && equity < maintenanceMargin, 'a call that is due and not met')
      this.#assertValues(at, accountId, equity, maintenanceMargin)
      assert.equal(this.#state.openOrders(accountId), 0, 'all orders are canceled first')
      call.isEnforced = true
    },
    positionLiquidated: ({ accountId, symbol, closingOrderId, refused }) => {
      assert(this.#calls.get(accountId)?.isEnforced, 'only after its due time')
      assert(this.#state.ledger.owned(accountId, symbol) !== 0n, 'a position is closed')
      assert.equal(closingOrderId === undefined, refused !== undefined)
    },
    marginCallClosed: ({ accountId }) => {
      assert(this.#calls.get(accountId)?.isEnforced)
      this.#calls.delete(accountId)
    },
  }

  #assertValues(at: bigint, accountId: string, equity: bigint, maintenance: bigint): void {
    const { ledger, pricesAt } = this.#state
    const prices = pricesAt(at)
    let worth = ledger.owned(accountId, 'USD')
    for (const symbol of ledger.symbolsOf(accountId)) {
      const quantity = ledger.owned(accountId, symbol)
      const exact = quantity * prices.trade(symbol as never)!.price
      worth += exact / 1_000_000_000n
    }
    const difference = worth > equity ? worth - equity : equity - worth
    // Each position is rounded to a billionth, up or down.
    assert(difference <= BigInt(ledger.symbolsOf(accountId).length), `an equity of ${equity}, not ${worth}`)
    assert.equal(maintenance, this.#state.powersAt(at, accountId).maintenance, 'the maintenance margin')
  }
}
