import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Money } from '../amount.ts'
import type { AccountId, PartnerId, Ticker } from '../ids.ts'
import { customer, shares, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { TestWorld } from '../testing/world.ts'
import { cashOf } from './balances.ts'
import { DETAILS_MAX, detailsRecord } from './partner/details.ts'

const accounts = ['open A 1000', 'open B 500', 'quote AAPL 100 100', 'trade AAPL 100']
const holding = [...accounts, 'buy A o1 AAPL 5']
const uneven = [
  ...accounts,
  ...['quote AAPL 33.33 33.33', 'buy A u1 AAPL 1', 'quote AAPL 33.34 33.34', 'buy A u2 AAPL 2'],
]
const settling = [...holding, 'until 2026-11-03T15:30:00Z', 'quote AAPL 100 100', 'trade AAPL 100']
const shorting = ['reset B 5000', 'sell B s1 AAPL 2 @120']
const minting = [...holding, 'open I 0', 'issuer I xstocks AAPL solana', 'link A xstocks', 'mint A m1 AAPL 2']

// The outcome of a line, and then cash and positions of A and B.
for (const [lines, line, then, a, b] of [
  [accounts, 'deposit A 250.25', 'transferBooked', '1250.25', '500'],
  [accounts, 'withdraw A 1000', 'transferBooked', '0', '500'],
  [accounts, 'withdraw A 1000.01', 'insufficientWithdrawable', '1000', '500'],
  [accounts, 'deposit X 1', 'accountNotFound', '1000', '500'],
  // An open buy holds its money.
  [[...accounts, 'buy A o1 AAPL 3 @99'], 'withdraw A 703', 'transferBooked', '297', '500'],
  [[...accounts, 'buy A o1 AAPL 3 @99'], 'withdraw A 703.01', 'insufficientWithdrawable', '1000', '500'],
  // Proceeds of a sale can be withdrawn after settlement; the cost of a purchase reduces the amount immediately.
  [holding, 'withdraw A 500', 'transferBooked', '0 5@500', '500'],
  [holding, 'withdraw A 500.01', 'insufficientWithdrawable', '500 5@500', '500'],
  [[...settling, 'sell A o2 AAPL 5'], 'withdraw A 500.01', 'insufficientWithdrawable', '1000', '500'],
  [[...settling, 'sell A o2 AAPL 5', 'wait 90000'], 'withdraw A 1000', 'transferBooked', '0', '500'],

  // A loan, a short and the initial margin of positions reduce the withdrawable amount.
  [
    [...accounts, 'reset A -100 AAPL:30'],
    'withdraw A 0.01',
    'insufficientWithdrawable',
    '-100 30@3000',
    '500',
  ],
  [
    [...accounts, 'reset A 3000 AAPL:-10'],
    'withdraw A 1500.01',
    'insufficientWithdrawable',
    '3000 -10@-1000',
    '500',
  ],
  [[...accounts, 'reset A 3000 AAPL:-10'], 'withdraw A 1500', 'transferBooked', '1500 -10@-1000', '500'],

  [accounts, 'jnlc A B 400', 'bookTransferMade', '600', '900'],
  [accounts, 'jnlc A B 1000.01', 'insufficientWithdrawable', '1000', '500'],
  [accounts, 'jnlc A A 1', 'journalToSelf', '1000', '500'],
  [accounts, 'jnlc A X 1', 'accountNotFound', '1000', '500'],
  [accounts, 'jnlc X A 1', 'accountNotFound', '1000', '500'],
  [holding, 'jnls A B AAPL 2', 'bookTransferMade', '500 3@300', '500 2@200'],
  [uneven, 'jnls A B AAPL 1', 'bookTransferMade', '899.99 2@66.673333333', '500 1@33.336666667'],
  [holding, 'jnls A B AAPL 5', 'bookTransferMade', '500', '500 5@500'],
  [holding, 'jnls A B AAPL 5.1', 'insufficientShares', '500 5@500', '500'],
  [holding, 'jnls B A AAPL 1', 'insufficientShares', '500 5@500', '500'],
  [[...holding, 'sell A o2 AAPL 4 @120'], 'jnls A B AAPL 2', 'insufficientShares', '500 5@500', '500'],
  [[...holding, 'reset B 500 AAPL:-2'], 'jnls A B AAPL 1', 'receiverIsShort', '500 5@500', '500 -2@-200'],
  [[...holding, 'reset B 500 AAPL:-2'], 'jnls B A AAPL 1', 'insufficientShares', '500 5@500', '500 -2@-200'],
  // An account with an open short sale cannot receive shares: a fill would turn the long into a short.
  [[...holding, ...shorting], 'jnls A B AAPL 1', 'receiverIsShort', '500 5@500', '5000'],
  [
    [...holding, ...shorting, 'cancel B s1'],
    'jnls A B AAPL 1',
    'bookTransferMade',
    '500 4@400',
    '5000 1@100',
  ],
  [[...holding, 'reset B 500 AAPL:2:300'], 'jnls A B AAPL 1', 'bookTransferMade', '500 4@400', '500 3@400'],
  [
    [...holding, 'reset B 500 AAPL:2:300', 'sell B s1 AAPL 2 @120'],
    'jnls A B AAPL 1',
    'bookTransferMade',
    '500 4@400',
    '500 3@400',
  ],
  [[...minting, 'reset B 0'], 'jnls A I AAPL 1', 'accountHoldsCustody', '500 5@500', '0'],
  [accounts, 'jnls A B NOSUCH 1', 'insufficientShares', '1000', '500'],

  [accounts, 'block A trading transfers', 'accountBlocked', '1000', '500'],
  [[...accounts, 'block A trading'], 'block A trading', '', '1000', '500'],
  [accounts, 'unblock A account', '', '1000', '500'],
  [[...accounts, 'block A account'], 'unblock A trading account', 'accountUnblocked', '1000', '500'],
  [[...accounts, 'block A account', 'unblock A account'], 'withdraw A 1', 'transferBooked', '999', '500'],
  [[...accounts, 'block A transfers'], 'withdraw A 1', 'transfersBlocked', '1000', '500'],
  [[...accounts, 'block A trading'], 'withdraw A 1', 'transferBooked', '999', '500'],
  [[...accounts, 'block B account'], 'jnlc A B 1', 'transfersBlocked', '1000', '500'],
  [[...accounts, 'block A trading'], 'buy A o1 AAPL 1', 'tradingBlocked', '1000', '500'],
  [[...accounts, 'buy A o1 AAPL 1 @90', 'block A account'], 'cancel A o1', 'orderCanceled', '1000', '500'],
  // Orders that were open before the block still fill.
  [
    [...accounts, 'buy A o1 AAPL 1 @90', 'wait 1', 'block A account'],
    'quote AAPL 90 90',
    'orderFilled',
    '910 1@90',
    '500',
  ],
  [[...accounts, 'close A'], 'block A account', 'accountIsClosed', '0', '500'],
  [accounts, 'block X account', 'accountNotFound', '1000', '500'],

  [holding, 'reset A 2500', 'accountReset', '2500', '500'],
  [holding, 'reset A -10 AAPL:3:270', 'accountReset', '-10 3@270', '500'],
  [holding, 'reset A 0 AAPL:3', 'accountReset', '0 3@300', '500'],
  [holding, 'reset A 900 AAPL:-3:-310', 'accountReset', '900 -3@-310', '500'],
  // The cost of a short may be negative or positive in the request.
  [holding, 'reset A 900 AAPL:-3:310', 'accountReset', '900 -3@-310', '500'],
  [holding, 'reset A 900 AAPL:0', 'accountReset', '900', '500'],
  [
    [...holding, 'buy A o2 AAPL 1 @90', 'sell A o3 AAPL 1 @120'],
    'reset A 7',
    'orderCanceled orderCanceled accountReset',
    '7',
    '500',
  ],
  [holding, 'reset A 1 NOSUCH:1', 'assetNotFound', '500 5@500', '500'],
  [holding, 'reset A 1 AAPL:1 AAPL:2', 'duplicatePosition', '500 5@500', '500'],
  [[...holding, 'trade BTC/USD 60000'], 'reset A 1 BTC/USD:-1', 'assetNotShortable', '500 5@500', '500'],
  [[...holding, 'quote KO 50 51'], 'reset A 1 KO:1', 'noPrice', '500 5@500', '500'],
  [[...holding, 'quote KO 50 51'], 'reset A 1 KO:1:49', 'accountReset', '1 1KO@49', '500'],
  [holding, 'reset X 1', 'accountNotFound', '500 5@500', '500'],
  [minting, 'reset A 1', 'mintsPending', '500 5@500', '500'],
  [minting, 'reset I 1', 'accountHoldsCustody', '500 5@500', '500'],
  [[...accounts, 'close A'], 'reset A 1', 'accountIsClosed', '0', '500'],

  [accounts, 'close A', 'accountClosed', '0', '500'],
  [holding, 'close A', 'accountNotEmpty', '500 5@500', '500'],
  [[...accounts, 'buy A o1 AAPL 1 @90'], 'close A', 'accountNotEmpty', '1000', '500'],
  [[...holding, 'buy A o2 AAPL 1 @90'], 'close A empty', 'orderCanceled accountClosed', '0', '500'],
  [[...accounts, 'reset A -5'], 'close A', 'accountCashNegative', '-5', '500'],
  [[...accounts, 'reset A -5'], 'close A empty', 'accountClosed', '0', '500'],
  [[...accounts, 'close A'], 'close A', 'accountIsClosed', '0', '500'],
  [[...accounts, 'close A'], 'deposit A 1', 'accountIsClosed', '0', '500'],
  [[...accounts, 'close A'], 'jnlc B A 1', 'accountIsClosed', '0', '500'],
  [minting, 'close A empty', 'mintsPending', '500 5@500', '500'],
  [minting, 'close I', 'accountHoldsCustody', '500 5@500', '500'],
] as readonly (readonly [readonly string[], string, string, string, string])[])
  test(`${lines.slice(4).join('; ')}; ${line}: ${then}`, () => {
    const world = worldAfter(lines)
    const before = world.state.seq
    assert.equal(world.run(line), then)
    assert.deepEqual([holdingsText(world, 'A'), holdingsText(world, 'B')], [a, b])
    const isAccepted =
      /(Booked|Made|Reset|Closed|Unblocked|accountBlocked|Canceled|Filled)$/.test(then) &&
      then !== 'accountIsClosed'
    assert.equal(world.state.seq > before, isAccepted, 'a refusal creates no event')
  })

function worldAfter(lines: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const line of lines) world.run(line)
  return world
}

