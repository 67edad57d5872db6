import assert from 'node:assert/strict'
import type {
  BrokerEvent,
  CorporateAction,
  Instant,
  OrderCanceled,
  OrderRestated,
  Prices,
  SharesChanged,
} from '@quipu/core'
import {
  type Changed,
  dividendOn,
  type Holding,
  holdingAfter,
  orderAfter,
  type Restated,
} from './action-rules.ts'
import type { Costs } from './costs.ts'
import { assertMoves, type OwnLedger, pair, settled, unsettled } from './ledger.ts'
import type { OwnOrders } from './orders.ts'
import { clockInNewYork } from './rules.ts'
import type { OwnSettling } from './settlement.ts'
import type { OwnTokens } from './token-checks.ts'

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

/** What of the checker's own books these rules look at, and change. */
export type ActedOn = {
  readonly ledger: OwnLedger
  readonly orders: OwnOrders
  readonly pricesAt: (at: bigint) => Prices
  readonly costs: Costs
  readonly settling: OwnSettling
  readonly tokens: OwnTokens
}

/** An action whose moment has come: what is still to be seen of it. */
type Moment = {
  readonly action: CorporateAction
  readonly holders: Map<string, { readonly had: Holding; readonly has: Changed }>
  readonly orders: Map<string, Restated | 'canceled'>
}

/**
 * What issuers do to their shares. As the moment of an action comes, the books say what is due to everyone who holds
 * the shares and to every open order; exactly that follows in the same instant.
 */
export class OwnActions {
  readonly #books: ActedOn
  readonly #planned = new Map<string, CorporateAction>()
  readonly #applied: CorporateAction[] = []
  /** Dividends by action and account. */
  readonly #owed = new Map<string, Map<string, { readonly shares: bigint; readonly amount: bigint }>>()
  #moment: Moment | undefined

  constructor(books: ActedOn) {
    this.#books = books
  }

  /** Those whose moment has come, in the order of it. */
  get applied(): readonly CorporateAction[] {
    return this.#applied
  }

  /** Nobody was forgotten. */
  assertDone(): void {
    const { holders, orders } = this.#moment ?? {}
    assert.deepEqual([...(holders?.keys() ?? [])], [], 'an action concerns everyone who holds the shares')
    assert.deepEqual([...(orders?.keys() ?? [])], [], 'an action concerns every open order')
    this.#moment = undefined
  }

