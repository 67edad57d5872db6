import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { customer, shares, supply, tokens, WALLETS } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { forget } from '../state/forget.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'
import { inCustody } from './custody.ts'

const scene = [
  'open A 10000',
  'open B 10000',
  'open I 0',
  'issuer I xstocks AAPL,TSLA solana,base external',
  'link A xstocks',
  'requestlink B xstocks',
  'linked B xstocks b-1',
  'quote AAPL 99 100',
  'quote TSLA 99 100',
  'buy A o1 AAPL 10',
]
/** Six tokens are in a wallet. */
const minted = ['mint A m1 AAPL 6', 'job m1', 'accept m1', 'job m1', 'confirm m1', 'complete m1 0xabc']
const done = 'redeemRequested redeemCompleted'

for (const [given, when, then] of [
  [minted, 'redeem A r1 AAPL 6', done],
  [minted, 'redeem A r1 AAPL 0.000000001', done],
  // Participants and their ids.
  [minted, 'redeem B r1 AAPL 2', 'tokenizationNotSupported'],
  [minted, 'redeem - r1 AAPL 2 ext=b-1', done],
  [minted, 'redeem - r1 AAPL 2 ext=b-2', 'tokenizationNotSupported'],
  [minted, 'redeem I r1 AAPL 2', 'tokenizationNotSupported'],
  [minted, 'redeem nobody r1 AAPL 2', 'tokenizationNotSupported'],
  [[...minted, 'unlink A xstocks'], 'redeem A r1 AAPL 2', 'tokenizationNotSupported'],
  [
    [...minted, 'unlink B xstocks', 'requestlink B xstocks'],
    'redeem - r1 AAPL 2 ext=b-1',
    'tokenizationNotSupported',
  ],
  // A position is long or short, never both.
  [[...minted, 'sell B s AAPL 1'], 'redeem - r1 AAPL 2 ext=b-1', 'accountIsShort'],
  [[...minted, 'sell B s AAPL 1 @200'], 'redeem - r1 AAPL 2 ext=b-1', 'accountIsShort'],
  [[...minted, 'sell A s AAPL 4'], 'sell A t AAPL 1', 'orderAccepted orderAcknowledged orderFilled'],
  [[...minted.slice(0, -1), 'sell A s AAPL 4'], 'sell A t AAPL 1', 'sharesInTransit'],
  // Tokens and networks.
  [minted, 'redeem A r1 AAPL 2 by=st0x', 'issuerNotFound'],
  [minted, 'redeem A r1 TSLA 2', 'tokenSupplyExceeded'],
  [minted, 'redeem A r1 NVDA 2', 'tokenNotSupported'],
  [minted, 'redeem A r1 AAPL 2 token=tAAPL', 'tokenNotSupported'],
  [minted, 'redeem A r1 AAPL 2 on=base', 'tokenSupplyExceeded'],
  [minted, 'redeem A r1 AAPL 2 on=ton', 'tokenNotSupported'],
  // Tokens of a network that is no longer listed can still be redeemed.
  [[...minted, 'issuer I xstocks AAPL base'], 'redeem A r1 AAPL 2', done],
  [[...minted, 'issuer I xstocks AAPL base'], 'redeem A r1 AAPL 2 on=base', 'tokenSupplyExceeded'],
  // Blocks on transfers.
  [[...minted, 'block A transfers'], 'redeem A r1 AAPL 2', 'tokenizationBlocked'],
  [[...minted, 'block A account'], 'redeem A r1 AAPL 2', 'tokenizationBlocked'],
  [[...minted, 'block A trading'], 'redeem A r1 AAPL 2', done],
  [minted, 'redeem A r1 AAPL 6.000000001', 'tokenSupplyExceeded'],
  [[...minted, 'redeem A r1 AAPL 4'], 'redeem A r2 AAPL 3', 'tokenSupplyExceeded'],
  [minted.slice(0, -1), 'redeem A r1 AAPL 1', 'tokenSupplyExceeded'],
  // An issuer's request id is valid once.
  [[...minted, 'redeem A r1 AAPL 1 id=x'], 'redeem A r2 AAPL 1 id=x', 'issuerRequestIdReused'],
  [[...minted, 'redeem A r1 AAPL 9 id=x'], 'redeem A r2 AAPL 1 id=x', done],
] as const)
  test(`${[...given, when].join('; ')}: ${then || 'nothing'}`, () => {
    assert.equal(outcomeOf(...scene, ...given, when), then)
  })

test('a redeem moves the shares with their cost and burns the tokens', () => {
  const world = worldAfter(...minted, 'redeem - r1 AAPL 4 ext=b-1')
  const { state, accounts } = world
  const position = state.positions.get(accounts.get('B')!)!.get('AAPL' as Ticker)!
  assert.equal(`${format(position.quantity)} for ${format(position.costBasis)}`, '4 for 400')
  assert.equal(format(inCustody(state, state.issuers.get('xstocks' as never)!, 'AAPL' as Ticker)), '2')
  const token = tokens('AAPLx', 'solana')
  assert.equal(balance(state.ledger, WALLETS, token), 2_000_000_000n)
  assert.equal(balance(state.ledger, supply('xstocks'), token), -2_000_000_000n)
  assert.equal(
    balance(state.ledger, customer(accounts.get('B')!, 'settled'), shares('AAPL' as Ticker)),
    4_000_000_000n,
  )
})

test('an account with a pending redeem cannot be closed', () => {
  const builtinScene = scene
    .map((line) => line.replace(' external', ''))
    .filter((line) => !/ B xstocks/.test(line))
  const world = new TestWorld()
  for (const line of [...builtinScene, 'link B xstocks', ...minted, 'behave xstocks hold']) world.run(line)
  assert.equal(world.run('redeem B r1 AAPL 4'), 'redeemRequested')
  assert.equal(world.run('close B empty'), 'mintsPending')
  assert.equal(world.run('forbid r1'), 'redeemRejected')
  assert.equal(world.run('close B empty'), 'accountClosed')
  assert.equal(world.run('behave xstocks complete'), 'behaviourSet')
  assert.equal(world.run('redeem A r2 AAPL 6'), done)
})

test("a forgotten issuer's request id is known from the query tables", () => {
  const world = worldAfter(...minted, 'redeem A r1 AAPL 1 id=x')
  const requestId = world.requests.get('r1')!
  forget(world.state, world.state.seq)
  assert.equal(world.state.issuerRequestIds.size, 0)
  const redeem = {
    kind: 'requestRedeem',
    issuer: 'xstocks',
    participant: { accountId: world.accounts.get('A')! },
    network: 'solana',
    underlying: 'AAPL',
    tokenSymbol: 'AAPLx',
    quantity: 1_000_000_000n,
    quantityText: '1',
    wallet: 'wallet',
    txHash: '0x1',
    issuerRequestId: 'x',
  }
  const again = world.submit({ ...redeem, earlierId: requestId } as never)
  assert.equal(!again.ok && again.reason.code, 'issuerRequestIdReused')
  assert.ok(world.submit(redeem as never).ok)
})

function worldAfter(...lines: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const line of [...scene, ...lines]) world.run(line)
  return world
}
