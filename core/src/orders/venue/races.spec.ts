import assert from 'node:assert/strict'
import test from 'node:test'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const minute = { minNs: 60_000_000_000n, maxNs: 60_000_000_000n, shape: 'uniform' } as const
const cancels = { venue: { cancelLatency: minute } }
const keepsAll = { venue: { cancelRejectShare: 1_000_000 } }
const replaces = { venue: { replaceLatency: minute } }
const keepsReplaced = { venue: { replaceRejectShare: 1_000_000 } }
const setup = ['open A 1000', 'quote AAPL 99 100', 'trade AAPL 100']

/** The lines after the setup, the outcome of the last line, and the status of each named order. */
const rows: readonly (readonly [
  settings: Partial<WorldSettings>,
  lines: readonly string[],
  outcome: string,
  statuses: Readonly<Record<string, string>>,
])[] = [
  [cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1'], 'orderCancelRequested', { o1: 'pendingCancel' }],
  [cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'wait 60'], 'orderCanceled', { o1: 'canceled' }],
  // A fill before the decision of the market wins.
  [
    cancels,
    ['buy A o1 AAPL 1 @90', 'cancel A o1', 'wait 59', 'quote AAPL 89 90'],
    'orderFilled',
    { o1: 'filled' },
  ],
  [cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'cancel A o1'], 'orderAlreadyTerminal', {}],
  [cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'replace A o1 @91'], 'cannotReplaceIn', {}],
  // The order reaches the market and fills while its cancel is pending.
  [
    { ...cancels, latencyNs: 1_000_000_000n },
    ['buy A o1 AAPL 1', 'cancel A o1', 'wait 1'],
    'orderAcknowledged orderFilled',
    { o1: 'filled' },
  ],
  // The cancel is decided before the order reaches the market.
  [
    { ...cancels, latencyNs: 100_000_000_000n },
    ['buy A o1 AAPL 1', 'cancel A o1', 'wait 100'],
    'orderCanceled',
    { o1: 'canceled' },
  ],
  [
    { venue: { ...cancels.venue, ...keepsAll.venue }, latencyNs: 100_000_000_000n },
    ['buy A o1 AAPL 1', 'cancel A o1', 'wait 100'],
    'orderCancelRejected orderAcknowledged orderFilled',
    { o1: 'filled' },
  ],
  [
    keepsAll,
    ['buy A o1 AAPL 1 @90', 'cancel A o1'],
    'orderCancelRequested orderCancelRejected',
    { o1: 'new' },
  ],
  [
    { ...cancels, latencyNs: 1_000_000_000n },
    ['buy A o1 AAPL 1 fok', 'cancel A o1', 'wait 1'],
    'orderAcknowledged orderFilled',
    { o1: 'filled' },
  ],
  // Orders that are not at the market are canceled at once: queued ones, and legs.
  [
    { ...cancels, hours: 'nyse' },
    ['until 2026-11-02T22:00:00Z', 'buy A o1 AAPL 1', 'cancel A o1'],
    'orderCanceled',
    { o1: 'canceled' },
  ],
  [
    cancels,
    ['buy A o1 AAPL 1 @90 bracket take=110 loss=80', 'cancel A o1', 'wait 60'],
    'orderCanceled orderCanceled orderCanceled',
    { o1: 'canceled', 'o1.take': 'canceled', 'o1.loss': 'canceled' },
  ],
  [
    cancels,
    ['buy A o1 AAPL 1 @90 bracket take=110 loss=80', 'cancel A o1', 'quote AAPL 89 90'],
    'orderFilled orderActivated stopActivated',
    { o1: 'filled', 'o1.take': 'new', 'o1.loss': 'held' },
  ],
  [
    cancels,
    ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'cancel A o2', 'quote AAPL 94 95', 'trade AAPL 95'],
    'orderElected orderFilled',
    { o2: 'filled' },
  ],
  [replaces, ['buy A o1 AAPL 1 @90', 'replace A o1 @91'], 'orderReplaceRequested orderAccepted', {}],
  [
    replaces,
    ['buy A o1 AAPL 1 @90', 'replace A o1 @91', 'wait 60'],
    'orderReplaced orderAcknowledged',
    { o1: 'replaced', o2: 'new' },
  ],
  // A fill of the old order rejects the new one.
  [
    replaces,
    ['buy A o1 AAPL 1 @90', 'replace A o1 @91', 'quote AAPL 89 90'],
    'orderReplaceRejected orderFilled orderRejected',
    { o1: 'filled', o2: 'rejected' },
  ],
  [
    keepsReplaced,
    ['buy A o1 AAPL 1 @90', 'replace A o1 @91'],
    'orderReplaceRequested orderAccepted orderReplaceRejected orderRejected',
    { o1: 'new', o2: 'rejected' },
  ],
  // A partial fill of the old order reduces the new one; if nothing is left, the replacement is rejected.
  [
    { ...replaces, fillSize: 'displayed' },
    ['buy A o1 AAPL 8 @90', 'replace A o1 @91 qty=10', 'quote AAPL 89 90 5 4', 'wait 60'],
    'orderReplaced orderResized orderAcknowledged',
    { o1: 'replaced', o2: 'new' },
  ],
  [
    { ...replaces, fillSize: 'displayed' },
    ['buy A o1 AAPL 8 @90', 'replace A o1 @91 qty=3', 'quote AAPL 89 90 5 4', 'wait 60'],
    'orderReplaceRejected orderRejected',
    { o1: 'partiallyFilled', o2: 'rejected' },
  ],
  [replaces, ['buy A o1 AAPL 1 @90', 'replace A o1 @91', 'cancel A o1'], 'orderAlreadyTerminal', {}],
  [
    replaces,
    ['buy A o1 AAPL 1 @90', 'replace A o1 @91', 'cancel A o2'],
    'orderReplaceRejected orderCanceled',
    { o1: 'new', o2: 'canceled' },
  ],
  [
    replaces,
    ['buy A o1 AAPL 1 @90', 'until 2026-11-02T20:59:30Z', 'replace A o1 @91', 'wait 30'],
    'dayClosed orderReplaceRejected orderExpired orderRejected',
    { o1: 'expired', o2: 'rejected' },
  ],
  [
    replaces,
    ['buy A o1 AAPL 1 @90', 'replace A o1 @91', 'reset A 500'],
    'orderReplaceRejected orderCanceled orderRejected accountReset',
    { o1: 'canceled', o2: 'rejected' },
  ],
]