  /** Who begins again, or ends, is owed nothing. */
  forget(accountId: string): void {
    for (const owed of this.#owed.values()) owed.delete(accountId)
  }

  readonly checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    actionScheduled: ({ at, action }) => {
      assert(action.exDate > clockInNewYork(at).date, 'a day that has not begun')
      for (const { symbol, exDate } of this.#planned.values())
        assert(symbol !== action.symbol || exDate !== action.exDate, 'one thing a day')
      this.#planned.set(action.id, action)
    },
    actionCanceled: ({ actionId }) => {
      assert(this.#planned.delete(actionId), 'only what lies ahead is taken back')
    },
    actionApplied: (event) => this.#apply(event),
    sharesChanged: (event) => this.#change(event),
    dividendEarned: ({ accountId, actionId, quantity, amount }) => {
      const { action, holders } = this.#at(actionId)
      assert(action.kind === 'dividend')
      const { had } = taken(holders, accountId)
      assert.deepEqual([quantity, amount], [had.owned, dividendOn(action.rate, had.owned)], 'what is owed')
      this.#owed.get(actionId)!.set(accountId, { shares: quantity, amount })
    },
    dividendPaid: ({ accountId, actionId, quantity, amount, posting }) => {
      const owed = taken(this.#owed.get(actionId)!, accountId)
      assert.deepEqual({ shares: quantity, amount }, owed, 'what was owed is paid, once')
      assertMoves(posting, pair('USD', owed.amount, 'corporate', settled(accountId)))
    },
    dividendsPaid: ({ at, actionId }) => {
      const action = this.#applied.find(({ id }) => id === actionId)
      assert(action?.kind === 'dividend' && clockInNewYork(at).date >= action.payDate, 'not before its day')
      assert.equal(this.#owed.get(actionId)!.size, 0, 'everyone is paid')
      this.#owed.delete(actionId)
    },
    orderRestated: (event) => this.#restate(event),
  }

  /** Of an order that an action ends; what ends with it, as a member of its group, is due to nothing more. */
  canceled({ orderId, why }: OrderCanceled): void {
    const due = this.#moment?.orders.get(orderId)
    assert(why !== 'action' || due === 'canceled', 'only what an action ends')
    this.#moment?.orders.delete(orderId)
  }

  #apply({ at, actionId }: Of<'actionApplied'>): void {
    const action = taken(this.#planned, actionId)
    assert(clockInNewYork(at).date >= action.exDate, 'not before its day')
    this.assertDone()
    this.#applied.push(action)
    if (action.kind === 'dividend') this.#owed.set(actionId, new Map())
    const { ledger, orders, pricesAt } = this.#books
    const { symbol } = action
    const last = pricesAt(at).trade(symbol)?.price
    const holders: Moment['holders'] = new Map()
    for (const accountId of ledger.customers()) {
      const had = this.#holding(accountId, symbol, at)
      if (had.owned === 0n) continue
      const custody = action.kind === 'split' ? this.#books.tokens.custodyOf(accountId, symbol) : undefined
      const has = custody === undefined ? holdingAfter(action, had, last) : inCustody(symbol, had, custody)
      holders.set(accountId, { had, has })
    }
    const due: Moment['orders'] = new Map()
    for (const own of orders.openIn(symbol)) {
      const after = orderAfter(action, own)
      if (after) due.set(own.accepted.id, after)
    }
    this.#moment = { action, holders, orders: due }
  }

  #holding(accountId: string, symbol: string, at: Instant): Holding {
    const { ledger, costs, settling } = this.#books
    return {
      owned: ledger.owned(accountId, symbol),
      cost: costs.of(accountId, symbol, at),
      settled: ledger.of(settled(accountId)).get(symbol),
      toSettle: settling.shares(accountId, symbol),
    }
  }

  #change({ accountId, actionId, before, after, costBasis, cash, newSymbol, posting }: SharesChanged): void {
    const { action, holders } = this.#at(actionId)
    const { symbol } = action
    const { had, has } = taken(holders, accountId)
    assert.deepEqual(
      [before, after, costBasis, cash, newSymbol ?? symbol],
      [had.owned, has.owned, has.cost, has.cash, has.symbol],
      'what becomes of shares',
    )
    const sum = ({ toSettle }: Holding): bigint => toSettle.reduce((all, [, shares]) => all + shares, 0n)
    const moved = (name: string, from: bigint, to: bigint) => [
      ...pair(symbol, from, name, 'corporate'),
      ...pair(has.symbol, to, 'corporate', name),
    ]
    assertMoves(posting, [
      ...moved(settled(accountId), had.settled, has.settled),
      ...moved(unsettled(accountId), sum(had), sum(has)),
      ...pair('USD', cash, 'corporate', settled(accountId)),
    ])
    for (const [date, shares] of has.toSettle)
      this.#books.settling.instead(accountId, date, { from: symbol, to: has.symbol, shares })
  }

  #restate({ orderId, actionId, changes }: OrderRestated): void {
    const { orders } = this.#at(actionId)
    const due = taken(orders, orderId)
    assert(due !== 'canceled', 'it should have ended')
    const own = this.#books.orders.get(orderId)
    const { symbol, limit, reserve } = own.accepted
    const told = { symbol, limit, reserve, quantity: own.quantity, stop: own.stop, ...changes }
    assert.deepEqual(
      [told.symbol, told.quantity, told.limit, changes.trigger?.stop ?? told.stop, told.reserve],
      [due.symbol, due.quantity, due.limit, due.stop, due.reserve],
      'what becomes of an order',
    )
    this.#books.orders.restate(own, due)
  }

  #at(actionId: string): Moment {
    assert.equal(this.#moment?.action.id, actionId, 'in the moment of its action')
    return this.#moment!
  }
}

/** What stands behind tokens is never paid out, whatever a split leaves of it. */
const inCustody = (symbol: string, { cost, toSettle }: Holding, owned: bigint): Changed => {
  assert.deepEqual(toSettle, [], 'in custody all is settled')
  return { symbol, owned, cost: owned === 0n ? 0n : cost, settled: owned, toSettle, cash: 0n }
}

function taken<Key, Value>(from: Map<Key, Value>, key: Key): Value {
  const value = from.get(key)
  assert(value !== undefined, `${key} is due to nothing, or has had it`)
  from.delete(key)
  return value
}
