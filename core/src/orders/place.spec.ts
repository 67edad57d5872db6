import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClientOrderId, OrderId, Ticker } from '../ids.ts'
import { forget } from '../state/forget.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'

const setup = ['open A 1000', 'open B 1000', 'quote AAPL 99 100', 'quote TSLA 50 50.01', 'buy B b1 AAPL 5']

// Each refused row would also fail the later checks where possible, so that it tests their order.
for (const [before, line, then] of [
  [[], 'buy A o1 AAPL 10', 'orderAccepted orderAcknowledged orderFilled'],
  [[], 'buy A o1 AAPL 10 @99.5', 'orderAccepted orderAcknowledged'],
  [[], 'buy A o1 AAPL 0.5', 'orderAccepted orderAcknowledged orderFilled'],
  [[], 'buy A o1 AAPL 0.5 @99.99 ext', 'orderAccepted orderAcknowledged'],
  [[], 'sell B o1 AAPL 5 @120 gtc', 'orderAccepted orderAcknowledged'],
  [[], 'buy nobody o1 NONE 1', 'accountNotFound'],
  [['buy A o1 AAPL 1'], 'buy A o1 NONE 1', 'clientOrderIdTaken'],
  [['buy A o1 AAPL 1 @1', 'cancel A o1'], 'buy A o1 AAPL 1', 'clientOrderIdTaken'],
  [['buy A o1 AAPL 1'], 'buy B o1 AAPL 1', 'orderAccepted orderAcknowledged orderFilled'],
  [['buy A o1 AAPL 99'], 'buy A o1 AAPL 1', 'orderAccepted orderAcknowledged orderFilled'],
  [[], 'buy A o1 NONE 0.5 @1.001 gtc', 'assetNotFound'],
  [[], 'buy A o1 AAPL 0.5 @99.001 gtc', 'subPenny'],
  [[], 'buy A o1 AAPL 1 @0.99991', 'subPenny'],
  [[], 'buy A o1 AAPL 1 @0.9999', 'orderAccepted orderAcknowledged'],
  [[], 'buy A o1 AAPL 0.5 gtc ext', 'fractionalMustBeDay'],
  [[], 'buy A o1 AAPL 100 ext', 'extendedMustBeLimit'],
  [[], 'sell A o1 AAPL 1', 'shortingNotAllowed'],
  [[], 'sell B o1 AAPL 6', 'insufficientQuantity'],
  [['sell B s1 AAPL 3 @120'], 'sell B s2 AAPL 3 @120', 'insufficientQuantity'],
  [['sell B s1 AAPL 3 @120', 'cancel B s1'], 'sell B s2 AAPL 5 @120', 'orderAccepted orderAcknowledged'],
  [[], 'buy A o1 AAPL 10.01', 'insufficientBuyingPower'],
  [[], 'buy A o1 AAPL 1000 @1.01', 'insufficientBuyingPower'],
  [['buy A h1 AAPL 6 @90'], 'buy A o1 AAPL 5 @93', 'insufficientBuyingPower'],
  [['buy A h1 AAPL 6 @90'], 'buy A o1 AAPL 5 @92', 'orderAccepted orderAcknowledged'],
  [['buy A h1 AAPL 6 @90', 'cancel A h1'], 'buy A o1 AAPL 5 @93', 'orderAccepted orderAcknowledged'],
] as const)
  test(`${[...before, line].join('; ')}: ${then}`, () =>
    assert.equal(outcomeOf(...setup, ...before, line), then))

for (const [terms, line, then] of [
  [{ status: 'inactive' }, 'buy A o1 AAPL 0.5 @99.001 gtc', 'assetNotActive'],
  [{ tradable: false }, 'buy A o1 AAPL 0.5 @99.001 gtc', 'assetNotTradable'],
  [{ fractionable: false }, 'buy A o1 AAPL 0.5 ext', 'extendedMustBeLimit'],
  [{ fractionable: false }, 'buy A o1 AAPL 0.5', 'assetNotFractionable'],
  [{ fractionable: false }, 'buy A o1 AAPL 1', 'orderAccepted orderAcknowledged orderFilled'],
] as const)
  test(`${JSON.stringify(terms)}; ${line}: ${then}`, () => {
    const world = new TestWorld()
    for (const each of setup) world.run(each)
    world.assets.set('AAPL', terms)
    assert.equal(world.run(line), then)
  })

