import assert from 'node:assert/strict'
import type {
  AccountClosed,
  AccountReset,
  BookTransferMade,
  BrokerEvent,
  OrderFilled,
  Prices,
  TransferBooked,
  WorldSettings,
} from '@quipu/core'
import { assertMoves, type CheckerLedger, pair, settled, unsettled } from './ledger.ts'
import type { CheckerOrders } from './orders.ts'
import { cents, isCrypto, maxStopPrice } from './rules.ts'
import type { TrackedOrder } from './tracked-order.ts'

// Requests that the market decides on later, implemented without code of the core.

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>
type Orders = Pick<CheckerOrders, 'get' | 'end' | 'requested'>

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** An order that is to replace another one holds nothing until then. */
export const awaitsReplacement = (orders: Orders, { accepted }: TrackedOrder): boolean =>
  accepted.replaces !== undefined && orders.get(accepted.replaces).pending?.by === accepted.id

/** The quantity of the order that is to replace this one, less the fills since the request. */
export const pendingQuantity = (orders: Orders, { pending, filled }: TrackedOrder): bigint =>
  pending ? larger(orders.get(pending.by).accepted.quantity - (filled - pending.filled), 0n) : 0n

export const pendingMoney = (orders: Orders, tracked: TrackedOrder): bigint =>
  tracked.pending
    ? cents(orders.get(tracked.pending.by).accepted.reserve, pendingQuantity(orders, tracked), 'buy')
    : 0n

/** Reads holds without this order, and without an order that it is to replace. */
export function holdsWithout<Held>(orders: Orders, tracked: TrackedOrder, read: () => Held): Held {
  const { replaces } = tracked.accepted
  const old = replaces === undefined ? undefined : orders.get(replaces)
  const ignored = old?.pending ? [tracked, old] : [tracked]
  for (const order of ignored) order.isOpen = false
  const held = read()
  for (const order of ignored) order.isOpen = true
  return held
}

export const venueChecks = (
  orders: Orders,
): { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } => ({
  orderCancelRequested: ({ at, orderId, confirmAt }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && !tracked.isHeld && tracked.cancelAt === undefined && !tracked.pending)
    assert(confirmAt >= at)
    tracked.cancelAt = confirmAt
  },
  orderCancelRejected: ({ at, orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.cancelAt !== undefined && at >= tracked.cancelAt)
    tracked.cancelAt = undefined
  },
  orderReplaceRequested: ({ orderId, by }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isWorking && tracked.cancelAt === undefined && !tracked.pending)
    tracked.pending = { by, filled: tracked.filled }
    orders.requested = { orderId, by }
  },
  orderReplaceRejected: ({ orderId, by }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.pending?.by === by, 'a requested replacement is rejected')
    tracked.pending = undefined
  },
  orderDoneForDay: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isWorking && !tracked.isDone && !tracked.pending)
    tracked.isDone = true
  },
  orderResumed: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isDone)
    tracked.isDone = false
  },
  orderRequeued: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isResting)
    tracked.isResting = false
  },
  orderRejected: ({ at, orderId, why }) => {
    const tracked = orders.end(orderId, at)
    assert.equal(tracked.filled, 0n, 'a rejected order has no fills')
    if (why === 'replacement') assert(tracked.accepted.replaces !== undefined, 'it was to replace an order')
  },
})

/** The parts of the checker state that partner operations read and change. */
export type PartnerState = {
  readonly ledger: CheckerLedger
  heldMoney(accountId: string): bigint
  heldShares(accountId: string, symbol: string): bigint
  openOrders(accountId: string): number
  /** Removes pending settlements, fees and dividends of an account. */
  forgetDue(accountId: string): void
}

