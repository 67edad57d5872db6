import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

/** From 7 p.m. on, orders for the next day are accepted. */
const EVENING = 'until 2026-11-03T00:30:00Z'
const OPEN = 'until 2026-11-03T14:30:00Z'
const setup = ['open A 1000000', 'open B 1000000', 'quote AAPL 99 100', 'trade AAPL 100']

/** Status and fills of each order: `o1 filled 10@101`. */
function statuses(settings: Partial<WorldSettings>, lines: readonly string[]): string {
  const world = new TestWorld({ hours: 'nyse', ...settings })
  for (const line of [...setup, ...lines]) world.run(line)
  return [...world.orders]
    .map(([name, id]) => {
      const { status, filledQuantity, filledValue } = world.state.orders.get(id)!
      const price = filledQuantity === 0n ? '' : `@${format(filledValue / filledQuantity)}`
      return `${name} ${status} ${format(filledQuantity)}${price}`
    })
    .join(', ')
}

const open = 'auction AAPL open 2026-11-03 101'

for (const [settings, lines, then] of [
  // The order is queued, released at the pre-market, and filled only by the open auction.
  [{}, [EVENING, 'buy A o1 AAPL 10 opg'], 'o1 accepted 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', 'until 2026-11-03T09:00:00Z'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'quote AAPL 99 100'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, open], 'o1 filled 10@101'],
  // A limit that does not allow the price is not filled and expires a minute later.
  [{}, [EVENING, 'buy A o1 AAPL 10 @101 opg', OPEN, open], 'o1 filled 10@101'],
  [{}, [EVENING, 'buy A o1 AAPL 10 @100.99 opg', OPEN, open], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 @100.99 opg', OPEN, open, 'wait 60'], 'o1 expired 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'wait 60'], 'o1 expired 0'],
  // A print of another auction, or from before the auction, does not fill.
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'auction AAPL close 2026-11-03 101'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', 'until 2026-11-03T14:29:00Z', open], 'o1 new 0'],
  // By displayed size: market orders, then the better limit, then by time; each side gets the size of the print.
  [
    { fillSize: 'displayed' },
    [
      EVENING,
      'buy A o1 AAPL 10 @102 opg',
      'buy A o2 AAPL 10 @103 opg',
      'buy A o3 AAPL 10 opg',
      OPEN,
      'auction AAPL open 2026-11-03 101 25',
    ],
    'o1 partiallyFilled 5@101, o2 filled 10@101, o3 filled 10@101',
  ],
  [
    { fillSize: 'displayed' },
    [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'auction AAPL open 2026-11-03 101 4', 'wait 60'],
    'o1 expired 4@101',
  ],
  // The close auction, also on a day with an early close.
  [
    {},
    ['buy A o1 AAPL 10 cls', 'until 2026-11-02T21:00:00Z', 'auction AAPL close 2026-11-02 98'],
    'o1 filled 10@98',
  ],
  [{}, ['buy A o1 AAPL 10 cls', 'until 2026-11-02T21:01:00Z'], 'o1 expired 0'],
  [
    {},
    [
      'until 2026-11-27T15:00:00Z',
      'buy A o1 AAPL 10 cls',
      'until 2026-11-27T18:00:00Z',
      'auction AAPL close 2026-11-27 98',
    ],
    'o1 filled 10@98',
  ],
  // In `always` hours auction orders are accepted at any time, for the next auction.
  [{ hours: 'always' }, ['buy A o1 AAPL 10 opg'], 'o1 new 0'],
  [{ hours: 'always' }, ['buy A o1 AAPL 10 opg', OPEN, open], 'o1 filled 10@101'],
  [
    { hours: 'always' },
    [
      'until 2026-11-02T20:59:00Z',
      'buy A o1 AAPL 10 cls',
      'until 2026-11-02T21:00:00Z',
      'auction AAPL close 2026-11-02 98',
    ],
    'o1 filled 10@98',
  ],
  [
    { hours: 'always' },
    [
      'until 2026-11-02T21:30:00Z',
      'buy A o1 AAPL 10 cls',
      'until 2026-11-03T21:00:00Z',
      'auction AAPL close 2026-11-03 98',
    ],
    'o1 filled 10@98',
  ],
] as const)
  test(`${JSON.stringify(settings)} ${lines.join('; ')}: ${then}`, () =>
    assert.equal(statuses(settings, lines), then))

test('an auction fill names the auction and contains its print', () => {
  const world = new TestWorld({})
  for (const line of [...setup, 'buy A o1 AAPL 10 opg', OPEN, open]) world.run(line)
  const fill = world.events.findLast((event) => event.kind === 'orderFilled')!
  assert.equal(fill.auction, 'open')
  assert.equal(format(fill.quote.bid), '101')
  assert.equal(world.state.auctions.size, 0)
  assert.equal(world.state.usedSizes.size, 0)
})
