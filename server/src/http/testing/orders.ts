import {
  type AccountId,
  type AssetId,
  type ClientOrderId,
  type Instant,
  type Money,
  type Order,
  type OrderGroup,
  type OrderId,
  orderKindNames,
  type Price,
  type Quantity,
  type Ticker,
  type Trigger,
} from '@quipu/core'
import fc from 'fast-check'
import { anyText } from '../../../../core/src/testing/any-text.ts'

export const anyInstant = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 19n }),
  // Instants within 10 ns, so that equal ones occur too.
  fc.bigInt({ min: 1_767_625_200_000_000_000n, max: 1_767_625_200_000_000_009n }),
) as fc.Arbitrary<Instant>
export const anyAmount = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 24n }),
  fc.bigInt({ min: 0n, max: 500n }).map((cents) => cents * 10_000_000n),
)
const price = anyAmount as fc.Arbitrary<Price>
const id = fc.uuid() as fc.Arbitrary<OrderId>
const ticker = fc.oneof(fc.constantFrom('F', 'BRK.B', 'BTC/USD'), anyText())

const trigger: fc.Arbitrary<Trigger> = fc.record(
  {
    stop: price,
    trailPrice: price,
    trailPercent: anyAmount,
    highWater: price,
    armedAt: anyInstant,
    electedAt: anyInstant,
  },
  { requiredKeys: ['stop'] },
)
const group: fc.Arbitrary<OrderGroup> = fc.record(
  {
    class: fc.constantFrom('bracket', 'oco', 'oto'),
    role: fc.constantFrom('entry', 'takeProfit', 'stopLoss'),
    legIds: fc.array(id),
    parentId: id,
  },
  { requiredKeys: ['class', 'role'] },
)

/** Orders of every kind and status, with few or many optional fields. */
export const anyOrder: fc.Arbitrary<Order> = fc.record(
  {
    id,
    accountId: fc.uuid() as fc.Arbitrary<string> as fc.Arbitrary<AccountId>,
    clientOrderId: fc.oneof(fc.uuid(), anyText()) as fc.Arbitrary<string> as fc.Arbitrary<ClientOrderId>,
    symbol: ticker as fc.Arbitrary<string> as fc.Arbitrary<Ticker>,
    assetId: fc.uuid() as fc.Arbitrary<string> as fc.Arbitrary<AssetId>,
    side: fc.constantFrom('buy', 'sell'),
    kind: fc.constantFrom(...orderKindNames),
    timeInForce: fc.constantFrom('day', 'gtc', 'opg', 'cls', 'ioc', 'fok'),
    extendedHours: fc.boolean(),
    intent: fc.constantFrom('buyToOpen', 'buyToClose', 'sellToOpen', 'sellToClose'),
    quantity: anyAmount as fc.Arbitrary<Quantity>,
    limit: price,
    trigger,
    notional: anyAmount as fc.Arbitrary<Money>,
    spent: anyAmount as fc.Arbitrary<Money>,
    group,
    replaces: id,
    status: fc.constantFrom(
      'accepted',
      'pendingNew',
      'held',
      'new',
      'partiallyFilled',
      'filled',
      'canceled',
      'expired',
      'replaced',
      'rejected',
      'pendingCancel',
      'pendingReplace',
      'doneForDay',
    ),
    reserve: price,
    filledQuantity: anyAmount as fc.Arbitrary<Quantity>,
    filledValue: anyAmount,
    createdAt: anyInstant,
    submittedAt: anyInstant,
    updatedAt: anyInstant,
    expiresAt: anyInstant,
    dueAt: anyInstant,
    filledAt: anyInstant,
    canceledAt: anyInstant,
    expiredAt: anyInstant,
    replacedAt: anyInstant,
    replacedBy: id,
    failedAt: anyInstant,
    source: fc.constant('liquidation' as const),
  } satisfies { readonly [Name in Exclude<keyof Order, 'venue'>]-?: unknown },
  {
    requiredKeys: [
      'id',
      'accountId',
      'clientOrderId',
      'symbol',
      'assetId',
      'side',
      'kind',
      'timeInForce',
      'extendedHours',
      'intent',
      'quantity',
      'status',
      'reserve',
      'filledQuantity',
      'filledValue',
      'createdAt',
      'submittedAt',
      'updatedAt',
      'expiresAt',
      'dueAt',
    ],
  },
)