/** `500 5@500`: cash, then shares of AAPL (other symbols are named) at their cost basis. */
function holdingsText(world: TestWorld, name: string): string {
  const id = world.accounts.get(name)!
  const positions = [...(world.state.positions.get(id)?.values() ?? [])].map(
    ({ symbol, quantity, costBasis }) =>
      ` ${format(quantity)}${symbol === 'AAPL' ? '' : symbol}@${format(costBasis)}`,
  )
  return format(cashOf(world.state, id)) + positions.join('')
}

test('a reset leaves only settled amounts', () => {
  const world = worldAfter([...holding, 'reset A 100 AAPL:2'])
  const id = world.accounts.get('A')!
  const balanceOf = (part: 'settled' | 'unsettled', asset = USD) =>
    balance(world.state.ledger, customer(id, part), asset)
  assert.deepEqual([balanceOf('settled'), balanceOf('unsettled')].map(format), ['100', '0'])
  assert.equal(format(balanceOf('settled', shares('AAPL' as Ticker))), '2')
  assert.equal(world.state.unsettled.has(id), false)
  assert.equal(format(world.state.accounts.get(id)!.lastEquity), '300')
  assert.equal(world.run('wait 200000').includes('accountSettled'), false)
})

test('after a reset the account can trade, and used client order ids stay taken', () => {
  const world = worldAfter([...holding, 'reset A 1000'])
  assert.equal(world.run('buy A o1 AAPL 1'), 'clientOrderIdTaken')
  assert.match(world.run('buy A o2 AAPL 1'), /^orderAccepted .*orderFilled/)
  assert.equal(holdingsText(world, 'A'), '900 1@100')
})

