import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { RequestId, Ticker } from '../ids.ts'
import { customer, shares, supply, tokens, WALLETS } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { forget } from '../state/forget.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'
import { findRequest } from './find.ts'
import { publicStatus, requestMoves } from './moves.ts'

const scene = [
  'open A 10000',
  'open B 10000',
  'open I 0',
  'issuer I xstocks AAPL,TSLA solana,base',
  'link A xstocks',
  'quote AAPL 99 100',
  'quote TSLA 99 100',
  'quote NVDA 99 100',
  'buy A o1 AAPL 10',
  'buy A o2 NVDA 10',
  'buy B o3 AAPL 10',
]

/** The steps of a mint until it is completed. */
const mintSteps = ['job m1', 'accept m1', 'job m1', 'confirm m1', 'job m1', 'complete m1 0xabc']

function worldAfter(...lines: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const line of [...scene, ...lines]) world.run(line)
  return world
}

for (const [given, when, then] of [
  [[], 'mint A m1 AAPL 10', 'mintRequested'],
  [[], 'mint A m1 AAPL 0.000000001 on=base', 'mintRequested'],
  [[], 'mint nobody m1 AAPL 1', 'accountNotFound'],
  [['block A transfers'], 'mint A m1 AAPL 1', 'tokenizationBlocked'],
  [['block A account'], 'mint A m1 AAPL 1', 'tokenizationBlocked'],
  [['block A trading'], 'mint A m1 AAPL 1', 'mintRequested'],
  [[], 'block I account', 'accountHoldsCustody'],
  [[], 'mint B m1 AAPL 1', 'tokenizationNotSupported'],
  [[], 'mint A m1 AAPL 1 by=st0x', 'tokenizationNotSupported'],
  [[], 'mint A m1 NVDA 1', 'tokenNotSupported'],
  [[], 'mint A m1 AAPL 1 on=ton', 'tokenNotSupported'],
  [[], 'mint A m1 TSLA 1', 'tokenizationNoPosition'],
  [[], 'mint A m1 AAPL 10.000000001', 'tokenizationInsufficientPosition'],
  [['sell A s AAPL 4 @200'], 'mint A m1 AAPL 7', 'tokenizationInsufficientPosition'],
  [['sell A s AAPL 4 @200'], 'mint A m1 AAPL 6', 'mintRequested'],
  [['sell A s AAPL 4 @200', 'cancel A s'], 'mint A m1 AAPL 7', 'mintRequested'],
  [['mint A m1 AAPL 6'], 'mint A m2 AAPL 5', 'tokenizationInsufficientPosition'],
  [['mint A m1 AAPL 6'], 'sell A s AAPL 5 @200', 'insufficientQuantity'],
  [['mint A m1 AAPL 6', 'job m1', 'refuse m1'], 'mint A m2 AAPL 10', 'mintRequested'],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1'], 'mint A m2 AAPL 5', 'tokenizationInsufficientPosition'],
  [['mint A m1 AAPL 10', ...mintSteps], 'mint A m2 AAPL 1', 'tokenizationNoPosition'],
  [['mint A m1 AAPL 10', ...mintSteps], 'sell I s AAPL 1', 'accountNotAllowedToTrade'],
  // A label need not be unique.
  [['mint A m1 AAPL 2 label=l'], 'mint A m2 AAPL 2 label=l', 'mintRequested'],
  // Repeated, early and late responses change nothing.
  [['mint A m1 AAPL 6'], 'accept m1', ''],
  [['mint A m1 AAPL 6', 'job m1'], 'confirm m1', ''],
  [['mint A m1 AAPL 6', 'job m1'], 'complete m1', ''],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1'], 'accept m1', ''],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1'], 'refuse m1', ''],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1'], 'complete m1', 'mintCompleted'],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1', 'complete m1'], 'confirm m1', ''],
  [['mint A m1 AAPL 6', ...mintSteps], 'complete m1 0xabc', ''],
  [['mint A m1 AAPL 6', ...mintSteps], 'deny m1', ''],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1', 'deny m1'], 'complete m1', ''],
  [['mint A m1 AAPL 6', 'job m1', 'accept m1', 'job m1', 'confirm m1'], 'deny m1', ''],
  // Issuers and links.
  [[], 'link A st0x', 'issuerNotFound'],
  [[], 'link A xstocks', ''],
  [[], 'link I xstocks', 'issuerAccountInvalid'],
  [[], 'issuer A st0x AAPL solana', 'issuerAccountInvalid'],
  [[], 'issuer I st0x AAPL solana', 'issuerAccountInvalid'],
  [[], 'issuer B xstocks AAPL solana', 'issuerAccountInvalid'],
  [[], 'issuer I xstocks AAPL,NVDA solana', 'issuerRegistered'],
  [['open J 5', 'buy J o AAPL 1 @1'], 'issuer J st0x AAPL solana', 'issuerAccountInvalid'],
] as const)
  test(`${[...given, when].join('; ')}: ${then || 'nothing'}`, () => {
    assert.equal(outcomeOf(...scene, ...given, when), then)
  })

