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
import type { CheckerSettlement } from './ledger.ts'
import { assertMoves, type CheckerLedger, pair, settled, unsettled } from './ledger.ts'
import type { CheckerOrders } from './orders.ts'
import { newYorkClock } from './rules.ts'
import type { CheckerTokens } from './token-checks.ts'

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

/** The parts of the checker state that corporate actions read and change. */
export type ActionState = {
  readonly ledger: CheckerLedger
  readonly orders: CheckerOrders
  readonly pricesAt: (at: bigint) => Prices
  readonly costs: Costs
  readonly settlement: CheckerSettlement
  readonly tokens: CheckerTokens
}

/** An action that is being applied, and its expected events that have not followed yet. */
type Application = {
  readonly action: CorporateAction
  readonly holders: Map<string, { readonly had: Holding; readonly has: Changed }>
  readonly orders: Map<string, Restated | 'canceled'>
}

/**
 * Checks corporate actions. When an action is applied, the checker calculates the effect on every holder and every open
 * order; exactly these events must follow at the same instant.
 */
export class CheckerActions {
  readonly #state: ActionState
  readonly #planned = new Map<string, CorporateAction>()
  readonly #applied: CorporateAction[] = []
  /** Dividends by action and account. */
  readonly #owed = new Map<string, Map<string, { readonly shares: bigint; readonly amount: bigint }>>()
  #current: Application | undefined

  constructor(state: ActionState) {
    this.#state = state
  }

  /** Applied actions, in order. */
  get applied(): readonly CorporateAction[] {
    return this.#applied
  }

  /** Every expected event has followed. */
  assertDone(): void {
    const { holders, orders } = this.#current ?? {}
    assert.deepEqual([...(holders?.keys() ?? [])], [], 'an action applies to every holder of the shares')
    assert.deepEqual([...(orders?.keys() ?? [])], [], 'an action applies to every open order')
    this.#current = undefined
  }

