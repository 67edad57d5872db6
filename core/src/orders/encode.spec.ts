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
  // Most orders have one price and one time; nothing filled has no value.
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

test('an order is written as `encode` writes it', () => {
  fc.assert(
    fc.property(order, (one) => {
      assert.equal(encodeOrder(one), encode(one))
      assert.equal(encodeOrder(decode(encode(one)) as Order), encode(one))
    }),
    { numRuns: 500 },
  )
})

/** The numbers of a decision, in the order in which they are noted: those of money, those of shares, and what was looked at. */
function decidedIn(price: Price, shares: Quantity, at: Instant): readonly DecidedWith[] {
  const begun = { session: 'regular', reference: price } as const
  const quote = { at, bid: price, ask: price, bidSize: shares, askSize: shares }
  const money = {
    cost: price as bigint as Money,
    buyingPower: shares as bigint as Money,
    multiplier: 2,
  } as const
  const held = { position: shares, available: shares }
  return [
    begun,
    { ...begun, ...money },
    { ...begun, quote, ...money },
    { ...begun, traded: price, ...money },
    { ...begun, quote, traded: price },
    { ...begun, ...held },
    { ...begun, ...money, ...held },
    { ...begun, quote, ...held },
  ]
}

const event: fc.Arbitrary<BrokerEvent> = fc
  .tuple(order, at, uuid, price, quantity)
  .chain(([one, when, id, cost, shares]) => {
    const of = { at: when, accountId: one.accountId, orderId: one.id }
    const { accountId } = one
    return fc.constantFrom<BrokerEvent>(
      {
        kind: 'orderAccepted',
        at: when,
        accountId,
        order: one,
        decidedWith: { reference: cost, available: shares },
      },
      {
        kind: 'orderAccepted',
        at: when,
        accountId,
        order: one,
        decidedWith: {
          reference: cost,
          cost: shares as bigint as Money,
          buyingPower: cost as bigint as Money,
        },
      },
      ...decidedIn(cost, shares, when).map(
        (decidedWith): BrokerEvent => ({
          kind: 'orderAccepted',
          at: when,
          accountId,
          order: one,
          decidedWith,
        }),
      ),
      { kind: 'orderReleased', ...of, due: when },
      { kind: 'orderWorked', ...of },
      { kind: 'orderCanceled', ...of, why: 'aged' },
      { kind: 'orderExpired', ...of },
      {
        kind: 'orderFilled',
        ...of,
        executionId: id as ExecutionId,
        symbol: one.symbol,
        price: cost,
        quantity: shares,
        cash: 1n as never,
        settles: '2026-11-17' as CivilDate,
        positionAfter: shares,
        quote: { at: when, bid: cost, ask: cost, bidSize: shares, askSize: shares },
        posting: move(USD, cost, { from: customer(accountId, 'unsettled'), to: STREET }),
      },
      ...[{ cat: 3_000n }, { sec: 1n, taf: cost, cat: 2n }, { sec: 5n }].map(
        (fees): BrokerEvent => ({
          kind: 'orderFilled',
          ...of,
          executionId: id as ExecutionId,
          symbol: one.symbol,
          price: cost,
          quantity: shares,
          cash: cost as bigint as Money,
          settles: '2026-11-17' as CivilDate,
          positionAfter: cost as bigint as Quantity,
          quote: { at: when, bid: cost, ask: cost, bidSize: shares, askSize: shares },
          posting: [
            ...move(USD, cost, { from: customer(accountId, 'unsettled'), to: STREET }),
            ...move(one.symbol as never, shares, { from: STREET, to: customer(accountId, 'unsettled') }),
          ],
          fees: fees as unknown as RegulatoryFees,
        }),
      ),
    )
  })

test('what happens to an order is written as `encode` writes it', () => {
  fc.assert(
    fc.property(event, (one) => {
      // What comes again is remembered, and from then on in one piece.
      for (let time = 0; time < 3; time++) assert.equal(encodeEvent(one), encode(one))
    }),
    { numRuns: 2_000 },
  )
})

test('what was written of an order is read as `decode` reads it', () => {
  fc.assert(
    fc.property(event, (one) => {
      const line = encodeEvent(one)
      assert.deepEqual(decodeEvent(line), decode(line))
      assert.equal(encode(decodeEvent(line)), line)
    }),
    { numRuns: 2_000 },
  )
})
