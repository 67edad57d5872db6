import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { format, type Money, type Price, type Quantity } from '../amount.ts'
import { apply } from '../apply.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import { customer, FEES, type LedgerAsset, STREET, shares, USD } from '../ledger/chart.ts'
import { move } from '../ledger/ledger.ts'
import type { Order } from '../orders/order.ts'
import { emptyState, type State } from '../state/state.ts'
import { TestWorld } from '../testing/world.ts'
import { DAY, type Instant, parseInstant } from '../time.ts'
import { activitiesOf, changesOf } from './activities.ts'
import { type Activity, activityId, decodeActivity, encodeActivity, parseActivityId } from './activity.ts'

/** All activities of a script, derived from its events. */
function activitiesIn(events: readonly BrokerEvent[]): { state: State; activities: Activity[] } {
  const state = emptyState()
  const activities: Activity[] = []
  for (const event of events) {
    apply(state, event)
    const order = 'orderId' in event ? state.orders.get(event.orderId) : undefined
    activities.push(...activitiesOf(event, state.seq, order))
  }
  return { state, activities }
}

function activitiesAfter(...lines: readonly string[]): string {
  const world = new TestWorld()
  for (const line of lines) world.run(line)
  return activitiesIn(world.events).activities.map(activityText).join(' | ')
}

function activityText({ kind, cash, symbol, quantity, price, fill }: Activity): string {
  const words = [kind, format(cash)]
  if (symbol) words.push(symbol, format(quantity!))
  if (price) words.push(`@${format(price)}`)
  if (fill) words.push(fill.status, format(fill.cumulative), format(fill.leaves))
  return words.join(' ')
}

for (const [lines, then] of [
  [['open A 1000'], 'cashBookTransfer 1000'],
  [['open A 0'], ''],
  [
    ['open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 3'],
    'cashBookTransfer 1000 | fill -300 AAPL 3 @100 filled 3 0',
  ],
  [
    ['open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 3', 'sell A o2 AAPL 2'],
    'cashBookTransfer 1000 | fill -300 AAPL 3 @100 filled 3 0 | fill 198 AAPL -2 @99 filled 2 0',
  ],
  [['open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 1 @50', 'cancel A o1'], 'cashBookTransfer 1000'],
  [
    ['open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 3', 'until 2026-11-04T20:00:00Z'],
    'cashBookTransfer 1000 | fill -300 AAPL 3 @100 filled 3 0',
  ],
] as const)
  test(`${lines.join('; ')}: ${then || 'nothing'}`, () => assert.equal(activitiesAfter(...lines), then))

const account = 'account' as AccountId
const coin = 'BTC/USD' as Ticker
const units = (count: number) => BigInt(Math.round(count * 1e9))
const legs = (asset: LedgerAsset, amount: number, from: string, to: string) =>
  move(asset, units(amount), { from: from as never, to: to as never })
const ledgerAccount = customer(account, 'unsettled')

const filled = (side: 'buy' | 'sell', posting: ReturnType<typeof move>) =>
  activitiesOf(
    {
      kind: 'orderFilled',
      at: 5n as Instant,
      accountId: account,
      orderId: 'o' as OrderId,
      executionId: 'e' as ExecutionId,
      symbol: coin,
      price: units(100) as Price,
      quantity: units(2) as Quantity,
      cash: units(200) as Money,
      settles: '2026-11-02' as never,
      positionAfter: units(2) as Quantity,
      quote: {} as never,
      posting,
    },
    7,
    {
      id: 'o' as OrderId,
      side,
      status: 'partiallyFilled',
      quantity: units(5),
      filledQuantity: units(2),
    } as Order,
  )

test('a fee in coins is a separate activity after the fill', () => {
  const posting = [
    ...legs(USD, 200, ledgerAccount, STREET),
    ...legs(shares(coin), 2, STREET, ledgerAccount),
    ...legs(shares(coin), 0.005, ledgerAccount, FEES),
  ]
  assert.deepEqual(filled('buy', posting).map(activityText), [
    'fill -200 BTC/USD 2 @100 partiallyFilled 2 3',
    'coinFee 0 BTC/USD -0.005 @100',
  ])
})

test('a fee in dollars is a separate activity after the fill', () => {
  const posting = [
    ...legs(USD, 200, STREET, ledgerAccount),
    ...legs(shares(coin), 2, ledgerAccount, STREET),
    ...legs(USD, 0.5, ledgerAccount, FEES),
  ]
  assert.deepEqual(filled('sell', posting).map(activityText), [
    'fill 200 BTC/USD -2 @100 partiallyFilled 2 3',
    'coinFee -0.5 BTC/USD 0 @100',
  ])
})

