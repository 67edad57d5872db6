import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

/** From seven in the evening on orders for the next day are taken. */
const EVENING = 'until 2026-11-03T00:30:00Z'
const OPEN = 'until 2026-11-03T14:30:00Z'
const scene = ['open A 1000000', 'open B 1000000', 'quote AAPL 99 100', 'trade AAPL 100']

/** How each order stands, and at what it was filled: `o1 filled 10@101`. */
function standing(settings: Partial<WorldSettings>, lines: readonly string[]): string {
  const world = new TestWorld({ hours: 'nyse', ...settings })
  for (const line of [...scene, ...lines]) world.run(line)
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
  // Queued, released before the market, it waits for the open and nothing else.
  [{}, [EVENING, 'buy A o1 AAPL 10 opg'], 'o1 accepted 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', 'until 2026-11-03T09:00:00Z'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'quote AAPL 99 100'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, open], 'o1 filled 10@101'],
  // Limits that the price passes are not filled, and end a minute after.
  [{}, [EVENING, 'buy A o1 AAPL 10 @101 opg', OPEN, open], 'o1 filled 10@101'],
  [{}, [EVENING, 'buy A o1 AAPL 10 @100.99 opg', OPEN, open], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 @100.99 opg', OPEN, open, 'wait 60'], 'o1 expired 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'wait 60'], 'o1 expired 0'],
  // A print of another auction is not theirs, nor one from before.
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', OPEN, 'auction AAPL close 2026-11-03 101'], 'o1 new 0'],
  [{}, [EVENING, 'buy A o1 AAPL 10 opg', 'until 2026-11-03T14:29:00Z', open], 'o1 new 0'],
  // By size: market orders first, then the better limit, then first come; each side has the whole print.
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
  // The close; and a day that ends early.
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
  // Where the market never closes they are taken at any hour, for the next auction.
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
    assert.equal(standing(settings, lines), then))

test('a fill at an auction says so, with the print it was made at', () => {
  const world = new TestWorld({})
  for (const line of [...scene, 'buy A o1 AAPL 10 opg', OPEN, open]) world.run(line)
  const fill = world.events.findLast((event) => event.kind === 'orderFilled')!
  assert.equal(fill.auction, 'open')
  assert.equal(format(fill.quote.bid), '101')
  assert.equal(world.state.auctions.size, 0)
  assert.equal(world.state.usedSizes.size, 0)
})