test('a closed account cannot trade', () => {
  assert.equal(worldAfter([...accounts, 'close A']).run('buy A o1 AAPL 1'), 'accountNotAllowedToTrade')
})

for (const [cash, rest, then] of [
  ['10', 'AAPL:2', '10 2@200'],
  ['0', 'AAPL:2:150', '0 2@150'],
  ['10', 'AAPL:-2', '10 -2@-200'],
] as const)
  test(`an account is opened with ${cash} and ${rest}`, () => {
    const world = worldAfter([...accounts, `open C ${cash} paper ${rest}`])
    assert.equal(holdingsText(world, 'C'), then)
  })

test('an account requested twice with one client id is opened once', () => {
  const world = worldAfter([...accounts, 'open C 10 paper id=mine'])
  assert.equal(world.run('open C 10 paper id=mine'), '')
  assert.equal(world.run('open C 10 paper AAPL:1 id=mine'), 'accountIdReused')
  assert.equal(world.run('open D 10 paper id=other'), 'accountOpened')
  assert.equal(world.state.accounts.size, 4)
})

test("another partner's account is not found, and its client ids are separate", () => {
  const world = worldAfter([...accounts, 'open C 10 paper id=mine'])
  world.submit({ kind: 'addPartner', name: 'another' })
  const partnerId = [...world.state.partners.keys()][1] as PartnerId
  const [accountId, other] = [world.accounts.get('A') as AccountId, world.accounts.get('B') as AccountId]
  const amount = 1_000_000_000n as Money
  for (const command of [
    { kind: 'updateAccount', accountId, partnerId, patch: '{}' },
    { kind: 'closeAccount', accountId, partnerId, empty: false },
    { kind: 'resetAccount', accountId, partnerId, cash: amount, positions: [] },
    { kind: 'transferMoney', accountId, partnerId, direction: 'in', method: 'ach', amount },
    { kind: 'makeBookTransfer', partnerId, from: accountId, to: other, what: { kind: 'cash', amount } },
  ] as const) {
    const decision = world.submit(command)
    assert.equal(!decision.ok && decision.reason.code, 'accountNotFound', command.kind)
  }
  const client = { id: 'mine', bodyHash: 'of another' }
  assert.ok(world.submit({ kind: 'openAccount', flavour: 'paper', partnerId, cash: amount, client }).ok)
  const otherAccount = [...world.state.accounts.keys()].at(-1)!
  const what = { kind: 'cash', amount } as const
  const across = world.submit({ kind: 'makeBookTransfer', from: accountId, to: otherAccount, what })
  assert.equal(!across.ok && across.reason.code, 'journalAcrossPartners')
})

