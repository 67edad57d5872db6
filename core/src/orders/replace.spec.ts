import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { ClientOrderId } from '../ids.ts'
import { forget } from '../state/forget.ts'
import { TestWorld } from '../testing/world.ts'
import type { Order } from './order.ts'

const setup = ['open A 10000', 'open B 10000', 'quote AAPL 99 101', 'trade AAPL 100', 'buy B b1 AAPL 10']

function worldAfter(...lines: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const line of [...setup, ...lines]) world.run(line)
  return world
}
const orderOf = (world: TestWorld, name: string): Order => world.state.orders.get(world.orders.get(name)!)!

const REPLACED = 'orderReplaced orderAccepted orderAcknowledged'
const HELD = 'orderReplaced orderAccepted'
const BRACKET = 'buy A o1 AAPL 5 @90 bracket take=120 loss=80'
const ENTERED = [BRACKET, 'quote AAPL 89 90', 'trade AAPL 90']

for (const [before, line, then] of [
  // The fields that each order type may change.
  [['buy A o1 AAPL 1 @90'], 'replace A o1 qty=2', REPLACED],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 @91', REPLACED],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 gtc', REPLACED],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 @102', `${REPLACED} orderFilled`],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 stop=110', 'replaceFieldNotAllowed'],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 trail=1', 'replaceFieldNotAllowed'],
  [['buy A o1 AAPL 1 stop=110'], 'replace A o1 stop=111', REPLACED],
  [['buy A o1 AAPL 1 stop=110'], 'replace A o1 @111', 'replaceFieldNotAllowed'],
  [['buy A o1 AAPL 1 stop=110 @112'], 'replace A o1 stop=111 @113', REPLACED],
  [['buy A o1 AAPL 1 trail=5'], 'replace A o1 trail=6', REPLACED],
  [['buy A o1 AAPL 1 trail=5'], 'replace A o1 stop=111', 'replaceFieldNotAllowed'],
  [['sell B o1 AAPL 1 trail%=5'], 'replace B o1 trail=6', REPLACED],
  [['sell B o1 AAPL 1 trail%=5'], 'replace B o1 trail=0.1', REPLACED],
  [['sell B o1 AAPL 1 trail%=5'], 'replace B o1 trail=0.09', 'trailPercentTooSmall'],
  [['sell B o1 AAPL 1 trail%=5'], 'replace B o1 trail=99.9', REPLACED],
  [['sell B o1 AAPL 1 trail%=5'], 'replace B o1 trail=100', 'trailPercentTooLarge'],
  [['sell B o1 AAPL 1 trail=5'], 'replace B o1 trail=100', 'trailPriceTooLarge'],
  [['sell B o1 AAPL 1 @120'], 'replace B o1 qty=10', REPLACED],
  // A replacement must change something.
  [['buy A o1 AAPL 1 @90'], 'replace A o1', 'orderNotChanged'],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 qty=1 @90 day', 'orderNotChanged'],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 id=new', 'orderNotChanged'],
  // The status of the order.
  [[], 'replace A none qty=1', 'orderNotFound'],
  [['buy A o1 AAPL 1 @90'], 'replace B o1 qty=2', 'orderNotFound'],
  [['buy A o1 AAPL 1 @90', 'cancel A o1'], 'replace A o1 qty=2', 'orderNotOpen'],
  [['buy A o1 AAPL 1'], 'replace A o1 qty=2', 'orderNotOpen'],
  // Size.
  [['buy A o1 AAPL 0.5 @90'], 'replace A o1 qty=1', 'replaceQuantityFractional'],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 qty=1.5', 'replaceQuantityFractional'],
  [['buy A o1 AAPL 0.5 @90'], 'replace A o1 @91', REPLACED],
  [['buy A o1 AAPL $50 @90'], 'replace A o1 @91', 'replaceNotSupported'],
  // The checks of a new order.
  [['buy A o1 AAPL 1 @90'], 'replace A o1 @90.001', 'subPenny'],
  [['buy A o1 AAPL 1 @90 ext'], 'replace A o1 ioc', 'extendedMustBeLimit'],
  [['buy A o1 AAPL 1 stop=110'], 'replace A o1 fok', 'timeInForceNotForType'],
  [['buy A o1 AAPL 1 stop=110'], 'replace A o1 stop=100', 'stopBeyondMarket'],
  [['buy A o0 AAPL 1 @89', 'buy A o1 AAPL 1 @90'], 'replace A o1 @91 id=o0', 'clientOrderIdTaken'],
  [['buy A o1 AAPL 1 @90'], 'replace A o1 ioc', `${REPLACED} orderCanceled`],
  [['sell B s1 AAPL 5 @105', 'buy B o1 AAPL 1 @90'], 'replace B o1 @105', 'washTrade'],
  // Buying power: the holds of the replaced order are available again.
  [['buy A o1 AAPL 400 @90'], 'replace A o1 @100', REPLACED],
  [['buy A o1 AAPL 400 @90'], 'replace A o1 @100.01', 'insufficientBuyingPower'],
  [['buy A o1 AAPL 400 @100'], 'replace A o1 qty=399', REPLACED],
  [['sell B o1 AAPL 6 @120'], 'replace B o1 qty=11', 'insufficientQuantity'],
  [['sell B o1 AAPL 6 @120', 'sell B o2 AAPL 3 @120'], 'replace B o1 qty=8', 'insufficientQuantity'],
  [['sell B o1 AAPL 6 @120', 'sell B o2 AAPL 3 @120'], 'replace B o1 qty=7', REPLACED],
  // Groups.
  [[BRACKET], 'replace A o1 @91', REPLACED],
  [
    [BRACKET],
    'replace A o1 qty=6',
    'orderReplaced orderAccepted orderResized orderResized orderAcknowledged',
  ],
  [[BRACKET], 'replace A o1 gtc', 'replaceFieldNotAllowed'],
  [[BRACKET], 'replace A o1.take @125', HELD],
  [[BRACKET], 'replace A o1.loss stop=85', HELD],
  [[BRACKET], 'replace A o1.take @80', 'exitsCrossed'],
  [[BRACKET], 'replace A o1.loss stop=120', 'exitsCrossed'],
  [[BRACKET], 'replace A o1.take qty=6', 'replaceFieldNotAllowed'],
  // Exits keep their distance from the limit of an open entry.
  [[BRACKET], 'replace A o1.loss stop=89.99', HELD],
  [[BRACKET], 'replace A o1.loss stop=90', 'exitTooNear'],
  [[BRACKET], 'replace A o1.take @90.01', HELD],
  [[BRACKET], 'replace A o1.take @90', 'exitTooNear'],
  [[BRACKET], 'replace A o1 @80.01', REPLACED],
  [[BRACKET], 'replace A o1 @80', 'exitTooNear'],
  [[BRACKET], 'replace A o1 @120', 'exitTooNear'],
  [['sell A o1 AAPL 5 @110 bracket take=90 loss=120'], 'replace A o1 @120', 'exitTooNear'],
  [['sell A o1 AAPL 5 @110 bracket take=90 loss=120'], 'replace A o1.take @110', 'exitTooNear'],
  [['sell A o1 AAPL 5 @110 bracket take=90 loss=120'], 'replace A o1 @119.99', REPLACED],
  [ENTERED, 'replace A o1.take @89.5', REPLACED],
  [ENTERED, 'replace A o1.take @125', REPLACED],
  [ENTERED, 'replace A o1.loss stop=85', HELD],
  [ENTERED, 'replace A o1.loss stop=90', 'stopBeyondMarket'],
  [ENTERED, 'replace A o1 @91', 'orderNotOpen'],
  [['buy A o1 AAPL 5 @90 oto take=120'], 'replace A o1 @91', 'replaceNotSupported'],
  [['sell B o1 AAPL 5 @120 oco loss=80'], 'replace B o1 qty=6', `${HELD} orderResized orderAcknowledged`],
  [['sell B o1 AAPL 5 @120 oco loss=80'], 'replace B o1.loss stop=81', HELD],
] as const)
  test(`${[...before, line].join('; ')}: ${then}`, () => assert.equal(worldAfter(...before).run(line), then))

