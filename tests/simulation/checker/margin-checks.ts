import assert from 'node:assert/strict'
import type { BrokerEvent, Order, OrderAccepted, Prices, View, WorldSettings } from '@quipu/core'
import { assertMoves, type CheckerLedger, pair, settled } from './ledger.ts'
import { cents, isCrypto, reservedAt } from './rules.ts'

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

// Rules for margin, implemented without code of the core.

const NANO = 1_000_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const positive = (amount: bigint): bigint => larger(amount, 0n)

export type Holding = { readonly symbol: string; readonly quantity: bigint; readonly mark: bigint }

/** Cash, positions, holds and maximum margin multiplier of an account. */
export type MarginInput = {
  readonly settled: bigint
  readonly unsettled: bigint
  readonly holdings: readonly Holding[]
  readonly held: bigint
  readonly maxMultiplier: 1 | 2 | 4
}

export type Powers = {
  readonly times: 1 | 2 | 4
  /** Buying power for marginable assets, and for crypto. */
  readonly buying: bigint
  readonly nonMarginable: bigint
  readonly maintenance: bigint
  readonly isRestricted: boolean
}

/** Market value and maintenance margin of a position; the value of a short is negative. */
function valueAndMargin({ symbol, quantity, mark }: Holding): { value: bigint; maintenance: bigint } {
  if (quantity < 0n) {
    const size = -quantity
    const value = (mark * size) / NANO
    const [percent, least] = mark < 5n * NANO ? [100n, (NANO * 5n) / 2n] : [30n, 5n * NANO]
    return {
      value: -value,
      maintenance: larger(up(least * size, NANO), up(up(mark * size, NANO) * percent, 100n)),
    }
  }
  const value = (mark * quantity) / NANO
  if (isCrypto(symbol)) return { value, maintenance: value }
  const percent = mark < (5n * NANO) / 2n ? 100n : mark <= 6n * NANO ? 50n : 30n
  return { value, maintenance: up(value * percent, 100n) }
}

/** Extra margin for one stock with 70 % of the long value and at least $100,000 borrowed: 50 % in total. */
function concentrationMargin(
  cash: bigint,
  rows: readonly (Holding & { value: bigint; maintenance: bigint })[],
): bigint {
  const stocks = rows.filter(({ symbol, quantity }) => quantity > 0n && !isCrypto(symbol))
  const all = stocks.reduce((sum, { value }) => sum + value, 0n)
  const largest = stocks.find(({ value }) => value * 10n >= all * 7n)
  return largest && cash <= -100_000n * NANO ? positive(up(largest.value, 2n) - largest.maintenance) : 0n
}

/** The buying power of an account. */
function powersOf({ settled, unsettled, holdings, held, maxMultiplier }: MarginInput): Powers {
  const cash = settled + unsettled
  const rows = holdings.map((holding) => ({ ...holding, ...valueAndMargin(holding) }))
  const sum = (of: (row: (typeof rows)[number]) => bigint) => rows.reduce((total, row) => total + of(row), 0n)
  const equity = cash + sum(({ value }) => value)
  const maintenance = sum((row) => row.maintenance) + concentrationMargin(cash, rows)
  const coins = sum(({ symbol, value }) => (isCrypto(symbol) ? value : 0n))
  const stocks = sum(({ symbol, value }) => (isCrypto(symbol) ? 0n : value < 0n ? -value : value))
  const overnight = 2n * positive(equity - up(stocks, 2n) - coins)
  const cashOnly = positive(smaller(cash + sum(({ value }) => smaller(value, 0n)), equity - maintenance))
  const times = equity < 2_000n * NANO ? 1 : maxMultiplier
  const power = times === 1 ? cashOnly : times === 2 ? overnight : positive(4n * (equity - coins) - stocks)
  const largestPosition = rows.map(({ value }) => larger(value, -value)).reduce(larger, 0n)
  return {
    times,
    buying: positive(power - held),
    maintenance,
    nonMarginable: positive(smaller(cashOnly, positive(settled + smaller(unsettled, 0n))) - held),
    isRestricted: largestPosition > 6n * positive(equity) && largestPosition > 0n,
  }
}

/** The powers of an account at these prices. */
export function powersOfAccount(
  ledger: CheckerLedger,
  accountId: string,
  { prices, held, maxMultiplier }: Pick<MarginInput, 'held' | 'maxMultiplier'> & { readonly prices: Prices },
): Powers {
  const holdings = ledger.symbolsOf(accountId).map((symbol) => ({
    symbol,
    quantity: ledger.owned(accountId, symbol),
    mark: prices.trade(symbol as never)!.price,
  }))
  const [settled, unsettled] = (['settled', 'unsettled'] as const).map((settlement) =>
    ledger.of(`customer:${accountId}:${settlement}`).get('USD'),
  ) as [bigint, bigint]
  return powersOf({ settled, unsettled, holdings, held, maxMultiplier })
}

/** The parts of the checker that decide whether an account can pay for an order. */
type Affordability = {
  readonly prices: Prices
  readonly powers: Powers
  /** The hold of the order that this one replaces. */
  readonly freed: bigint
  readonly hasCall: boolean
  readonly mayShort: boolean
}

/** The price, the recorded buying power and the cost of an accepted order that opens a position. */
export function assertAffordable(
  order: Order,
  decidedWith: OrderAccepted['decidedWith'],
  { prices, powers, freed, hasCall, mayShort }: Affordability,
): void {
  const { symbol, quantity, intent } = order
  const reserve = reservedAt(order, decidedWith.session, prices)!
  // A trailing stop that replaces another keeps its best price, so it reserves at least its current stop.
  if (order.kind !== 'trailingStop' || order.replaces === undefined) assert.equal(order.reserve, reserve)
  else if (order.trigger?.electedAt === undefined) assert(order.reserve >= reserve)
  const power = isCrypto(symbol) ? powers.nonMarginable : powers.buying
  // The recorded buying power does not include the hold of the replaced order.
  if (order.replaces === undefined) assert.equal(decidedWith.buyingPower, power, 'the recorded buying power')
  assert.equal(decidedWith.multiplier, powers.times)
  // Without buying power, an order may still be replaced by one that costs no more.
  const cost = order.notional ?? cents(order.reserve, quantity, 'buy')
  assert(cost <= larger(power, freed), 'the cost is within the buying power')
  assert(!powers.isRestricted && !hasCall, 'a restricted account only closes positions')
  if (intent === 'sellToOpen')
    assert(powers.times > 1 && mayShort && quantity % NANO === 0n, 'shorts are whole shares on margin')
}