for (const [before, patch, after] of [
  [undefined, { contact: { city: 'Lima' } }, { contact: { city: 'Lima' } }],
  [
    { contact: { city: 'Lima', phone: '1' } },
    { contact: { phone: '2' } },
    { contact: { city: 'Lima', phone: '2' } },
  ],
  [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
] as const)
  test(`${JSON.stringify(before)} patched with ${JSON.stringify(patch)}`, () => {
    const world = worldAfter(accounts)
    const accountId = world.accounts.get('A')!
    if (before) world.submit({ kind: 'updateAccount', accountId, patch: JSON.stringify(before) })
    world.submit({ kind: 'updateAccount', accountId, patch: JSON.stringify(patch) })
    assert.deepEqual(detailsRecord(world.state.accounts.get(accountId)!.details!), after)
  })

test('account details have a maximum size, when the account is opened and when it is updated', () => {
  const world = worldAfter(accounts)
  const details = JSON.stringify({ a: 'x'.repeat(DETAILS_MAX) })
  const { partnerId } = world
  const cash = 0n as Money
  for (const command of [
    { kind: 'openAccount', flavour: 'paper', partnerId, cash, details },
    { kind: 'updateAccount', accountId: world.accounts.get('A')!, patch: details },
  ] as const) {
    const decision = world.submit(command)
    assert.equal(!decision.ok && decision.reason.code, 'accountDetailsTooLarge')
  }
})