const OCO = 'sell B o1 AAPL 5 @120 oco loss=80'
const ENTRY = 'quote AAPL 88 89'
const FILLED = 'orderFilled orderActivated stopActivated'

for (const [before, line, then] of [
  // A replacement parent, also after several replacements, controls its group.
  [[BRACKET, 'replace A o1 @89'], ENTRY, FILLED],
  [[BRACKET, 'replace A o1 @91', 'replace A o1 @89'], ENTRY, FILLED],
  [
    [BRACKET, 'replace A o1.loss stop=85', 'replace A o1 @89', 'replace A o1.take @125'],
    ENTRY,
    'orderFilled stopActivated orderActivated',
  ],
  [[BRACKET, 'replace A o1 @89'], 'cancel A o1', 'orderCanceled orderCanceled orderCanceled'],
  [[BRACKET, 'replace A o1 @89'], 'cancel A o1.loss', 'orderCanceled orderCanceled orderCanceled'],
  [[OCO, 'replace B o1 @121'], 'quote AAPL 121 122', 'orderFilled orderCanceled'],
  [[OCO, 'replace B o1 @121'], 'cancel B o1', 'orderCanceled orderCanceled'],
  [[OCO, 'replace B o1 @121'], 'trade AAPL 80', 'orderElected orderCanceled orderFilled'],
  [[...ENTERED, 'replace A o1.take @125'], 'quote AAPL 125 126', 'orderFilled orderCanceled'],
  [[...ENTERED, 'replace A o1.loss stop=85'], 'quote AAPL 120 121', 'orderFilled orderCanceled'],
] as const)
  test(`${[...before, line].join('; ')}: ${then}`, () => assert.equal(worldAfter(...before).run(line), then))

