import assert from 'node:assert/strict'
import test from 'node:test'
import type { Price } from '../amount.ts'
import { apply } from '../apply.ts'
import type { OrderId } from '../ids.ts'
import { emptyState } from '../state/state.ts'
import { amount, must } from '../testing/script-lines.ts'
import { TestWorld } from '../testing/world.ts'
import { parseInstant } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { OrderEvent } from './events.ts'
import { isOpen, moves, type OrderMove, type OrderStatus, statusAfter } from './transitions.ts'

const setup = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']
const EVENING = 'until 2026-11-02T22:00:00Z'
const nyse = { hours: 'nyse' } as const
const slow = { latencyNs: 600_000_000_000n } as const
const displayed = { fillSize: 'displayed' } as const
const part = 'quote AAPL 99 100 5 4'
const rejects = { venue: { rejectShare: 1_000_000 } } as const
const delay = { minNs: 60_000_000_000n, maxNs: 60_000_000_000n, shape: 'uniform' } as const
const cancels = { venue: { cancelLatency: delay } } as const
const cancelsPart = { ...displayed, ...cancels }
/** An order that the market acknowledges after ten minutes, and a cancel that it decides on after one. */
const slowCancels = { ...slow, ...cancels }
const lateCancels = { latencyNs: 30_000_000_000n, ...cancels }
const keeps = { venue: { cancelLatency: delay, cancelRejectShare: 1_000_000 } } as const
const replaces = { venue: { replaceLatency: delay } } as const
const done = { venue: { doneForDayShare: 1_000_000 } } as const
const DONE = 'until 2026-11-02T20:59:59Z'
const keepsReplaced = { venue: { replaceLatency: delay, replaceRejectShare: 1_000_000 } } as const

