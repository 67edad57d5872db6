import assert from 'node:assert/strict'
import test from 'node:test'
import type { OrderId } from '../ids.ts'
import type { State } from '../state/state.ts'
import { TestWorld } from '../testing/world.ts'
import { waitingFaults } from './faults.ts'

const lines = [
  'open A 100000',
  'quote AAPL 99 100',
  'trade AAPL 100',
  'buy A limit AAPL 1 @90',
  'buy A stop AAPL 1 stop=105',
  'buy A trail AAPL 1 trail=2',
  'buy A close AAPL 1 cls',
  'buy A pair AAPL 1 @95 bracket take=110 loss=90',
]

/** A corruption of the state, and the fault it causes. */
const corruptions: readonly (readonly [(state: State, ids: Record<string, OrderId>) => void, RegExp])[] = [
  [(state) => state.books.clear(), /limit is missing in: book/],
  [(state) => state.triggers.clear(), /stop is missing in: triggers/],
  [
    (state) => state.triggers.get('AAPL' as never)!.trails.regular.buy.orders.splice(0),
    /trail is wrong in the index of trailing stops/,
  ],
  [(state) => state.auctions.clear(), /close is missing in: auctions/],
  [(state) => state.groups.clear(), /pair is missing in the index of its group/],
  [
    (state, { limit }) => state.auctions.get('AAPL' as never)!.set(0n as never, new Set([limit!])),
    /limit does not belong in: auctions/,
  ],
  [
    (state, { pair }) => state.orders.set(pair!, { ...state.orders.get(pair!)!, status: 'filled' }),
    /pair.take waits for a parent that has ended/,
  ],
  [(state, { limit }) => state.groups.set(limit!, new Set([limit!])), /limit does not belong in its group/],
]

for (const [corrupt, expected] of corruptions)
  test(`${expected.source}`, () => {
    const world = new TestWorld({})
    for (const line of lines) assert.ok(/^(orderAccepted|accountOpened|)/.test(world.run(line)))
    assert.deepEqual(waitingFaults(world.state), [])
    const ids = Object.fromEntries(world.orders)
    corrupt(world.state, ids)
    const names = new Map([...world.orders].map(([name, id]) => [id as string, name]))
    const faults = waitingFaults(world.state).map((text) => text.replace(/^\S+/, (id) => names.get(id) ?? id))
    assert.ok(
      faults.some((text) => expected.test(text)),
      faults.join('; '),
    )
  })