for (const [line, then] of [
  ['buy A o1 ZVZZ 1', 'noPrice'],
  ['buy A o1 ZVZZ 1 @10', 'orderAccepted orderAcknowledged'],
  ['sell A o1 ZVZZ 1', 'noPrice'],
] as const)
  test(`an asset without a price; ${line}: ${then}`, () => {
    const world = new TestWorld()
    world.assets.set('ZVZZ', {})
    world.run('open A 1000')
    assert.equal(world.run(line), then)
  })

test('without a quote the last trade is the price estimate of a market order', () => {
  assert.equal(
    outcomeOf('open A 1000', 'trade AAPL 100', 'buy A o1 AAPL 10'),
    'orderAccepted orderAcknowledged',
  )
  assert.equal(outcomeOf('open A 1000', 'trade AAPL 100', 'buy A o1 AAPL 11'), 'insufficientBuyingPower')
})

const refusal = (lines: readonly string[], command: Parameters<TestWorld['submit']>[0]) => {
  const world = new TestWorld()
  for (const line of lines) world.run(line)
  const decision = world.submit({ ...command, accountId: world.accounts.get('A')! } as typeof command)
  assert.ok(!decision.ok)
  return decision.reason
}
const order = {
  kind: 'placeOrder',
  symbol: 'AAPL' as Ticker,
  type: 'market',
  timeInForce: 'day',
  extendedHours: false,
} as const

test('a refusal for buying power contains the amounts', () => {
  const command = { ...order, side: 'buy', quantity: 11_000_000_000n } as never
  assert.deepEqual(refusal(['open A 1000.5', 'quote AAPL 99 100.01'], command), {
    code: 'insufficientBuyingPower',
    buyingPower: '1000.5',
    costBasis: '1100.11',
  })
})

test('a refusal for shares contains the quantities', () => {
  const lines = ['open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 5', 'sell A o2 AAPL 2 @120']
  const command = { ...order, side: 'sell', quantity: 4_000_000_000n } as never
  assert.deepEqual(refusal(lines, command), {
    code: 'insufficientQuantity',
    symbol: 'AAPL',
    requested: '4',
    existingQty: '5',
    heldForOrders: '2',
    available: '3',
  })
})

test('a refusal for shares does not count shares of pending mints as held for orders', () => {
  const before = [
    'open A 1000',
    'open I 0',
    'issuer I xstocks AAPL solana',
    'link A xstocks',
    'quote AAPL 99 100',
  ]
  const lines = [...before, 'buy A o1 AAPL 5', 'mint A m1 AAPL 1', 'sell A o2 AAPL 2 @120']
  const command = { ...order, side: 'sell', quantity: 4_000_000_000n } as never
  assert.deepEqual(refusal(lines, command), {
    code: 'insufficientQuantity',
    symbol: 'AAPL',
    requested: '4',
    existingQty: '5',
    heldForOrders: '2',
    available: '2',
  })
})

test('a client order id that only the query tables have is refused', () => {
  const world = new TestWorld()
  for (const line of [...setup, 'buy A o1 AAPL 1']) world.run(line)
  const orderId = world.orders.get('o1') as OrderId
  forget(world.state, world.state.seq)
  assert.equal(world.state.orders.size, 0)
  const command = {
    ...order,
    side: 'buy',
    quantity: 1_000_000_000n,
    accountId: world.accounts.get('A')!,
    clientOrderId: 'o1' as ClientOrderId,
  } as never as { kind: 'placeOrder' }
  const refused = world.submit({ ...command, earlier: orderId } as never)
  assert.equal(!refused.ok && refused.reason.code, 'clientOrderIdTaken')
})

test('an order without a client order id gets one that differs from its order id', () => {
  const world = new TestWorld()
  for (const line of setup) world.run(line)
  const command = { ...order, side: 'buy', quantity: 1_000_000_000n, accountId: world.accounts.get('A')! }
  world.submit(command as never)
  const [placed] = [...world.state.orders.values()].slice(-1)
  assert.ok(placed && placed.clientOrderId.length === 36)
  assert.notEqual(placed.clientOrderId as string, placed.id as string)
})

test('a refusal changes nothing', () => {
  const world = new TestWorld()
  for (const line of setup) world.run(line)
  const { seq } = world.state
  world.run('buy A o1 AAPL 1000')
  assert.equal(world.state.seq, seq)
})
