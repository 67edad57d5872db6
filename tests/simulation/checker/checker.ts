import assert from 'node:assert/strict'
import {
  type AccountConfig,
  balancesOf,
  type OrderAccepted,
  type OrderFilled,
  openOrdersOf,
  type Prices,
  type View,
  type WorldSettings,
} from '@quipu/core'
import type { Committed } from '../../../broker/src/journal/committed.ts'
import { CheckerActions } from './action-checks.ts'
import { Costs } from './costs.ts'
import { CheckerFees } from './fees.ts'
import { assertMoves, CheckerLedger, CheckerSettlement, pair, settled, unsettled } from './ledger.ts'
import { assertAffordable, CheckerMargin, type Powers, powersOfAccount } from './margin-checks.ts'
import { CheckerGrants } from './oauth-checks.ts'
import { isOneDecision } from './one-decision.ts'
import { CheckerOrders } from './orders.ts'
import { assertHours, cents, intentOf, isCrypto, newYorkClock, opens, size } from './rules.ts'
import { CheckerTokens } from './token-checks.ts'
import { assertFillPrice, CheckerVolume, holdsWithout, partnerChecks } from './venue-checks.ts'

type Of<Kind> = Extract<Committed['event'], { kind: Kind }>
type Checks = { readonly [Kind in Committed['event']['kind']]?: (event: Of<Kind>) => void }

/**
 * Calculates ledger, orders and holds from the events alone and compares every event and every state with the result.
 * It shares no code with the core.
 */
export class Checker {
  readonly #pricesAt: (at: bigint) => Prices
  readonly #ledger = new CheckerLedger()
  readonly #orders: CheckerOrders
  readonly #clientIds = new Set<string>()
  readonly grants = new CheckerGrants()
  readonly #eventsOf = new Map<string, number>()
  readonly #settlement = new CheckerSettlement()
  readonly #fees = new CheckerFees()
  readonly #costs = new Costs()
  readonly #configs = new Map<string, AccountConfig>()
  readonly #actions: CheckerActions
  readonly #tokens: CheckerTokens
  readonly #volume = new CheckerVolume()
  readonly #margin: CheckerMargin
  #settings: Pick<WorldSettings, 'hours' | 'venue' | 'margin'> = { hours: 'always' }
  #last: Committed | undefined
  fills = 0

