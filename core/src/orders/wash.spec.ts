import assert from 'node:assert/strict'
import test from 'node:test'
import { TestWorld } from '../testing/world.ts'

const KINDS: Readonly<Record<string, readonly [buy: string, sell: string]>> = {
  market: ['', ''],
  stop: ['stop=110', 'stop=90'],
  limit: ['@95', '@105'],
  stopLimit: ['stop=110 @111', 'stop=90 @105'],
  trailing: ['trail=5', 'trail=5'],
  bracket: ['@95 bracket take=130 loss=80', ''],
}

/** An account with shares while the market is closed, so that orders stay open. */
function worldWithOrder(existing: string): TestWorld {
  const world = new TestWorld({ hours: 'nyse', latencyNs: 0n })
  for (const line of ['open A 100000', 'quote AAPL 99 101', 'trade AAPL 100', 'buy A b1 AAPL 50'])
    world.run(line)
  world.run('until 2026-11-02T22:00:00Z')
  if (world.run(existing).split(' ')[0] !== 'orderAccepted') throw new Error(`${existing} was not accepted`)
  return world
}

for (const [existing, side, placed, then] of [
  // Existing market or stop order: every opposite order is refused.
  ['market', 'sell', 'market', 'any'],
  ['market', 'sell', 'stop', 'any'],
  ['market', 'sell', 'limit', 'any'],
  ['market', 'sell', 'stopLimit', 'any'],
  ['stop', 'sell', 'market', 'any'],
  ['stop', 'sell', 'stop', 'any'],
  ['stop', 'sell', 'limit', 'any'],
  ['stop', 'sell', 'stopLimit', 'any'],
  ['market', 'buy', 'limit', 'any'],
  ['stop', 'buy', 'market', 'any'],
  // Existing limit order: refused if the prices cross.
  ['limit', 'sell', 'market', 'limit'],
  ['limit', 'sell', 'stop', 'limit'],
  ['limit', 'sell', 'limit', undefined],
  ['limit', 'sell', 'stopLimit', undefined],
  ['limit', 'buy', 'market', 'limit'],
  ['limit', 'buy', 'stop', 'limit'],
  ['limit', 'buy', 'limit', undefined],
  ['limit', 'buy', 'stopLimit', 'limit'],
  ['stopLimit', 'sell', 'market', 'limit'],
  ['stopLimit', 'sell', 'stop', 'limit'],
  ['stopLimit', 'sell', 'limit', 'limit'],
  ['stopLimit', 'buy', 'limit', undefined],
  // Groups and trailing stops are exempt.
  ['trailing', 'sell', 'market', undefined],
  ['bracket', 'sell', 'limit', undefined],
  ['market', 'sell', 'trailing', undefined],
  ['limit', 'sell', 'trailing', undefined],
] as const)
  test(`a ${side} ${placed} against a ${existing}: ${then ? 'refused' : 'accepted'}`, () => {
    const other = side === 'buy' ? 'sell' : 'buy'
    const terms = (of: 'buy' | 'sell', kind: string) => KINDS[kind]![of === 'buy' ? 0 : 1]
    const world = worldWithOrder(`${other} A e1 AAPL 1 ${terms(other, existing)}`)
    const outcome = world.run(`${side} A n1 AAPL 1 ${terms(side, placed)}`)
    if (!then) return assert.equal(outcome, 'orderAccepted')
    assert.deepEqual(world.refusal, {
      code: 'washTrade',
      existingOrderId: world.orders.get('e1'),
      existing: then,
    })
  })

for (const [existing, placed, then] of [
  ['buy A e1 AAPL 1 @95', 'sell A n1 AAPL 1 @95', 'washTrade'],
  ['buy A e1 AAPL 1 @95', 'sell A n1 AAPL 1 @95.01', 'orderAccepted'],
  ['sell A e1 AAPL 1 @105', 'buy A n1 AAPL 1 @105', 'washTrade'],
  ['sell A e1 AAPL 1 @105', 'buy A n1 AAPL 1 @104.99', 'orderAccepted'],
  ['buy A e1 AAPL 1 @95', 'buy A n1 AAPL 1', 'orderAccepted'],
] as const)
  test(`${existing}; ${placed}: ${then}`, () => assert.equal(worldWithOrder(existing).run(placed), then))

test('ended orders, other symbols and other accounts do not conflict', () => {
  const world = worldWithOrder('buy A e1 AAPL 1 @95')
  for (const line of ['quote MSFT 99 101', 'trade MSFT 100', 'open B 100000']) world.run(line)
  assert.equal(world.run('buy A n1 MSFT 1'), 'orderAccepted')
  assert.equal(world.run('sell B n2 AAPL 1'), 'orderAccepted')
  world.run('cancel A e1')
  assert.equal(world.run('sell A n3 AAPL 1'), 'orderAccepted')
})

test('the refusal names the oldest order at the nearest limit', () => {
  const world = worldWithOrder('buy A e0 AAPL 1 @80')
  for (const [name, limit] of [
    ['e1', 90],
    ['e2', 95],
    ['e3', 95],
    ['e4', 85],
  ] as const)
    world.run(`buy A ${name} AAPL 1 @${limit}`)
  world.run('sell A n1 AAPL 1 @94')
  assert.equal(world.refusal?.code === 'washTrade' && world.refusal.existingOrderId, world.orders.get('e2'))
  world.run('cancel A e2')
  world.run('cancel A e3')
  assert.equal(world.run('sell A n2 AAPL 1 @94'), 'orderAccepted')
  world.run('sell A n3 AAPL 1 @90')
  assert.equal(world.refusal?.code === 'washTrade' && world.refusal.existingOrderId, world.orders.get('e1'))
})