test('an order that has not reached the market cannot be replaced', () => {
  const slow = new TestWorld({ latencyNs: 1_000_000_000n })
  for (const line of [...setup, 'buy A o1 AAPL 1 @90']) slow.run(line)
  assert.equal(slow.run('replace A o1 qty=2'), 'cannotReplaceIn')
  assert.deepEqual(slow.refusal, { code: 'cannotReplaceIn', status: 'pendingNew' })
  const night = new TestWorld({ hours: 'nyse' })
  for (const line of [...setup, 'until 2026-11-02T23:00:00Z', 'buy A o1 AAPL 1 @90']) night.run(line)
  assert.equal(night.run('replace A o1 qty=2'), 'cannotReplaceIn')
})

test('the old and the new order name each other, and an order is replaced once', () => {
  const world = worldAfter('buy A o1 AAPL 1 @90')
  const before = orderOf(world, 'o1')
  world.run('replace A o1 @91 id=second')
  const after = orderOf(world, 'o1')
  const old = world.state.orders.get(before.id)!
  assert.deepEqual([old.status, old.replacedBy], ['replaced', after.id])
  assert.deepEqual(
    [after.replaces, after.clientOrderId, after.status, format(after.limit!)],
    [before.id, 'second' as ClientOrderId, 'new', '91'],
  )
  const repeated = world.submit({
    kind: 'replaceOrder',
    accountId: before.accountId,
    orderId: before.id,
    limit: before.limit!,
  })
  assert.equal(!repeated.ok && repeated.reason.code, 'orderAlreadyReplaced')
  forget(world.state, world.state.seq)
  assert.equal(world.run('replace A o1 @92'), REPLACED)
})

test('the filled quantity counts: the new order is for the rest', () => {
  const world = new TestWorld({ fillSize: 'displayed' })
  for (const line of [...setup, 'buy A o1 AAPL 10 @99.5', 'quote AAPL 98 99 3']) world.run(line)
  assert.equal(format(orderOf(world, 'o1').filledQuantity), '3')
  assert.equal(world.run('replace A o1 qty=3'), 'quantityAlreadyFilled')
  assert.equal(world.run('replace A o1 qty=8'), REPLACED)
  const { quantity, filledQuantity } = orderOf(world, 'o1')
  assert.deepEqual([format(quantity), format(filledQuantity)], ['5', '0'])
})

test('a replaced trailing buy reserves its stop price, even if the last trade is lower', () => {
  const world = new TestWorld({ hours: 'nyse' })
  // After the close there are trades, but a trailing stop does not follow them.
  const evening = ['until 2026-11-02T22:00:00Z', 'trade AAPL 90']
  for (const line of [...setup, 'buy A o1 AAPL 5 trail=5 gtc', ...evening, 'replace A o1 qty=6'])
    world.run(line)
  const order = orderOf(world, 'o1')
  assert.deepEqual([order.trigger!.stop, order.reserve].map(format), ['105', '105'])
})

test('exits keep the size of the whole entry when a partially filled entry is replaced repeatedly', () => {
  const world = new TestWorld({ fillSize: 'displayed' })
  const entry = 'buy A o1 AAPL 10 @99.5 bracket take=120 loss=80'
  for (const line of [...setup, entry, 'quote AAPL 98 99 3', 'replace A o1 @98.5']) world.run(line)
  const sizes = () => ['o1', 'o1.take', 'o1.loss'].map((name) => format(orderOf(world, name).quantity))
  assert.deepEqual(sizes(), ['7', '10', '10'])
  world.run('replace A o1 @98.4')
  assert.deepEqual(sizes(), ['7', '10', '10'])
  for (const line of ['replace A o1.loss stop=81', 'replace A o1.take @119']) world.run(line)
  assert.deepEqual(sizes(), ['7', '10', '10'], 'a new price of an exit changes no size')
  world.run('replace A o1 qty=9')
  assert.deepEqual(sizes(), ['9', '12', '12'])
})

test('a replaced trailing stop keeps its best price, and its stop follows by the new trail', () => {
  const world = worldAfter('sell B o1 AAPL 5 trail=5', 'trade AAPL 110', 'replace B o1 trail=3')
  const { trigger } = orderOf(world, 'o1')
  assert.deepEqual(
    [trigger?.highWater, trigger?.trailPrice, trigger?.stop].map((price) => format(price!)),
    ['110', '3', '107'],
  )
})

test('a replaced leg stays in its group: a fill of one exit cancels the other', () => {
  const world = worldAfter(...ENTERED, 'replace A o1.take @125', 'replace A o1.loss stop=85')
  assert.equal(orderOf(world, 'o1.take').group?.parentId, world.orders.get('o1'))
  assert.equal(world.run('quote AAPL 125 126'), 'orderFilled orderCanceled')
  assert.deepEqual(
    ['o1.take', 'o1.loss'].map((name) => orderOf(world, name).status),
    ['filled', 'canceled'],
  )
})

test('a replaced member of a group keeps the expiry of its group', () => {
  const world = worldAfter('buy A o1 AAPL 10 bracket take=120 loss=80 gtc')
  const expiry = orderOf(world, 'o1.loss').expiresAt
  for (const line of ['wait 172800', 'replace A o1.take @125']) world.run(line)
  assert.equal(orderOf(world, 'o1.take').expiresAt, expiry)
})
