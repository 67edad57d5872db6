import assert from 'node:assert/strict'
import {
  type AccountConfig,
  balancesOf,
  type Order,
  type OrderAccepted,
  type OrderFilled,
  openOrdersOf,
  type Prices,
  type View,
} from '@quipu/core'
import type { Committed } from '../../../server/src/journal/committed.ts'
import { OwnActions } from './action-checks.ts'
import { Costs } from './costs.ts'
import { OwnFees } from './fees.ts'
import { assertMoves, OwnLedger, pair, settled, unsettled } from './ledger.ts'
import { type Powers, powersOf } from './margin-rules.ts'
import { OwnGrants } from './oauth-checks.ts'
import { isOneDecision } from './one-decision.ts'
import { assertHours, type OwnOrder, OwnOrders } from './orders.ts'
import { partnerChecks } from './partner-checks.ts'
import { cents, clockInNewYork, intentOf, isCoin, opens, reservedAt, size } from './rules.ts'
import { OwnSettling } from './settlement.ts'
import { OwnTokens } from './token-checks.ts'

type Of<Kind> = Extract<Committed['event'], { kind: Kind }>
type Checks = { readonly [Kind in Committed['event']['kind']]?: (event: Of<Kind>) => void }

/**
 * Keeps books of its own from nothing but the events, by rules of its own, and holds every event and every state
 * against them. It shares no code with what it checks.
 */
export class Checker {
  readonly #pricesAt: (at: bigint) => Prices
  readonly #ledger = new OwnLedger()
  readonly #orders: OwnOrders
  readonly #clientIds = new Set<string>()
  readonly grants = new OwnGrants()
  readonly #eventsOf = new Map<string, number>()
  readonly #settling = new OwnSettling()
  readonly #fees = new OwnFees()
  readonly #costs = new Costs()
  readonly #chosen = new Map<string, AccountConfig>()
  readonly #actions: OwnActions
  readonly #tokens: OwnTokens
  #hours: 'nyse' | 'always' = 'always'
  #last: Committed | undefined
  fills = 0