test('the status of a mint after each step; its public status is pending until it is completed', () => {
  const world = worldAfter('mint A m1 AAPL 4')
  const id = world.requests.get('m1')!
  const statuses = [null, ...mintSteps].map((line) => {
    if (line) world.run(line)
    const request = world.state.requests.get(id)!
    return `${request.status} ${publicStatus(request)}`
  })
  assert.deepEqual(statuses, [
    'received pending',
    'validating pending',
    'transferred pending',
    'transferred pending',
    'confirmed pending',
    'confirmed pending',
    'completed completed',
  ])
  const accountOf = (name: string) => customer(world.accounts.get(name)!, 'settled')
  assert.equal(balance(world.state.ledger, accountOf('A'), shares('AAPL' as Ticker)), -4_000_000_000n)
  assert.equal(balance(world.state.ledger, accountOf('I'), shares('AAPL' as Ticker)), 4_000_000_000n)
  const token = tokens('AAPLx', 'solana')
  assert.equal(balance(world.state.ledger, WALLETS, token), 4_000_000_000n)
  assert.equal(balance(world.state.ledger, supply('xstocks'), token), -4_000_000_000n)
  assert.equal(world.state.jobs.size, 0)
  assert.equal(world.state.requests.get(id)!.txHash, '0xabc')
})

test('shares bought today can be minted today, before they settle', () => {
  const world = worldAfter('mint A m1 AAPL 10', 'job m1', 'accept m1')
  const account = customer(world.accounts.get('A')!, 'settled')
  assert.equal(balance(world.state.ledger, account, shares('AAPL' as Ticker)), -10_000_000_000n)
  world.run('until 2026-11-04T15:00:00Z')
  assert.equal(balance(world.state.ledger, account, shares('AAPL' as Ticker)), 0n)
})

for (const [step, lines] of [
  ['the issuer is asked', ['job m1', 'refuse m1']],
  ['the issuer confirms the shares', ['job m1', 'accept m1', 'job m1', 'deny m1']],
] as const)
  test(`rejected when ${step}: the shares are released with their original cost`, () => {
    const world = worldAfter('quote AAPL 99 100.01', 'buy A o9 AAPL 0.3', 'mint A m1 AAPL 3.333333333')
    const position = () => world.state.positions.get(world.accounts.get('A')!)!.get('AAPL' as Ticker)
    const before = position()
    for (const line of lines) world.run(line)
    assert.deepEqual(position(), before)
    assert.equal(world.state.positions.get(world.accounts.get('I')!)?.size ?? 0, 0)
    assert.equal(publicStatus(world.state.requests.get(world.requests.get('m1')!)!), 'rejected')
    assert.equal(world.state.jobs.size, 0)
  })

test('returned shares keep their original cost, whatever was bought meanwhile', () => {
  const world = worldAfter('mint A m1 AAPL 5', 'job m1', 'accept m1', 'quote AAPL 199 200', 'buy A o9 AAPL 5')
  world.run('deny m1')
  const position = world.state.positions.get(world.accounts.get('A')!)!.get('AAPL' as Ticker)!
  assert.equal(format(position.quantity), '15')
  assert.equal(format(position.costBasis), '2000')
  assert.equal(world.state.positions.get(world.accounts.get('I')!)!.size, 0)
})

test('pending requests are never forgotten', () => {
  const world = worldAfter('mint A m1 AAPL 6', 'job m1', 'accept m1')
  forget(world.state, world.state.seq)
  assert.equal(world.state.requests.size, 1)
  assert.equal(world.run('job m1'), 'jobStarted')
})

test('a request is visible only to its account', () => {
  const { state, accounts, requests } = worldAfter('mint A m1 AAPL 1')
  const id = requests.get('m1')!
  assert.equal(findRequest(state, accounts.get('A')!, id)?.id, id)
  assert.equal(findRequest(state, accounts.get('B')!, id), undefined)
  assert.equal(findRequest(state, accounts.get('A')!, 'other' as RequestId), undefined)
})

test('completed and rejected have no moves, and every other status has one', () => {
  const ends = Object.entries(requestMoves).filter(([, moves]) => Object.keys(moves).length === 0)
  assert.deepEqual(
    ends.map(([status]) => status),
    ['completed', 'rejected'],
  )
})
