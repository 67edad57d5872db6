import assert from 'node:assert/strict'
import test from 'node:test'
import type { Position } from './account/account.ts'
import type { Money, Quantity } from './amount.ts'
import { auditFaults } from './audit.ts'
import type { CivilDate } from './civil-date.ts'
import type { AccountId, Ticker } from './ids.ts'
import { customer, shares, USD } from './ledger/chart.ts'
import { move, post } from './ledger/ledger.ts'
import type { State } from './state/state.ts'
import { TestWorld } from './testing/world.ts'

const setup = [
  'open A 10000',
  'open I 0',
  'issuer I xstocks AAPL',
  'link A xstocks',
  'quote AAPL 99 100',
  'buy A o1 AAPL 10',
  'sell A o2 AAPL 2 @120',
  'mint A m1 AAPL 3',
  'mint A m2 AAPL 1',
  'job m2',
  'accept m2',
]
const apple = 'AAPL' as Ticker

function change(state: State, account: AccountId, changed: Partial<Position>): void {
  const positions = state.positions.get(account)!
  positions.set(apple, { ...positions.get(apple)!, ...changed })
}

for (const [what, tamper, then] of [
  ['nothing', () => undefined, /^$/],
  [
    'a balance without a posting',
    (state, a) => state.ledger.get(customer(a, 'settled'))!.set(USD, 1n),
    /the ledger is off by \S+ USD/,
  ],
  [
    'a lost position',
    (state, a) => state.positions.get(a)!.delete(apple),
    /positions of \S+: 0 AAPL recorded, 9000000000/,
  ],
  [
    'a missing hold',
    (state, a) => state.holds.delete(a),
    /holds of \S+: 0 AAPL recorded, 5000000000 calculated/,
  ],
  ['a hold without an order', (state) => state.orders.clear(), /holds of/],
  [
    'a missing unsettled amount',
    (state, a) => state.unsettled.delete(a),
    /unsettled amounts of \S+: 0 USD recorded/,
  ],
  [
    'a cost basis with the wrong sign',
    (state, a) => change(state, a, { costBasis: -1n as Money }),
    /position of \S+ in AAPL: 9000000000 for -1/,
  ],
  [
    'more shares opened today than the position has',
    (state, a) =>
      change(state, a, {
        today: { day: '2026-11-02' as CivilDate, quantity: 10_000_000_000n as Quantity, cost: 0n as Money },
      }),
    /position of \S+ in AAPL: 10000000000 of 9000000000 opened today/,
  ],
  [
    'a hold that exceeds the position',
    (state, a) => state.holds.get(a)!.shares.set(apple, 10_000_000_000n as Quantity),
    /position of \S+ in AAPL: more than 9000000000 is held/,
  ],
  [
    'fees of an unknown account',
    (state) =>
      state.fees.set('nobody' as AccountId, { sec: 1n as Money, taf: 0n as Money, cat: 0n as Money }),
    /fees of nobody: 1 SEC/,
  ],
  ['a missing pending mint', (state) => state.requests.clear(), /custody of xstocks: 1 AAPL held, 0 owed/],
  [
    'shares moved out of custody',
    (state, a, i) => {
      const [from, to] = [customer(i, 'settled'), customer(a, 'settled')]
      post(state.ledger, move(shares(apple), 1n, { from, to }))
    },
    /positions of/,
  ],
] as readonly (readonly [string, (state: State, a: AccountId, i: AccountId) => unknown, RegExp])[])
  test(`an audit finds ${what}`, () => {
    const world = new TestWorld()
    for (const line of setup) world.run(line)
    tamper(world.state, world.accounts.get('A')!, world.accounts.get('I')!)
    assert.match(auditFaults(world.state).join('\n'), then)
  })
