import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import type { AssetId } from '../../ids.ts'
import { FEES, USD } from '../../ledger/chart.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const scene = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']
const shown = { fillSize: 'displayed' } as const

function told(settings: Partial<WorldSettings>, lines: readonly string[]): TestWorld {
  const world = new TestWorld(settings)
  for (const line of [...scene, ...lines]) world.run(line)
  return world
}

/** Each fill of `o1` and how it stands then: `0.33@30=9.99`. */
function fillsOf(world: TestWorld): string {
  return world.events
    .flatMap((event) =>
      event.kind === 'orderFilled' && event.orderId === world.orders.get('o1')
        ? [`${format(event.quantity)}@${format(event.price)}=${format(event.cash)}`]
        : [],
    )
    .join(' ')
}

for (const [settings, lines, fills, status] of [
  // What the dollars buy, nine places, rounded down.
  [{}, ['buy A o1 AAPL $250'], '2.5@100=250', 'filled'],
  [{}, ['quote AAPL 2 3', 'buy A o1 AAPL $10'], '3.333333333@3=10', 'filled'],
  // At the price of the fill, not of the placement.
  [
    { latencyNs: 5_000_000_000n },
    ['buy A o1 AAPL $100', 'quote AAPL 49 50', 'wait 10'],
    '2@50=100',
    'filled',
  ],
  [
    { latencyNs: 5_000_000_000n },
    ['buy A o1 AAPL $100', 'quote AAPL 199 200', 'wait 10'],
    '0.5@200=100',
    'filled',
  ],
  // In parts: each takes of what is left of the dollars.
  [
    shown,
    ['quote AAPL 99 100 1 1', 'buy A o1 AAPL $250', 'quote AAPL 49 50 1 9'],
    '1@100=100 3@50=150',
    'filled',
  ],
  [shown, ['quote AAPL 99 100 1 1', 'buy A o1 AAPL $250'], '1@100=100', 'partiallyFilled'],
  // A sale gives as much as brings the dollars, and never more than it holds.
  [{}, ['buy A o0 AAPL 10', 'sell A o1 AAPL $198'], '2@99=198', 'filled'],
  [
    { latencyNs: 5_000_000_000n },
    ['buy A o0 AAPL 10', 'wait 10', 'sell A o1 AAPL $990', 'quote AAPL 49 50', 'wait 10'],
    '10@49=490',
    'filled',
  ],
] as const)
  test(`${JSON.stringify(settings, withText)} ${lines.join('; ')}: ${fills}`, () => {
    const world = told(settings, lines)
    assert.equal(fillsOf(world), fills)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)!.status, status)
  })

function withText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

test('an order in dollars holds what it has not spent, and never spends more', () => {
  const world = told(shown, ['quote AAPL 2 3 1 1', 'buy A o1 AAPL $10'])
  const held = () => format(world.state.holds.get(world.accounts.get('A')!)!.money)
  assert.equal(held(), '7')
  for (let n = 0; n < 5; n++) world.run(`quote AAPL 2 3.3${n} 1 0.7`)
  const { status, spent, quantity, filledQuantity } = world.state.orders.get(world.orders.get('o1')!)!
  assert.equal(status, 'filled')
  assert.ok(spent! <= 10_000_000_000n && spent! > 9_980_000_000n, format(spent!))
  assert.equal(quantity, filledQuantity)
  assert.equal(held(), '0')
})

function coins(settings: Partial<WorldSettings>, lines: readonly string[]): TestWorld {
  const world = new TestWorld(settings)
  world.assets.set('BTC/USD', { class: 'crypto', exchange: 'CRYPTO', id: 'btc' as AssetId })
  for (const line of ['open A 100000', 'quote BTC/USD 9999 10000', 'trade BTC/USD 10000', ...lines])
    world.run(line)
  return world
}

test('of coins the broker keeps its part in the fill: coins of a buy, dollars of a sale; both settle at once', () => {
  const world = coins({ fees: 'us' }, ['buy A o1 BTC/USD 1 gtc'])
  const accountId = world.accounts.get('A')!
  const position = () => format(world.state.positions.get(accountId)?.get('BTC/USD' as never)?.quantity ?? 0n)
  assert.equal(position(), '0.9975')
  const { filledQuantity } = world.state.orders.get(world.orders.get('o1')!)!
  assert.equal(format(filledQuantity), '1')
  assert.equal(format(world.state.ledger.get(FEES)!.get('BTC/USD' as never)!), '0.0025')
  assert.equal(world.state.unsettled.size, 0)
  world.run('sell A o2 BTC/USD 0.9975 gtc')
  assert.equal(position(), '0')
  const paid = world.events.findLast((event) => event.kind === 'orderFilled')!
  assert.equal(format(paid.cash), '9974')
  assert.equal(format(world.state.ledger.get(FEES)!.get(USD)!), '24.94')
})

const SUNDAY = 'until 2026-11-08T08:00:00Z'
for (const [lines, status] of [
  [[SUNDAY, 'buy A o1 BTC/USD 1 gtc'], 'filled'],
  [[SUNDAY, 'buy A o1 BTC/USD 1 @9000 gtc'], 'new'],
  [[SUNDAY, 'buy A o1 BTC/USD 1 @9000 gtc', 'quote BTC/USD 8999 9000'], 'filled'],
  [[SUNDAY, 'buy A o1 BTC/USD 1 ioc'], 'filled'],
  [[SUNDAY, 'buy A o1 BTC/USD 1 @9000 ioc'], 'canceled'],
  [[SUNDAY, 'buy A o1 BTC/USD 1 stop=11000 @12000 gtc', 'trade BTC/USD 11000'], 'filled'],
  [['buy A o1 BTC/USD 1 @9000 gtc', 'until 2026-11-02T21:00:00Z'], 'new'],
  [['buy A o1 BTC/USD 1 @9000 gtc', 'until 2027-01-31T21:15:00Z'], 'canceled'],
] as const)
  test(`coins are traded at any hour: ${lines.join('; ')}: ${status}`, () => {
    const world = coins({ hours: 'nyse' }, lines)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)!.status, status)
  })

test('shares carry what regulators take of them, for the day', () => {
  const world = told({ fees: 'us' }, ['buy A o0 AAPL 10', 'sell A o1 AAPL 10'])
  const fill = world.events.findLast((event) => event.kind === 'orderFilled')!
  assert.deepEqual(Object.keys(fill.fees ?? {}), ['sec', 'cat'])
  const free = told({ fees: 'none' }, ['buy A o0 AAPL 10', 'sell A o1 AAPL 10'])
  assert.ok(free.events.every((event) => !('fees' in event)))
})
