import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import type { AssetId } from '../../ids.ts'
import { FEES, USD } from '../../ledger/chart.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const setup = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']
const displayed = { fillSize: 'displayed' } as const

function worldAfter(settings: Partial<WorldSettings>, lines: readonly string[]): TestWorld {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) world.run(line)
  return world
}

/** The fills of `o1`: `0.33@30=9.99` is quantity, price and cash. */
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
  // The quantity is rounded down to nine decimals.
  [{}, ['buy A o1 AAPL $250'], '2.5@100=250', 'filled'],
  [{}, ['quote AAPL 2 3', 'buy A o1 AAPL $10'], '3.333333333@3=10', 'filled'],
  // The price of the fill counts, not the price at placement.
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
  // Partial fills: each uses the remaining dollars.
  [
    displayed,
    ['quote AAPL 99 100 1 1', 'buy A o1 AAPL $250', 'quote AAPL 49 50 1 9'],
    '1@100=100 3@50=150',
    'filled',
  ],
  [displayed, ['quote AAPL 99 100 1 1', 'buy A o1 AAPL $250'], '1@100=100', 'partiallyFilled'],
  // A sale never exceeds the shares that it holds.
  [{}, ['buy A o0 AAPL 10', 'sell A o1 AAPL $198'], '2@99=198', 'filled'],
  [
    { latencyNs: 5_000_000_000n },
    ['buy A o0 AAPL 10', 'wait 10', 'sell A o1 AAPL $990', 'quote AAPL 49 50', 'wait 10'],
    '10@49=490',
    'filled',
  ],
] as const)
  test(`${JSON.stringify(settings, withText)} ${lines.join('; ')}: ${fills}`, () => {
    const world = worldAfter(settings, lines)
    assert.equal(fillsOf(world), fills)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)!.status, status)
  })

function withText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

test('a notional order holds the unspent amount, and never spends more', () => {
  const world = worldAfter(displayed, ['quote AAPL 2 3 1 1', 'buy A o1 AAPL $10'])
  const held = () => format(world.state.holds.get(world.accounts.get('A')!)!.money)
  assert.equal(held(), '7')
  for (let n = 0; n < 5; n++) world.run(`quote AAPL 2 3.3${n} 1 0.7`)
  const { status, spent, quantity, filledQuantity } = world.state.orders.get(world.orders.get('o1')!)!
  assert.equal(status, 'filled')
  assert.ok(spent! <= 10_000_000_000n && spent! > 9_980_000_000n, format(spent!))
  assert.equal(quantity, filledQuantity)
  assert.equal(held(), '0')
})

function cryptoWorld(settings: Partial<WorldSettings>, lines: readonly string[]): TestWorld {
  const world = new TestWorld(settings)
  world.assets.set('BTC/USD', { class: 'crypto', exchange: 'CRYPTO', id: 'btc' as AssetId })
  for (const line of ['open A 100000', 'quote BTC/USD 9999 10000', 'trade BTC/USD 10000', ...lines])
    world.run(line)
  return world
}

test('the crypto fee is part of the fill: coins for a buy, dollars for a sale; both settle immediately', () => {
  const world = cryptoWorld({ fees: 'us' }, ['buy A o1 BTC/USD 1 gtc'])
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
  test(`crypto trades at any hour: ${lines.join('; ')}: ${status}`, () => {
    const world = cryptoWorld({ hours: 'nyse' }, lines)
    assert.equal(world.state.orders.get(world.orders.get('o1')!)!.status, status)
  })

test('fills of shares contain the regulatory fees', () => {
  const world = worldAfter({ fees: 'us' }, ['buy A o0 AAPL 10', 'sell A o1 AAPL 10'])
  const fill = world.events.findLast((event) => event.kind === 'orderFilled')!
  assert.deepEqual(Object.keys(fill.fees ?? {}), ['sec', 'cat'])
  const free = worldAfter({ fees: 'none' }, ['buy A o0 AAPL 10', 'sell A o1 AAPL 10'])
  assert.ok(free.events.every((event) => !('fees' in event)))
})