/** Each transition with a script in which it happens to `o1`, or to the named order. */
const scripts: readonly (readonly [
  from: OrderStatus,
  move: OrderMove,
  settings: Partial<WorldSettings>,
  lines: readonly string[],
  order?: string,
])[] = [
  ['accepted', 'release', nyse, [EVENING, 'buy A o1 AAPL 1', 'until 2026-11-03T09:00:00Z']],
  ['accepted', 'cancel', nyse, [EVENING, 'buy A o1 AAPL 1', 'cancel A o1']],
  ['accepted', 'expire', nyse, [EVENING, 'buy A o1 AAPL 1', 'asleep 2026-11-04T09:00:00Z']],
  ['pendingNew', 'work', {}, ['buy A o1 AAPL 1']],
  ['pendingNew', 'cancel', slow, ['buy A o1 AAPL 1', 'cancel A o1']],
  ['pendingNew', 'expire', slow, ['until 2026-11-02T20:55:00Z', 'buy A o1 AAPL 1', 'wait 900']],
  ['pendingNew', 'reject', rejects, ['buy A o1 AAPL 1']],
  ['pendingNew', 'requestCancel', slowCancels, ['buy A o1 AAPL 1', 'cancel A o1']],
  ['held', 'activate', {}, ['buy A o1 AAPL 1 oto take=110'], 'o1.take'],
  ['held', 'cancel', {}, ['buy A o1 AAPL 1 bracket take=110 loss=90', 'cancel A o1.take'], 'o1.loss'],
  ['held', 'expire', {}, ['buy A o1 AAPL 1 oto loss=90', 'until 2026-11-02T21:00:00Z'], 'o1.loss'],
  ['held', 'replace', {}, ['buy A o1 AAPL 1 bracket take=110 loss=90', 'change o1.loss 91'], 'o1.loss'],
  ['new', 'fillPart', displayed, [part, 'buy A o1 AAPL 10']],
  ['new', 'fillAll', {}, ['buy A o1 AAPL 1']],
  ['new', 'cancel', {}, ['buy A o1 AAPL 1 @90', 'cancel A o1']],
  ['new', 'expire', {}, ['buy A o1 AAPL 1 @90', 'until 2026-11-02T21:00:00Z']],
  ['new', 'replace', {}, ['buy A o1 AAPL 1 @90', 'change o1 91']],
  ['new', 'requestCancel', cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1']],
  ['new', 'requestReplace', replaces, ['buy A o1 AAPL 1 @90', 'change o1 91']],
  ['partiallyFilled', 'fillPart', displayed, [part, 'buy A o1 AAPL 10 @100', part, part]],
  ['partiallyFilled', 'fillAll', displayed, [part, 'buy A o1 AAPL 5 @100', part]],
  ['partiallyFilled', 'cancel', displayed, [part, 'buy A o1 AAPL 10 @100', 'cancel A o1']],
  ['partiallyFilled', 'expire', displayed, [part, 'buy A o1 AAPL 10 @100', 'until 2026-11-02T21:00:00Z']],
  ['partiallyFilled', 'replace', displayed, [part, 'buy A o1 AAPL 10 @100', 'change o1 99']],
  ['partiallyFilled', 'requestCancel', cancelsPart, [part, 'buy A o1 AAPL 10 @100', 'cancel A o1']],
  [
    'partiallyFilled',
    'requestReplace',
    { ...displayed, ...replaces },
    [part, 'buy A o1 AAPL 10 @100', 'change o1 99'],
  ],
  ['new', 'endDay', done, ['buy A o1 AAPL 1 @90', DONE]],
  ['partiallyFilled', 'endDay', { ...displayed, ...done }, [part, 'buy A o1 AAPL 10 @100', DONE]],
  ['doneForDay', 'cancel', done, ['buy A o1 AAPL 1 @90', DONE, 'cancel A o1']],
  ['doneForDay', 'expire', done, ['buy A o1 AAPL 1 @90', DONE, 'wait 1']],
  ['doneForDay', 'restoreNew', done, ['buy A o1 AAPL 1 @90 gtc', 'until 2026-11-03T09:00:00Z']],
  [
    'doneForDay',
    'restorePart',
    { ...displayed, ...done },
    [part, 'buy A o1 AAPL 10 @100 gtc', 'until 2026-11-03T09:00:00Z'],
  ],
  ['pendingCancel', 'work', lateCancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'wait 40']],
  ['pendingCancel', 'fillPart', cancelsPart, [part, 'buy A o1 AAPL 10 @100', 'cancel A o1', part]],
  ['pendingCancel', 'fillAll', cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'quote AAPL 89 90']],
  ['pendingCancel', 'cancel', cancels, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'wait 60']],
  [
    'pendingCancel',
    'expire',
    cancels,
    ['buy A o1 AAPL 1 @90', 'until 2026-11-02T20:59:30Z', 'cancel A o1', 'wait 60'],
  ],
  ['pendingCancel', 'restorePending', { ...slow, ...keeps }, ['buy A o1 AAPL 1', 'cancel A o1', 'wait 60']],
  ['pendingCancel', 'restoreNew', keeps, ['buy A o1 AAPL 1 @90', 'cancel A o1', 'wait 60']],
  [
    'pendingCancel',
    'restorePart',
    { ...displayed, ...keeps },
    [part, 'buy A o1 AAPL 10 @100', 'cancel A o1', 'wait 60'],
  ],
  [
    'pendingReplace',
    'fillPart',
    { ...displayed, ...replaces },
    ['buy A o1 AAPL 10 @90', 'change o1 91', 'quote AAPL 89 90 5 4'],
  ],
  ['pendingReplace', 'replace', replaces, ['buy A o1 AAPL 1 @90', 'change o1 91', 'wait 60']],
  ['pendingReplace', 'restoreNew', keepsReplaced, ['buy A o1 AAPL 1 @90', 'change o1 91', 'wait 60']],
  [
    'pendingReplace',
    'restorePart',
    { ...displayed, ...keepsReplaced },
    [part, 'buy A o1 AAPL 10 @100', 'change o1 99', 'wait 60'],
  ],
]

const STATUSES = Object.keys(moves) as OrderStatus[]
const MOVES: readonly OrderMove[] = [
  ...new Set(STATUSES.flatMap((status) => Object.keys(moves[status]) as OrderMove[])),
]

/** Runs a script. Additional lines: `change o1 91` replaces an order, `asleep …` sets the time without running the agenda. */
function worldAfter(settings: Partial<WorldSettings>, lines: readonly string[]): TestWorld {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) {
    const [verb, first = '', second = ''] = line.split(' ')
    if (verb === 'change') change(world, first, second)
    else if (verb === 'asleep') world.now = must(parseInstant(first))
    else {
      world.run(line)
      continue
    }
    world.run('wait 0')
  }
  return world
}