  constructor(pricesAt: (at: bigint) => Prices) {
    this.#pricesAt = pricesAt
    this.#orders = new CheckerOrders(pricesAt)
    this.#tokens = new CheckerTokens(
      this.#ledger,
      (id, symbol) => this.#ledger.owned(id, symbol) - this.#heldShares(id, symbol),
    )
    this.#actions = new CheckerActions({
      tokens: this.#tokens,
      ledger: this.#ledger,
      orders: this.#orders,
      costs: this.#costs,
      settlement: this.#settlement,
      pricesAt,
    })
    this.#margin = new CheckerMargin({
      ledger: this.#ledger,
      pricesAt,
      settings: () => this.#settings,
      powersAt: (at, id) => this.#powers(pricesAt(at), id, 0n),
      openOrders: (id) => this.#orders.openOf(id).length,
    })
    this.#checks = this.#allChecks()
  }

  take(committed: Committed): void {
    const { seq, event } = committed
    assert.equal(seq, (this.#last?.seq ?? 0) + 1, 'event numbers have no gaps')
    if (this.#last) this.#assertLater(this.#last.event, event)
    if (this.#last && event.at > this.#last.event.at) this.#assertComplete()
    if ('posting' in event) this.#ledger.post(event.posting)
    this.#costs.take(event)
    this.grants.take(event)
    this.#tokens.take(event)
    const check = this.#checks[event.kind] as ((event: never) => void) | undefined
    check?.call(this, event as never)
    if (event.kind === 'accountOpened') this.#eventsOf.set(event.accountId, 0)
    if ('accountId' in event && event.accountId)
      this.#eventsOf.set(event.accountId, this.#eventsOf.get(event.accountId)! + 1)
    this.#last = committed
  }

  /** Compares the money, shares and orders of the state with the checker. */
  assertState(view: View): void {
    assert.equal(view.seq, this.#last?.seq)
    this.#assertComplete()
    this.#ledger.assertTotalsZero()
    this.#ledger.assertSameAs(view.ledger)
    this.#costs.assertSameAs(view)
    this.#fees.assertSameAs(view)
    this.#margin.assertSameAs(view)
    this.grants.assertSameAs(view)
    const prices = this.#pricesAt(view.lastAt)
    for (const [id, account] of view.accounts) {
      const { maintenanceMargin, buyingPower } = balancesOf(view, { prices, asset: () => undefined }, id)
      const held = this.#orders.heldMoney(id)
      const { maintenance, buying } = this.#powers(prices, id, held)
      const power = this.#margin.hasCall(id) ? 0n : buying
      assert.deepEqual([maintenanceMargin, buyingPower], [maintenance, power], 'margin and buying power')
      assert.equal(account.events, this.#eventsOf.get(id), 'the event count of an account')
      const positions = [...(view.positions.get(id)?.values() ?? [])]
      for (const { symbol, quantity } of positions) assert.equal(quantity, this.#ledger.owned(id, symbol))
      const holds = view.holds.get(id)
      assert.equal(holds?.money ?? 0n, held, 'cash is held for opening orders only')
      for (const { symbol, quantity } of positions) {
        const held = this.#heldShares(id, symbol)
        assert.equal(holds?.shares.get(symbol) ?? 0n, held, 'shares are held for closing orders and mints')
        assert(held <= size(quantity), 'no share is held twice')
      }
      assert.deepEqual(
        Array.from(openOrdersOf(view, id), (order) => order.id),
        this.#orders.openOf(id).map(({ accepted }) => accepted.id),
      )
    }
    for (const order of view.orders.values()) {
      const { filled, value, quantity, stop } = this.#orders.get(order.id)
      assert.deepEqual([order.filledQuantity, order.filledValue], [filled, value], 'sum of the fills')
      assert.deepEqual([order.quantity, order.trigger?.stop], [quantity, stop], 'quantity and stop')
    }
  }

  /** All events of a decision have followed. */
  #assertComplete(): void {
    this.#actions.assertDone()
    this.#tokens.assertConserved()
  }

  /** Each decision has a separate instant; only events of one decision share it. */
  #assertLater(before: Committed['event'], event: Committed['event']): void {
    if (event.at > before.at) return
    assert.equal(event.at, before.at, 'time never moves backwards')
    assert(isOneDecision(before, event), `${before.kind} and ${event.kind} at the same instant`)
  }

  readonly #checks: Checks

  #allChecks(): Checks {
    return {
      worldOpened: ({ settings }) => {
        this.#settings = settings
      },
      orderAccepted: (event) => this.#accepted(event),
      orderFilled: (event) => this.#filled(event),
      ...this.#orders.checks,
      ...this.#margin.checks,
      ...this.#actions.checks,
      orderCanceled: (event) => {
        this.#actions.canceled(event)
        this.#orders.checks.orderCanceled!(event)
      },
      accountSettled: (event) => this.#settlement.check(event),
      feesBooked: (event) => this.#fees.book(event),
      dayClosed: () => this.#fees.assertAllBooked(),
      configChanged: ({ accountId, config }) => {
        this.#configs.set(accountId, config)
      },
      ...this.#partnerChecks(),
    }
  }

  /** Events of tokens that a set of runs must have. */
  get tokenCounts(): Readonly<Record<string, number>> {
    return this.#tokens.counts
  }

  /** Applied corporate actions. */
  get actions(): CheckerActions['applied'] {
    return this.#actions.applied
  }

  #partnerChecks() {
    return partnerChecks({
      ledger: this.#ledger,
      heldMoney: (id) => this.#orders.heldMoney(id),
      heldShares: (id, symbol) => this.#heldShares(id, symbol),
      openOrders: (id) => this.#orders.openOf(id).length,
      forgetDue: (id) => {
        this.#fees.forget(id)
        this.#margin.forget(id)
        this.#actions.forget(id)
        this.#settlement.forget(id)
      },
    })
  }

  #accepted({ at, accountId, order, decidedWith }: OrderAccepted): void {
    const name = `${accountId}/${order.clientOrderId}`
    assert(!this.#clientIds.has(name), `a second order under ${name}`)
    this.#clientIds.add(name)
    assert(order.expiresAt > at && order.quantity > 0n)
    if (order.source === undefined)
      assert(!this.#configs.get(accountId)?.suspendTrade, 'an account with suspended trading places no order')
    const tracked = this.#orders.accept(order)
    // A leg that waits for its parent holds nothing, and its position does not exist yet.
    if (tracked.isHeld) return
    const owned = this.#ledger.owned(accountId, order.symbol)
    if (order.group?.class !== 'oco' || order.replaces === undefined)
      assert.equal(order.intent, intentOf(order, owned), 'the intent matches the position')
    const before = holdsWithout(this.#orders, tracked, () => ({
      money: this.#orders.heldMoney(accountId),
      shares: this.#heldShares(accountId, order.symbol),
    }))
    const prices = this.#pricesAt(at)
    if (opens(order.intent))
      assertAffordable(order, decidedWith, {
        prices,
        powers: this.#powers(prices, accountId, before.money),
        freed: this.#orders.freedFor(order),
        hasCall: this.#margin.hasCall(accountId),
        mayShort: !this.#configs.get(accountId)?.noShorting,
      })
    else {
      const free = size(owned) - before.shares
      assert.equal(decidedWith.available, free)
      assert(order.quantity <= free, 'no more shares are closed than are free')
    }
  }

  #powers(prices: Prices, accountId: string, held: bigint): Powers {
    const { maxMarginMultiplier: maxMultiplier = 4 } = this.#configs.get(accountId) ?? {}
    return powersOfAccount(this.#ledger, accountId, { prices, held, maxMultiplier })
  }

  #filled(event: OrderFilled): void {
    const { accountId, symbol, price, quantity, quote, cash, at } = event
    const tracked = this.#orders.get(event.orderId)
    const { accepted } = tracked
    const { side } = accepted
    this.#orders.fill(tracked, event)
    if (event.auction === undefined) {
      assert.deepEqual(quote, this.#pricesAt(at).quote(symbol), 'the recorded quote is from the market')
      assertHours(this.#settings.hours, at, accepted)
      assert(at < accepted.expiresAt, 'not after its expiry')
    }
    assertFillPrice(this.#settings, tracked, event)
    this.#volume.take(this.#settings, event, this.#pricesAt(at))
    assert.equal(cash, cents(price, quantity, side))
    const [customer, sign] = [
      isCrypto(symbol) ? settled(accountId) : unsettled(accountId),
      side === 'buy' ? 1n : -1n,
    ]
    assertMoves(event.posting, [
      ...pair('USD', sign * cash, customer, 'street'),
      ...pair(symbol, sign * quantity, 'street', customer),
      ...this.#fees.take(event, side),
    ])
    assert.equal(event.positionAfter, this.#ledger.owned(accountId, symbol))
    if (accepted.intent === 'buyToOpen' || accepted.intent === 'sellToClose')
      assert(event.positionAfter >= 0n, 'the fill does not make the position short')
    else assert(event.positionAfter <= 0n, 'the fill does not make the position long')
    assert(event.settles > newYorkClock(at).date, 'settlement is on a later day')
    this.fills += 1
    // Crypto settles immediately.
    if (isCrypto(symbol)) return
    const due = this.#settlement.of(accountId, event.settles)
    due.add('USD', -sign * cash)
    due.add(symbol, sign * quantity)
  }

  #heldShares(accountId: string, symbol: string): bigint {
    return this.#orders.heldShares(accountId, symbol) + this.#tokens.held(accountId, symbol)
  }
}
