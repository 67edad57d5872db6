import assert from 'node:assert/strict'
import test from 'node:test'
import type { Asset } from '../market/assets/asset.ts'
import { TestWorld } from '../testing/world.ts'

/** Accounts: L is long, S is short, F has no position, P has too little equity for margin. */
const setup = [
  'open L 100000',
  'open S 100000',
  'open F 100000',
  'open P 1000',
  'quote AAPL 99 100',
  'trade AAPL 99.5',
  'buy L l1 AAPL 10',
  'sell S s1 AAPL 10',
]

function worldAfter(lines: readonly string[], terms: Partial<Asset> = {}): TestWorld {
  const world = new TestWorld()
  for (const line of setup) world.run(line)
  world.assets.set('AAPL', terms)
  for (const line of lines) world.run(line)
  return world
}
const firstOf = (outcome: string): string => outcome.split(' ')[0]!

for (const [before, line, then] of [
  // The position determines the intent.
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
  // One order cannot turn a long into a short.
  [[], 'sell L o1 AAPL 11', 'insufficientQuantity'],
  [[], 'buy S o1 AAPL 11', 'insufficientQuantity'],
  [[], 'buy S o1 AAPL 10', 'orderAccepted'],
  [['buy S c1 AAPL 6 @90'], 'buy S o1 AAPL 5 @90', 'insufficientQuantity'],
  [['buy S c1 AAPL 6 @90'], 'buy S o1 AAPL 4 @90', 'orderAccepted'],
  // An account cannot open a long and a short at once.
  [['buy F e1 AAPL 1 @90'], 'sell F o1 AAPL 1 @120', 'longBuyOpen'],
  [['sell F e1 AAPL 1 @120'], 'buy F o1 AAPL 1 @90', 'shortSellOpen'],
  [['sell F e1 AAPL 1 @120', 'cancel F e1'], 'buy F o1 AAPL 1 @90', 'orderAccepted'],
  [['buy L e1 AAPL 1 @90'], 'sell L o1 AAPL 1 @120', 'orderAccepted'],
  // A short needs whole shares and margin.
  [[], 'sell F o1 AAPL 0.5', 'fractionalNotShort'],
  [[], 'sell F o1 AAPL $100', 'fractionalNotShort'],
  [[], 'sell P o1 AAPL 1', 'shortingNotAllowed'],
  [[], 'sell F o1 AAPL 3884', 'insufficientBuyingPower'],
  [[], 'sell F o1 AAPL 3883', 'orderAccepted'],
  [[], 'sell F o1 AAPL 2001 @200', 'insufficientBuyingPower'],
  [[], 'sell F o1 AAPL 2000 @200', 'orderAccepted'],
  // A notional closing order must be the only closing order.
  [['sell L e1 AAPL 1 @120'], 'sell L o1 AAPL $100 @120', 'closingOrdersOpen'],
  [['sell L e1 AAPL $100 @120'], 'sell L o1 AAPL 1 @120', 'closingOrdersOpen'],
  [['sell L e1 AAPL 1 @120'], 'sell L o1 AAPL 1 @120', 'orderAccepted'],
  [[], 'sell L o1 AAPL $990', 'orderAccepted'],
  [[], 'sell L o1 AAPL $991', 'insufficientQuantity'],
] as const)
  test(`${[...before, line].join('; ')}: ${then}`, () =>
    assert.equal(firstOf(worldAfter(before).run(line)), then))

for (const [terms, line, then] of [
  [{ shortable: false }, 'sell F o1 AAPL 1', 'assetNotShortable'],
  [{ easyToBorrow: false }, 'sell F o1 AAPL 1', 'assetNotShortable'],
  [{ shortable: false }, 'sell L o1 AAPL 1', 'orderAccepted'],
  [{ marginable: false }, 'buy F o1 AAPL 1001', 'insufficientBuyingPower'],
  [{ marginable: false }, 'buy F o1 AAPL 1000', 'orderAccepted'],
] as const)
  test(`${JSON.stringify(terms)}; ${line}: ${then}`, () =>
    assert.equal(firstOf(worldAfter([], terms).run(line)), then))

for (const [changes, line, then] of [
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
  test(`F with ${JSON.stringify(changes)}; ${line}: ${then}`, () => {
    const world = worldAfter([])
    world.submit({ kind: 'changeConfig', accountId: world.accounts.get('F')!, changes })
    assert.equal(firstOf(world.run(line)), then)
  })

test('a position above six times the equity: only closing orders are accepted', () => {
  const world = worldAfter(['sell F f1 AAPL 3800', 'trade AAPL 121', 'quote AAPL 121 122'])
  assert.equal(world.run('sell F o1 AAPL 1'), 'accountRestricted')
  assert.equal(firstOf(world.run('buy F o2 AAPL 1')), 'orderAccepted')
})

test('a mismatch refusal names the inferred and the specified intent', () => {
  const world = worldAfter([])
  world.run('sell F o1 AAPL 1 as=sellToClose')
  assert.deepEqual(world.refusal, {
    code: 'positionIntentMismatch',
    inferred: 'sellToOpen',
    specified: 'sellToClose',
  })
})