function change(world: TestWorld, name: string, price: string): void {
  const { id: orderId, accountId, trigger } = world.state.orders.get(world.orders.get(name)!)!
  const to = amount(price) as Price
  const decision = world.submit({
    kind: 'replaceOrder',
    accountId,
    orderId,
    ...(trigger ? { stop: to } : { limit: to }),
  })
  assert.ok(decision.ok, 'not replaced')
}

/** Every move of an order, as `from move`. */
function movesIn(world: TestWorld, orderId: OrderId): string[] {
  const state = emptyState()
  const found: string[] = []
  for (const event of world.events) {
    const before = state.orders.get(orderId)?.status
    apply(state, event)
    const after = state.orders.get(orderId)?.status
    const move =
      'orderId' in event && event.orderId === orderId ? moveOf(event as OrderEvent, after) : undefined
    if (before && move) {
      assert.equal(statusAfter(before, move), after)
      found.push(`${before} ${move}`)
    }
  }
  return found
}

function moveOf(event: OrderEvent, after: OrderStatus | undefined): OrderMove | undefined {
  switch (event.kind) {
    case 'orderReleased':
      return 'release'
    case 'orderAcknowledged':
      return 'work'
    case 'orderActivated':
      return 'activate'
    case 'orderFilled':
      return after === 'filled' ? 'fillAll' : 'fillPart'
    case 'orderCanceled':
      return 'cancel'
    case 'orderExpired':
      return 'expire'
    case 'orderReplaced':
      return 'replace'
    case 'orderRejected':
      return 'reject'
    case 'orderCancelRequested':
      return 'requestCancel'
    case 'orderReplaceRequested':
      return 'requestReplace'
    case 'orderDoneForDay':
      return 'endDay'
    case 'orderResumed':
    case 'orderCancelRejected':
    case 'orderReplaceRejected':
      return after === 'new' ? 'restoreNew' : after === 'pendingNew' ? 'restorePending' : 'restorePart'
    default:
      return undefined
  }
}

for (const [from, move, settings, lines, name = 'o1'] of scripts)
  test(`${from}, ${move}: ${lines.join('; ')}`, () => {
    const world = worldAfter(settings, lines)
    assert.ok(movesIn(world, world.orders.get(name)!).includes(`${from} ${move}`))
  })

test('every move of the table has a script, and every script is a move of the table', () => {
  const legal = STATUSES.flatMap((status) => Object.keys(moves[status]).map((move) => `${status} ${move}`))
  assert.deepEqual(scripts.map(([from, move]) => `${from} ${move}`).sort(), legal.sort())
})

test('an elected stop-loss works: held, activate', () => {
  const world = worldAfter({}, ['buy A o1 AAPL 1 oto loss=95', 'quote AAPL 94 95', 'trade AAPL 95'])
  const { status, trigger } = world.state.orders.get(world.orders.get('o1.loss')!)!
  assert.ok(status === 'filled' && trigger?.electedAt !== undefined)
})

for (const status of STATUSES)
  for (const move of MOVES)
    if (!moves[status][move])
      test(`${status}: ${move} is a bug`, () =>
        assert.throws(() => statusAfter(status, move), /^Error: bug: /))

test('the fast path of statusAfter matches the table', () => {
  for (const status of STATUSES)
    for (const [move, next] of Object.entries(moves[status]))
      assert.equal(statusAfter(status, move as OrderMove), next)
})

test('an order is open exactly if its status has moves', () => {
  for (const status of STATUSES) assert.equal(isOpen({ status }), Object.keys(moves[status]).length > 0)
})

test('an event for an ended order is a bug and is not applied', () => {
  const world = worldAfter({}, ['buy A o1 AAPL 1'])
  const orderId = world.orders.get('o1')!
  const accountId = world.accounts.get('A')!
  const at = world.now
  const late: readonly OrderEvent[] = [
    { kind: 'orderReleased', at, accountId, orderId, due: at },
    { kind: 'orderAcknowledged', at, accountId, orderId },
    { kind: 'orderActivated', at, accountId, orderId },
    { kind: 'orderCanceled', at, accountId, orderId, why: 'asked' },
    { kind: 'orderExpired', at, accountId, orderId },
    { kind: 'orderReplaced', at, accountId, orderId, by: orderId },
    { kind: 'orderRejected', at, accountId, orderId, why: 'market' },
    { kind: 'orderCancelRequested', at, accountId, orderId, confirmAt: at },
  ]
  for (const event of late) assert.throws(() => apply(world.state, event), /bug: \w+ on a filled order/)
})