for (const [settings, lines, outcome, statuses] of rows)
  test(`${Object.keys(settings.venue ?? {})}; ${lines.join('; ')}: ${outcome}`, () => {
    const world = new TestWorld(settings)
    let result = ''
    for (const line of [...setup, ...lines]) {
      const old = line.startsWith('replace') ? world.orders.get('o1') : undefined
      result = world.run(line)
      if (old === undefined || !world.events.some((event) => event.kind === 'orderReplaceRequested')) continue
      // The line names the new order o1; both orders are of interest here.
      world.orders.set('o2', world.orders.get('o1')!)
      world.orders.set('o1', old)
    }
    assert.equal(result, outcome)
    for (const [name, status] of Object.entries(statuses))
      assert.equal(world.state.orders.get(world.orders.get(name)!)?.status, status, name)
  })

test('while a replacement is pending, the larger of both orders is held', () => {
  const world = new TestWorld(replaces)
  for (const line of setup) world.run(line)
  const held = () => Number(world.state.holds.get(world.accounts.get('A')!)?.money ?? 0n) / 1e9
  const steps: readonly (readonly [line: string, held: number])[] = [
    ['buy A o1 AAPL 5 @90', 450],
    ['replace A o1 qty=8', 720],
    ['wait 60', 720],
    ['replace A o1 qty=2', 720],
    ['wait 60', 180],
  ]
  for (const [line, expected] of steps) {
    world.run(line)
    assert.equal(held(), expected, line)
  }
})
