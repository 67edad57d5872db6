import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import { TestWorld } from '../testing/world.ts'
import type { WorldSettings } from '../world.ts'

const setup = ['open A 100000', 'trade AAPL 100', 'quote AAPL 99 100 5 5']

/** Status, filled quantity and quantity of `o1`: `canceled 5/10`. */
function statusOf(settings: Partial<WorldSettings>, lines: readonly string[]): string {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) world.run(line)
  const { status, filledQuantity, quantity } = world.state.orders.get(world.orders.get('o1')!)!
  return `${status} ${format(filledQuantity)}/${format(quantity)}`
}

const displayed = { fillSize: 'displayed' } as const
const nyse = { hours: 'nyse' } as const

for (const [settings, lines, then] of [
  [{}, ['buy A o1 AAPL 10 ioc'], 'filled 10/10'],
  [{}, ['buy A o1 AAPL 10 @100 ioc'], 'filled 10/10'],
  [{}, ['buy A o1 AAPL 10 @99.99 ioc'], 'canceled 0/10'],
  [{}, ['buy A o1 AAPL 10 @99.99 fok'], 'canceled 0/10'],
  [{}, ['buy A o1 AAPL 10 fok'], 'filled 10/10'],
  [displayed, ['buy A o1 AAPL 10 ioc'], 'canceled 5/10'],
  [displayed, ['buy A o1 AAPL 10 fok'], 'canceled 0/10'],
  [displayed, ['buy A o1 AAPL 5 fok'], 'filled 5/5'],
  [displayed, ['buy A o2 AAPL 3', 'buy A o1 AAPL 5 fok'], 'canceled 0/5'],
  [displayed, ['buy A o2 AAPL 3', 'buy A o1 AAPL 5 ioc'], 'canceled 2/5'],
  // Before the session an immediate order waits for the open.
  [nyse, ['until 2026-11-03T13:00:00Z', 'buy A o1 AAPL 1 ioc'], 'pendingNew 0/1'],
  [nyse, ['until 2026-11-03T13:00:00Z', 'buy A o1 AAPL 1 ioc', 'until 2026-11-03T14:30:00Z'], 'filled 1/1'],
  [nyse, ['until 2026-11-03T02:00:00Z', 'buy A o1 AAPL 1 ioc'], 'accepted 0/1'],
  [
    nyse,
    ['until 2026-11-03T02:00:00Z', 'buy A o1 AAPL 1 ioc', 'until 2026-11-03T14:29:59Z'],
    'pendingNew 0/1',
  ],
  [
    nyse,
    ['until 2026-11-03T02:00:00Z', 'buy A o1 AAPL 1 @90 ioc', 'until 2026-11-03T14:30:00Z'],
    'canceled 0/1',
  ],
] as const)
  test(`${JSON.stringify(settings)} ${lines.join('; ')}: ${then}`, () =>
    assert.equal(statusOf(settings, lines), then))

test('an immediate order is filled and canceled in one decision', () => {
  const world = new TestWorld(displayed)
  for (const line of setup) world.run(line)
  assert.equal(world.run('buy A o1 AAPL 10 ioc'), 'orderAccepted orderAcknowledged orderFilled orderCanceled')
  const last = world.events.at(-1)!
  assert.ok(last.kind === 'orderCanceled' && last.why === 'unfilled')
  assert.equal(new Set(world.events.slice(-3).map(({ at }) => at)).size, 1)
})
