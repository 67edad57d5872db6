import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { RegulatoryFees } from '../account/fees.ts'
import type { Money, Price, Quantity } from '../amount.ts'
import { decode, encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, AssetId, ClientOrderId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import { customer, STREET, USD } from '../ledger/chart.ts'
import { move } from '../ledger/posting.ts'
import type { CivilDate, Instant } from '../time.ts'
import { decodeEvent } from './decode.ts'
import { encodeEvent, encodeOrder } from './encode.ts'
import type { DecidedWith } from './events.ts'
import type { Order } from './order.ts'

const at = fc.bigInt({ min: 0n, max: 10n ** 19n }) as fc.Arbitrary<Instant>
const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
const price = amount as fc.Arbitrary<Price>
const quantity = amount as fc.Arbitrary<Quantity>
const uuid = fc.uuid()
const text = fc.string({ unit: 'binary' })

const order: fc.Arbitrary<Order> = fc
  .record({
    id: uuid as fc.Arbitrary<OrderId>,
    accountId: uuid as fc.Arbitrary<AccountId>,
    clientOrderId: text as fc.Arbitrary<ClientOrderId>,
    symbol: text as fc.Arbitrary<Ticker>,
    assetId: uuid as fc.Arbitrary<AssetId>,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    kind: fc.constantFrom('market' as const, 'limit' as const),
    timeInForce: fc.constantFrom('day' as const, 'gtc' as const),
    extendedHours: fc.boolean(),
    intent: fc.constantFrom('buyToOpen' as const, 'sellToClose' as const),
    quantity,
    limit: fc.option(price, { nil: undefined }),
    status: fc.constantFrom('accepted' as const, 'new' as const, 'filled' as const),
    reserve: price,
    filledQuantity: quantity,
    filledValue: amount,
    createdAt: at,
    submittedAt: at,
    updatedAt: at,
    expiresAt: at,
    dueAt: at,
    filledAt: fc.option(at, { nil: undefined }),
    canceledAt: fc.option(at, { nil: undefined }),
    expiredAt: fc.option(at, { nil: undefined }),
  })
  // The usual order: one price, one time, nothing filled.
  .chain((one) =>
    fc.constantFrom(one, {
      ...one,
      limit: one.reserve,
      filledQuantity: 0n as Quantity,
      filledValue: 0n,
      submittedAt: one.createdAt,
      updatedAt: one.createdAt,
      dueAt: one.createdAt,
    }),
  ) as fc.Arbitrary<Order>

test('encodeOrder writes the same text as encode', () => {
  fc.assert(
    fc.property(order, (one) => {
      assert.equal(encodeOrder(one), encode(one))
      assert.equal(encodeOrder(decode(encode(one)) as Order), encode(one))
    }),
    { numRuns: 500 },
  )
})

/** Inputs of a decision in their stored field order: for money, for shares, and with market data. */
function decidedIn(price: Price, shares: Quantity, at: Instant): readonly DecidedWith[] {
  const head = { session: 'regular', reference: price } as const
  const quote = { at, bid: price, ask: price, bidSize: shares, askSize: shares }
  const money = {
    cost: price as bigint as Money,
    buyingPower: shares as bigint as Money,
    multiplier: 2,
  } as const
  const held = { position: shares, available: shares }
  return [
    head,
    { ...head, ...money },
    { ...head, quote, ...money },
    { ...head, traded: price, ...money },
    { ...head, quote, traded: price },
    { ...head, ...held },
    { ...head, ...money, ...held },
    { ...head, quote, ...held },
  ]
}

const event: fc.Arbitrary<BrokerEvent> = fc
  .tuple(order, at, uuid, price, quantity)
  .chain(([order, time, id, cost, shares]) => {
    const common = { at: time, accountId: order.accountId, orderId: order.id }
    const { accountId } = order
    return fc.constantFrom<BrokerEvent>(
      {
        kind: 'orderAccepted',
        at: time,
        accountId,
        order,
        decidedWith: { reference: cost, available: shares },
      },
      {
        kind: 'orderAccepted',
        at: time,
        accountId,
        order,
        decidedWith: {
          reference: cost,
          cost: shares as bigint as Money,
          buyingPower: cost as bigint as Money,
        },
      },
      ...decidedIn(cost, shares, time).map(
        (decidedWith): BrokerEvent => ({
          kind: 'orderAccepted',
          at: time,
          accountId,
          order,
          decidedWith,
        }),
      ),
      { kind: 'orderReleased', ...common, due: time },
      { kind: 'orderAcknowledged', ...common },
      { kind: 'orderCanceled', ...common, why: 'aged' },
      { kind: 'orderExpired', ...common },
      {
        kind: 'orderFilled',
        ...common,
        executionId: id as ExecutionId,
        symbol: order.symbol,
        price: cost,
        quantity: shares,
        cash: 1n as never,
        settles: '2026-11-17' as CivilDate,
        positionAfter: shares,
        quote: { at: time, bid: cost, ask: cost, bidSize: shares, askSize: shares },
        posting: move(USD, cost, { from: customer(accountId, 'unsettled'), to: STREET }),
      },
      ...[{ cat: 3_000n }, { sec: 1n, taf: cost, cat: 2n }, { sec: 5n }].map(
        (fees): BrokerEvent => ({
          kind: 'orderFilled',
          ...common,
          executionId: id as ExecutionId,
          symbol: order.symbol,
          price: cost,
          quantity: shares,
          cash: cost as bigint as Money,
          settles: '2026-11-17' as CivilDate,
          positionAfter: cost as bigint as Quantity,
          quote: { at: time, bid: cost, ask: cost, bidSize: shares, askSize: shares },
          posting: [
            ...move(USD, cost, { from: customer(accountId, 'unsettled'), to: STREET }),
            ...move(order.symbol as never, shares, { from: STREET, to: customer(accountId, 'unsettled') }),
          ],
          fees: fees as unknown as RegulatoryFees,
        }),
      ),
    )
  })

test('encodeEvent writes the same text as encode', () => {
  fc.assert(
    fc.property(event, (input) => {
      // The second and third call use the caches.
      for (let call = 0; call < 3; call++) assert.equal(encodeEvent(input), encode(input))
    }),
    { numRuns: 2_000 },
  )
})

test('decodeEvent reads the same event as decode', () => {
  fc.assert(
    fc.property(event, (input) => {
      const line = encodeEvent(input)
      assert.deepEqual(decodeEvent(line), decode(line))
      assert.equal(encode(decodeEvent(line)), line)
    }),
    { numRuns: 2_000 },
  )
})