test('a move of shares between two customers changes both', () => {
  const other = customer('other' as AccountId, 'settled')
  const changes = changesOf(legs(shares(coin), 3, ledgerAccount, other))
  assert.deepEqual(
    [...changes].map(([id, { cash, shares }]) => [id, cash, format(shares.get(coin)!)]),
    [
      ['account', 0n, '-3'],
      ['other', 0n, '3'],
    ],
  )
})

test('activities sum to the holdings of the account', () => {
  const world = new TestWorld()
  for (const line of [
    'open A 100000',
    'quote AAPL 99.99 100.01',
    'buy A o1 AAPL 3.5',
    'quote MSFT 199.99 200.01',
    'buy A o2 MSFT 7',
    'sell A o3 AAPL 1.25',
    'until 2026-11-04T20:00:00Z',
    'sell A o4 MSFT 7',
  ])
    world.run(line)
  const { state, activities } = activitiesIn(world.events)
  const [id] = [...world.accounts.values()]
  const cash = activities.reduce((sum, activity) => sum + activity.cash, 0n)
  const apple = activities
    .filter(({ symbol }) => symbol === 'AAPL')
    .reduce((sum, { quantity }) => sum + quantity!, 0n)
  const held = (part: 'settled' | 'unsettled', asset: LedgerAsset) =>
    state.ledger.get(customer(id!, part))?.get(asset) ?? 0n
  assert.equal(cash, held('settled', USD) + held('unsettled', USD))
  assert.equal(apple, state.positions.get(id!)?.get('AAPL' as Ticker)?.quantity)
})

test('an activity is encoded and decoded', () => {
  const { activities } = activitiesIn(
    [new TestWorld()].flatMap((world) => {
      for (const line of ['open A 1000', 'quote A~"B 99 100', 'buy A o1 A~"B 3']) world.run(line)
      return world.events
    }),
  )
  assert.deepEqual(
    activities.map(({ kind }) => kind),
    ['cashBookTransfer', 'fill'],
  )
  for (const activity of activities)
    assert.deepEqual(decodeActivity(activity.accountId, encodeActivity(activity)), activity)
})

const instant = (text: string): Instant => {
  const parsed = parseInstant(text)
  if (!parsed.ok) throw new Error(text)
  return parsed.value
}

for (const [at, seq, n, id] of [
  ['2026-11-02T15:30:00.123456789Z', 42, 0, '20261102103000123::18b44888-69a1-4cd1-8500-00000002a000'],
  ['2026-07-02T00:00:00Z', 1, 255, '20260701200000000::'],
  // In the repeated hour of autumn, the time stays at 01:59:59.999.
  ['2026-11-01T05:59:59.999Z', 1, 0, '20261101015959999::'],
  ['2026-11-01T06:00:00Z', 2, 0, '20261101015959999::'],
  ['2026-11-01T06:59:59.999Z', 3, 0, '20261101015959999::'],
  ['2026-11-01T07:00:00Z', 4, 0, '20261101020000000::'],
] as const)
  test(`the id at ${at} begins ${id.slice(0, 19)}`, () => {
    const position = { at: instant(at), seq, n }
    const encoded = activityId(position)
    assert.ok(encoded.startsWith(id.slice(0, 19)), encoded)
    assert.match(encoded, /^\d{17}::[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual(parseActivityId(encoded), position)
  })

test('ids sort by the time of their activities, also in the repeated hour', () => {
  const autumn = instant('2026-11-01T04:00:00Z')
  const position = fc.record({
    at: fc.bigInt({ min: autumn, max: autumn + DAY / 4n }) as fc.Arbitrary<Instant>,
    seq: fc.integer({ min: 1, max: 2 ** 47 }),
    n: fc.integer({ min: 0, max: 255 }),
  })
  fc.assert(
    fc.property(position, position, (a, b) => {
      const [first, second] = a.at <= b.at ? [a, b] : [b, a]
      if (first.at === second.at) return
      assert.ok(activityId(first) < activityId(second))
      assert.deepEqual(parseActivityId(activityId(first)), { ...first })
    }),
  )
})

for (const wrong of [
  '',
  'x',
  '20261102103000123::18b44888-69a1-4cd1-8500-00000002a00',
  '20261102103000124::00000000-0000-4000-8000-000000000000',
  '20261102103000123::ffffffff-ffff-4fff-8fff-ffffffffffff',
])
  test(`"${wrong}" is not an activity id`, () => assert.equal(parseActivityId(wrong), undefined))