/** Checks partner operations without code of the core. The ledger already has the posting of the event. */
export const partnerChecks = (state: PartnerState) => ({
  transferBooked: ({ accountId, transfer, posting }: TransferBooked) => {
    const { amount, direction } = transfer
    assert(amount > 0n && transfer.accountId === accountId)
    const [from, to] = direction === 'in' ? ['bank', settled(accountId)] : [settled(accountId), 'bank']
    assertMoves(posting, pair('USD', amount, from!, to!))
    if (direction === 'out') assertFree(state, accountId)
  },
  bookTransferMade: ({ accountId, bookTransfer, posting }: BookTransferMade) => {
    const { from, to, what } = bookTransfer
    assert(from === accountId && from !== to)
    const [asset, amount] = what.kind === 'cash' ? ['USD', what.amount] : [what.symbol, what.quantity]
    assert(amount > 0n)
    assertMoves(posting, pair(asset, amount, settled(from), settled(to)))
    if (what.kind === 'cash') return assertFree(state, from)
    const left = state.ledger.owned(from, asset)
    assert(left >= state.heldShares(from, asset), 'only free shares are transferred')
    assert(state.ledger.owned(to, asset) >= amount, 'shares are not transferred to a short position')
  },
  accountReset: ({ accountId, cash, positions, posting }: AccountReset) => {
    const allowedAccounts = new Set(['bank', settled(accountId), unsettled(accountId)])
    assert(posting.every(({ account }) => allowedAccounts.has(account)))
    const expected = [['USD', cash] as const, ...positions.map((one) => [one.symbol, one.quantity] as const)]
    const holds = state.ledger.of(settled(accountId)).list()
    const expectedHoldings = expected
      .filter(([, amount]) => amount !== 0n)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(holds, expectedHoldings, 'a reset leaves only the requested holdings, settled')
    assert.deepEqual(state.ledger.of(unsettled(accountId)).list(), [])
    assert.equal(state.openOrders(accountId), 0, 'a reset leaves no open order')
    state.forgetDue(accountId)
  },
  accountClosed: ({ accountId }: AccountClosed) => {
    for (const name of [settled(accountId), unsettled(accountId)])
      assert.deepEqual(state.ledger.of(name).list(), [], 'a closed account has no balance')
    assert.equal(state.openOrders(accountId), 0, 'a closed account has no open order')
    state.forgetDue(accountId)
  },
})

/** The remaining cash, settled and total, covers the holds. */
function assertFree({ ledger, heldMoney }: PartnerState, accountId: string): void {
  const left = [ledger.of(settled(accountId)).get('USD'), ledger.owned(accountId, 'USD')]
  for (const money of left) assert(money >= heldMoney(accountId), 'only free cash is transferred')
}

// Price and size of fills by the venue settings, implemented without code of the core.

const MINUTE = 60_000_000_000n
const DOLLAR = 1_000_000_000n

/** Checks the price of a fill: the far side of the quote, moved against the order by the impact. */
export function assertFillPrice(
  { venue }: Pick<WorldSettings, 'venue'>,
  { accepted, stop }: TrackedOrder,
  { price, quantity, quote, auction }: OrderFilled,
): void {
  const { side, limit, kind, symbol, notional } = accepted
  const [far, displayed] = side === 'buy' ? [quote.ask, quote.askSize] : [quote.bid, quote.bidSize]
  const points = venue?.impactBasisPoints
  if (points === undefined || auction !== undefined) {
    assert.equal(price, far, 'the far side of the quote')
    return
  }
  const product = far * BigInt(points) * quantity
  const whole = 10_000n * (displayed > 0n ? displayed : 1n)
  const share = (product + whole - 1n) / whole
  const move = share < far / 10n ? share : far / 10n
  const moved = side === 'buy' ? far + move : far - move
  const step = isCrypto(symbol) ? 1n : moved >= DOLLAR ? 10_000_000n : 100_000n
  const rounded = side === 'buy' ? ((moved + step - 1n) / step) * step : (moved / step) * step
  const worst = limit ?? (kind === 'stop' && side === 'buy' ? maxStopPrice(stop!) : undefined)
  const isBeyond = worst !== undefined && (side === 'buy' ? rounded > worst : rounded < worst)
  // An amount of dollars buys a little less than the quantity that moved the price.
  if (notional !== undefined) assert(side === 'buy' ? price >= far : price <= far, 'no better than the quote')
  else assert.equal(price, isBeyond ? worst : rounded, 'the far side of the quote, with its impact')
}

/** The fills of each minute, which together are at most a share of its volume. */
export class CheckerVolume {
  readonly #filled = new Map<string, bigint>()

  take(
    { venue }: Pick<WorldSettings, 'venue'>,
    { at, symbol, quantity, auction }: OrderFilled,
    prices: Prices,
  ): void {
    if (venue?.participation === undefined || auction !== undefined) return
    const volume = prices.volume?.(symbol)
    assert(volume !== undefined, 'the volume of a generated market is known')
    const key = `${symbol}/${at / MINUTE}`
    const filled = (this.#filled.get(key) ?? 0n) + quantity
    this.#filled.set(key, filled)
    assert(filled * 1_000_000n <= volume * BigInt(venue.participation), 'at most a share of the volume')
  }
}