  /** An account that was reset or closed receives no dividend. */
  forget(accountId: string): void {
    for (const owed of this.#owed.values()) owed.delete(accountId)
  }

  readonly checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    actionScheduled: ({ at, action }) => {
      assert(action.exDate > newYorkClock(at).date, 'the ex-date is in the future')
      for (const { symbol, exDate } of this.#planned.values())
        assert(symbol !== action.symbol || exDate !== action.exDate, 'one action per symbol and day')
      this.#planned.set(action.id, action)
    },
    actionCanceled: ({ actionId }) => {
      assert(this.#planned.delete(actionId), 'only a future action is canceled')
    },
    actionApplied: (event) => this.#apply(event),
    sharesChanged: (event) => this.#change(event),
    dividendEarned: ({ accountId, actionId, quantity, amount }) => {
      const { action, holders } = this.#at(actionId)
      assert(action.kind === 'dividend')
      const { had } = removed(holders, accountId)
      assert.deepEqual(
        [quantity, amount],
        [had.owned, dividendOn(action.rate, had.owned)],
        'the dividend earned',
      )
      this.#owed.get(actionId)!.set(accountId, { shares: quantity, amount })
    },
    dividendPaid: ({ accountId, actionId, quantity, amount, posting }) => {
      const owed = removed(this.#owed.get(actionId)!, accountId)
      assert.deepEqual({ shares: quantity, amount }, owed, 'the owed dividend is paid once')
      assertMoves(posting, pair('USD', owed.amount, 'corporate', settled(accountId)))
    },
    dividendsPaid: ({ at, actionId }) => {
      const action = this.#applied.find(({ id }) => id === actionId)
      assert(action?.kind === 'dividend' && newYorkClock(at).date >= action.payDate, 'not before its date')
      assert.equal(this.#owed.get(actionId)!.size, 0, 'every holder is paid')
      this.#owed.delete(actionId)
    },
    orderRestated: (event) => this.#restate(event),
  }

  /** Checks the cancel of an order by an action; canceled group members expect no further event. */
  canceled({ orderId, why }: OrderCanceled): void {
    const due = this.#current?.orders.get(orderId)
    assert(why !== 'action' || due === 'canceled', 'the action must cancel this order')
    this.#current?.orders.delete(orderId)
  }

  #apply({ at, actionId }: Of<'actionApplied'>): void {
    const action = removed(this.#planned, actionId)
    assert(newYorkClock(at).date >= action.exDate, 'not before its date')
    this.assertDone()
    this.#applied.push(action)
    if (action.kind === 'dividend') this.#owed.set(actionId, new Map())
    const { ledger, orders, pricesAt } = this.#state
    const { symbol } = action
    const last = pricesAt(at).trade(symbol)?.price
    const holders: Application['holders'] = new Map()
    for (const accountId of ledger.customers()) {
      const had = this.#holding(accountId, symbol, at)
      if (had.owned === 0n) continue
      const custody = action.kind === 'split' ? this.#state.tokens.custodyOf(accountId, symbol) : undefined
      const has = custody === undefined ? holdingAfter(action, had, last) : inCustody(symbol, had, custody)
      holders.set(accountId, { had, has })
    }
    const due: Application['orders'] = new Map()
    for (const tracked of orders.openIn(symbol)) {
      const after = orderAfter(action, tracked)
      if (after) due.set(tracked.accepted.id, after)
    }
    this.#current = { action, holders, orders: due }
  }

  #holding(accountId: string, symbol: string, at: Instant): Holding {
    const { ledger, costs, settlement } = this.#state
    return {
      owned: ledger.owned(accountId, symbol),
      cost: costs.of(accountId, symbol, at),
      settled: ledger.of(settled(accountId)).get(symbol),
      toSettle: settlement.shares(accountId, symbol),
    }
  }

  #change({ accountId, actionId, before, after, costBasis, cash, newSymbol, posting }: SharesChanged): void {
    const { action, holders } = this.#at(actionId)
    const { symbol } = action
    const { had, has } = removed(holders, accountId)
    assert.deepEqual(
      [before, after, costBasis, cash, newSymbol ?? symbol],
      [had.owned, has.owned, has.cost, has.cash, has.symbol],
      'shares after the action',
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
      this.#state.settlement.replace(accountId, date, { from: symbol, to: has.symbol, shares })
  }

  #restate({ orderId, actionId, changes }: OrderRestated): void {
    const { orders } = this.#at(actionId)
    const due = removed(orders, orderId)
    assert(due !== 'canceled', 'the action must cancel this order instead')
    const tracked = this.#state.orders.get(orderId)
    const { symbol, limit, reserve } = tracked.accepted
    const restated = { symbol, limit, reserve, quantity: tracked.quantity, stop: tracked.stop, ...changes }
    assert.deepEqual(
      [
        restated.symbol,
        restated.quantity,
        restated.limit,
        changes.trigger?.stop ?? restated.stop,
        restated.reserve,
      ],
      [due.symbol, due.quantity, due.limit, due.stop, due.reserve],
      'the order after the action',
    )
    this.#state.orders.restate(tracked, due)
  }

  #at(actionId: string): Application {
    assert.equal(this.#current?.action.id, actionId, 'while its action is applied')
    return this.#current!
  }
}

/** A split pays no cash for fractions of shares in custody. */
const inCustody = (symbol: string, { cost, toSettle }: Holding, owned: bigint): Changed => {
  assert.deepEqual(toSettle, [], 'shares in custody are settled')
  return { symbol, owned, cost: owned === 0n ? 0n : cost, settled: owned, toSettle, cash: 0n }
}

function removed<Key, Value>(from: Map<Key, Value>, key: Key): Value {
  const value = from.get(key)
  assert(value !== undefined, `no event is expected for ${key}`)
  from.delete(key)
  return value
}
