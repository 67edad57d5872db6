import assert from 'node:assert/strict'
import test from 'node:test'
import type { Asset } from '../market/asset.ts'
import { TestWorld } from '../testing/world.ts'

/** A long account, a short one, a flat one, and one too poor for margin. */
const scene = [
  'open L 100000',
  'open S 100000',
  'open F 100000',
  'open P 1000',
  'quote AAPL 99 100',
  'trade AAPL 99.5',
  'buy L l1 AAPL 10',
  'sell S s1 AAPL 10',
]

function tell(given: readonly string[], terms: Partial<Asset> = {}): TestWorld {
  const world = new TestWorld()
  for (const line of scene) world.run(line)
  world.assets.set('AAPL', terms)
  for (const line of given) world.run(line)
  return world
}
const first = (told: string): string => told.split(' ')[0]!

for (const [given, when, then] of [
  // What an order does follows from the position.
  [[], 'buy L o1 AAPL 1 as=buyToOpen', 'orderAccepted'],
  [[], 'buy L o1 AAPL 1 as=buyToClose', 'positionIntentMismatch'],
  [[], 'sell L o1 AAPL 1 as=sellToClose', 'orderAccepted'],
  [[], 'sell L o1 AAPL 1 as=sellToOpen', 'positionIntentMismatch'],
  [[], 'buy S o1 AAPL 1 as=buyToClose', 'orderAccepted'],
  [[], 'buy S o1 AAPL 1 as=buyToOpen', 'positionIntentMismatch'],
  [[], 'sell S o1 AAPL 1 as=sellToOpen', 'orderAccepted'],
  [[], 'sell F o1 AAPL 1 as=sellToOpen', 'orderAccepted'],
  [[], 'sell F o1 AAPL 1 as=sellToClose', 'positionIntentMismatch'],
  [[], 'buy F o1 AAPL 1 as=buyToOpen', 'orderAccepted'],
  // Nothing is turned round in one order.
  [[], 'sell L o1 AAPL 11', 'insufficientQuantity'],
  [[], 'buy S o1 AAPL 11', 'insufficientQuantity'],
  [[], 'buy S o1 AAPL 10', 'orderAccepted'],
  [['buy S c1 AAPL 6 @90'], 'buy S o1 AAPL 5 @90', 'insufficientQuantity'],
  [['buy S c1 AAPL 6 @90'], 'buy S o1 AAPL 4 @90', 'orderAccepted'],
  // Nobody opens a long and a short at once.
  [['buy F e1 AAPL 1 @90'], 'sell F o1 AAPL 1 @120', 'longBuyOpen'],
  [['sell F e1 AAPL 1 @120'], 'buy F o1 AAPL 1 @90', 'shortSellOpen'],
  [['sell F e1 AAPL 1 @120', 'cancel F e1'], 'buy F o1 AAPL 1 @90', 'orderAccepted'],
  [['buy L e1 AAPL 1 @90'], 'sell L o1 AAPL 1 @120', 'orderAccepted'],
  // What is sold short is whole, and there must be margin.
  [[], 'sell F o1 AAPL 0.5', 'fractionalNotShort'],
  [[], 'sell F o1 AAPL $100', 'fractionalNotShort'],
  [[], 'sell P o1 AAPL 1', 'shortingNotAllowed'],
  [[], 'sell F o1 AAPL 3884', 'insufficientBuyingPower'],
  [[], 'sell F o1 AAPL 3883', 'orderAccepted'],
  [[], 'sell F o1 AAPL 2001 @200', 'insufficientBuyingPower'],
  [[], 'sell F o1 AAPL 2000 @200', 'orderAccepted'],
  // An order in dollars closes alone.
  [['sell L e1 AAPL 1 @120'], 'sell L o1 AAPL $100 @120', 'closingOrdersOpen'],
  [['sell L e1 AAPL $100 @120'], 'sell L o1 AAPL 1 @120', 'closingOrdersOpen'],
  [['sell L e1 AAPL 1 @120'], 'sell L o1 AAPL 1 @120', 'orderAccepted'],
  [[], 'sell L o1 AAPL $990', 'orderAccepted'],
  [[], 'sell L o1 AAPL $991', 'insufficientQuantity'],
] as const)
  test(`${[...given, when].join('; ')}: ${then}`, () => assert.equal(first(tell(given).run(when)), then))

for (const [terms, when, then] of [
  [{ shortable: false }, 'sell F o1 AAPL 1', 'assetNotShortable'],
  [{ easyToBorrow: false }, 'sell F o1 AAPL 1', 'assetNotShortable'],
  [{ shortable: false }, 'sell L o1 AAPL 1', 'orderAccepted'],
  [{ marginable: false }, 'buy F o1 AAPL 1001', 'insufficientBuyingPower'],
  [{ marginable: false }, 'buy F o1 AAPL 1000', 'orderAccepted'],
] as const)
  test(`${JSON.stringify(terms)}; ${when}: ${then}`, () =>
    assert.equal(first(tell([], terms).run(when)), then))

for (const [changes, when, then] of [
  [{ suspendTrade: true }, 'buy F o1 AAPL 1', 'tradingSuspended'],
  [{ suspendTrade: true }, 'sell L o1 AAPL 1', 'orderAccepted'],
  [{ fractionalTrading: false }, 'buy F o1 AAPL 0.5', 'fractionalTradingDisabled'],
  [{ fractionalTrading: false }, 'buy F o1 AAPL $50', 'fractionalTradingDisabled'],
  [{ fractionalTrading: false }, 'buy F o1 AAPL 1', 'orderAccepted'],
  [{ noShorting: true }, 'sell F o1 AAPL 1', 'shortingNotAllowed'],
  [{ maxMarginMultiplier: 1 }, 'sell F o1 AAPL 1', 'shortingNotAllowed'],
  [{ maxMarginMultiplier: 1 }, 'buy F o1 AAPL 1001', 'insufficientBuyingPower'],
  [{ maxMarginMultiplier: 2 }, 'buy F o1 AAPL 2000', 'orderAccepted'],
] as const)
  test(`F with ${JSON.stringify(changes)}; ${when}: ${then}`, () => {
    const world = tell([])
    world.submit({ kind: 'changeConfig', accountId: world.accounts.get('F')!, changes })
    assert.equal(first(world.run(when)), then)
  })

test('one position beyond six times the equity: only what closes is taken', () => {
  const world = tell(['sell F f1 AAPL 3800', 'trade AAPL 121', 'quote AAPL 121 122'])
  assert.equal(world.run('sell F o1 AAPL 1'), 'accountRestricted')
  assert.equal(first(world.run('buy F o2 AAPL 1')), 'orderAccepted')
})

test('a refusal of what was meant names both', () => {
  const world = tell([])
  world.run('sell F o1 AAPL 1 as=sellToClose')
  assert.deepEqual(world.refusal, {
    code: 'positionIntentMismatch',
    inferred: 'sellToOpen',
    specified: 'sellToClose',
  })
})