  constructor(pricesAt: (at: bigint) => Prices) {
    this.#pricesAt = pricesAt
    this.#orders = new OwnOrders(pricesAt)
    this.#tokens = new OwnTokens(
      this.#ledger,
      (id, symbol) => this.#ledger.owned(id, symbol) - this.#heldShares(id, symbol),
    )
    this.#actions = new OwnActions({
      tokens: this.#tokens,
      ledger: this.#ledger,
      orders: this.#orders,
      costs: this.#costs,
      settling: this.#settling,
      pricesAt,
    })
    this.#checks = this.#allChecks()
  }

  take(committed: Committed): void {
    const { seq, event } = committed
    assert.equal(seq, (this.#last?.seq ?? 0) + 1, 'numbers have no gaps')
    if (this.#last) this.#assertLater(this.#last.event, event)
    if (this.#last && event.at > this.#last.event.at) this.#assertWhole()
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

  /** The whole state, as far as it concerns money, shares and orders. */
  assertState(view: View): void {
    assert.equal(view.seq, this.#last?.seq)
    this.#assertWhole()
    this.#ledger.assertTotalsNothing()
    this.#ledger.assertSameAs(view.ledger)
    this.#costs.assertSameAs(view)
    this.#fees.assertSameAs(view)
    this.grants.assertSameAs(view)
    const prices = this.#pricesAt(view.lastAt)
    for (const [id, account] of view.accounts) {
      const { maintenanceMargin, buyingPower } = balancesOf(view, { prices, asset: () => undefined }, id)
      const held = this.#orders.heldMoney(id)
      const powers = this.#powers(prices, id, held)
      assert.deepEqual([maintenanceMargin, buyingPower], [powers.keep, powers.buying], 'the same margin')
      assert.equal(account.events, this.#eventsOf.get(id), 'an account counts its events without gaps')
      const positions = [...(view.positions.get(id)?.values() ?? [])]
      for (const { symbol, quantity } of positions) assert.equal(quantity, this.#ledger.owned(id, symbol))
      const holds = view.holds.get(id)
      assert.equal(holds?.money ?? 0n, held, 'money is held for what opens, and for nothing else')
      for (const { symbol, quantity } of positions) {
        const held = this.#heldShares(id, symbol)
        assert.equal(holds?.shares.get(symbol) ?? 0n, held, 'shares are held for what closes, and mints')
        assert(held <= size(quantity), 'no share is promised twice')
      }
      assert.deepEqual(
        Array.from(openOrdersOf(view, id), (order) => order.id),
        this.#orders.openOf(id).map(({ accepted }) => accepted.id),
      )
    }
    for (const order of view.orders.values()) {
      const own = this.#orders.get(order.id)
      assert.deepEqual([order.filledQuantity, order.filledValue], [own.filled, own.value], 'fills add up')
      assert.deepEqual(
        [order.quantity, order.trigger?.stop],
        [own.quantity, own.stop],
        'as large as it was made',
      )
    }
  }

  /** Nothing is left of what one decision leads to. */
  #assertWhole(): void {
    this.#actions.assertDone()
    this.#tokens.assertConserved()
  }

  /** Each turn has an instant of its own; only what one decision leads to shares it. */
  #assertLater(before: Committed['event'], event: Committed['event']): void {
    if (event.at > before.at) return
    assert.equal(event.at, before.at, 'time never goes back')
    assert(isOneDecision(before, event), `${before.kind} and ${event.kind} at the same instant`)
  }

  readonly #checks: Checks

  #allChecks(): Checks {
    return {
      worldOpened: ({ settings }) => {
        this.#hours = settings.hours
      },
      orderAccepted: (event) => this.#accepted(event),
      orderFilled: (event) => this.#filled(event),
      ...this.#orders.checks,
      ...this.#actions.checks,
      orderCanceled: (event) => {
        this.#actions.canceled(event)
        this.#orders.checks.orderCanceled!(event)
      },
      accountSettled: (event) => this.#settling.check(event),
      feesBooked: (event) => this.#fees.book(event),
      dayClosed: () => this.#fees.assertAllBooked(),
      configChanged: ({ accountId, config }) => {
        this.#chosen.set(accountId, config)
      },
      ...this.#partnerChecks(),
    }
  }

  /** How often each thing happened. */
  get happened(): ReadonlyMap<string, number> {
    return this.#tokens.happened
  }

  /** Those whose moment has come. */
  get actions(): OwnActions['applied'] {
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
        this.#actions.forget(id)
        this.#settling.forget(id)
      },
    })
  }

  #accepted({ at, accountId, order, decidedWith }: OrderAccepted): void {
    const name = `${accountId}/${order.clientOrderId}`
    assert(!this.#clientIds.has(name), `a second order under ${name}`)
    this.#clientIds.add(name)
    assert(order.expiresAt > at && order.quantity > 0n)
    assert(!this.#chosen.get(accountId)?.suspendTrade, 'nobody trades who wanted not to')
    const own = this.#orders.accept(order)
    // What waits for its parent takes nothing yet, and does to a position what is not there yet.
    if (own.isHeld) return
    const owned = this.#ledger.owned(accountId, order.symbol)
    if (order.group?.class !== 'oco' || order.replaces === undefined)
      assert.equal(order.intent, intentOf(order, owned), 'it does to the position what it says')
    const before = this.#heldWithout(own)
    if (opens(order.intent)) this.#affords(at, order, decidedWith, before.money)
    else {
      const free = size(owned) - before.shares
      assert.equal(decidedWith.available, free)
      assert(order.quantity <= free, 'nobody closes what they have not')
    }
  }

  /** What was held before an order came. */
  #heldWithout(own: OwnOrder): { readonly money: bigint; readonly shares: bigint } {
    const { accountId, symbol } = own.accepted
    own.isOpen = false
    const held = { money: this.#orders.heldMoney(accountId), shares: this.#heldShares(accountId, symbol) }
    own.isOpen = true
    return held
  }

  #affords(at: bigint, order: Order, decidedWith: OrderAccepted['decidedWith'], held: bigint): void {
    const { accountId, symbol, quantity, intent } = order
    const prices = this.#pricesAt(at)
    const reserve = reservedAt(order, decidedWith.session, prices)!
    // One that trails and replaces another keeps the best price so far, and reserves no less than its stop there.
    if (order.kind !== 'trailingStop' || order.replaces === undefined) assert.equal(order.reserve, reserve)
    else if (order.trigger?.electedAt === undefined) assert(order.reserve >= reserve)
    const powers = this.#powers(prices, accountId, held)
    const power = isCoin(symbol) ? powers.inCash : powers.buying
    // What an order that is replaced would give back is not counted among what there was.
    if (order.replaces === undefined)
      assert.equal(decidedWith.buyingPower, power, 'the power it was decided with is the power there was')
    assert.equal(decidedWith.multiplier, powers.times)
    // Who has less than nothing may still put an order of no more money in the place of another.
    const most = power > this.#orders.freedFor(order) ? power : this.#orders.freedFor(order)
    const cost = order.notional ?? cents(order.reserve, quantity, 'buy')
    assert(cost <= most, 'nobody spends what they have not')
    assert(!powers.isRestricted, 'an account in such danger only closes')
    const { noShorting } = this.#chosen.get(accountId) ?? {}
    if (intent === 'sellToOpen')
      assert(powers.times > 1 && !noShorting && quantity % 1_000_000_000n === 0n, 'whole shares, on margin')
  }

  #powers(prices: Prices, accountId: string, held: bigint): Powers {
    const holdings = this.#ledger.symbolsOf(accountId).map((symbol) => ({
      symbol,
      quantity: this.#ledger.owned(accountId, symbol),
      mark: prices.trade(symbol as never)!.price,
    }))
    const { maxMarginMultiplier: mostTimes = 4 } = this.#chosen.get(accountId) ?? {}
    const [settled, unsettled] = (['settled', 'unsettled'] as const).map((settlement) =>
      this.#ledger.of(`customer:${accountId}:${settlement}`).get('USD'),
    ) as [bigint, bigint]
    return powersOf({ settled, unsettled, holdings, held, mostTimes })
  }

  #filled(event: OrderFilled): void {
    const { accountId, symbol, price, quantity, quote, cash, at } = event
    const own = this.#orders.get(event.orderId)
    const { accepted } = own
    const { side } = accepted
    this.#orders.fill(own, event)
    if (event.auction === undefined) {
      assert.deepEqual(quote, this.#pricesAt(at).quote(symbol), 'the quote it carries is the market’s')
      assertHours(this.#hours, at, accepted)
      assert(at < accepted.expiresAt, 'not after its end')
    }
    assert.equal(price, side === 'buy' ? quote.ask : quote.bid, 'the far side of the quote')
    assert.equal(cash, cents(price, quantity, side))
    const [mine, sign] = [
      isCoin(symbol) ? settled(accountId) : unsettled(accountId),
      side === 'buy' ? 1n : -1n,
    ]
    assertMoves(event.posting, [
      ...pair('USD', sign * cash, mine, 'street'),
      ...pair(symbol, sign * quantity, 'street', mine),
      ...this.#fees.take(event, side),
    ])
    assert.equal(event.positionAfter, this.#ledger.owned(accountId, symbol))
    if (accepted.intent === 'buyToOpen' || accepted.intent === 'sellToClose')
      assert(event.positionAfter >= 0n, 'nobody turns short')
    else assert(event.positionAfter <= 0n, 'nobody turns long')
    assert(event.settles > clockInNewYork(at).date, 'settlement is on a later day')
    this.fills += 1
    // Coins are settled at once.
    if (isCoin(symbol)) return
    const due = this.#settling.of(accountId, event.settles)
    due.add('USD', -sign * cash)
    due.add(symbol, sign * quantity)
  }

  #heldShares(accountId: string, symbol: string): bigint {
    return this.#orders.heldShares(accountId, symbol) + this.#tokens.held(accountId, symbol)
  }
}
