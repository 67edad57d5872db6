import assert from 'node:assert/strict'
import test from 'node:test'
import { itemsAt } from '../agenda.ts'
import type { IssuerCode, Ticker } from '../ids.ts'
import { outcomeOf, TestWorld } from '../testing/world.ts'
import { type Instant, SECOND } from '../time.ts'

const scene = [
  'open A 10000',
  'open I 0',
  'issuer I xstocks AAPL,TSLA solana,base',
  'link A xstocks',
  'quote AAPL 99 100',
  'buy A o1 AAPL 10',
]
const mint = 'mint A m1 AAPL 4'
const linesTo = {
  received: [mint],
  validating: [mint, 'job m1'],
  transferred: [mint, 'job m1', 'accept m1'],
  confirmed: [mint, 'job m1', 'accept m1', 'confirm m1'],
  completed: [mint, 'job m1', 'accept m1', 'confirm m1', 'complete m1'],
  rejected: [mint, 'job m1', 'refuse m1'],
} as const

for (const [status, when, then] of [
  ['received', 'force m1', 'mintAccepted mintTransferred mintCompleted'],
  ['validating', 'force m1', 'mintAccepted mintTransferred mintCompleted'],
  ['transferred', 'force m1', 'mintCompleted'],
  ['confirmed', 'force m1', 'mintCompleted'],
  ['completed', 'force m1', 'tokenizationRequestEnded'],
  ['rejected', 'force m1', 'tokenizationRequestEnded'],
  ['received', 'forbid m1', 'mintRejected'],
  ['validating', 'forbid m1', 'mintRejected'],
  ['transferred', 'forbid m1', 'mintRejected'],
  ['confirmed', 'forbid m1', 'mintRejected'],
  ['completed', 'forbid m1', 'tokenizationRequestEnded'],
  ['received', 'hold m1', 'requestHeld'],
  ['confirmed', 'hold m1', 'requestHeld'],
  ['completed', 'hold m1', 'tokenizationRequestEnded'],
  ['received', 'release m1', ''],
] as const)
  test(`${status}, ${when}: ${then || 'nothing'}`, () => {
    assert.equal(outcomeOf(...scene, ...linesTo[status], when), then)
  })

for (const status of ['received', 'validating', 'transferred', 'confirmed'] as const)
  test(`a ${status} request on hold does not change until it is released`, () => {
    const world = worldAfter(...linesTo[status], 'hold m1')
    for (const line of ['job m1', 'accept m1', 'refuse m1', 'confirm m1', 'deny m1'])
      assert.equal(world.run(line), '', line)
    assert.equal(world.run('hold m1'), '')
    world.run('wait 100000')
    const request = world.state.requests.get(world.requests.get('m1')!)!
    assert.equal(request.status, status)
    assert.equal(world.run('release m1').split(' ')[0], 'requestReleased')
    assert.equal(world.state.requests.get(request.id)?.held, undefined)
  })

test('a callback for a request on hold is refused and has no effect', () => {
  const world = worldAfter(...linesTo.transferred, 'hold m1')
  assert.equal(world.run('complete m1'), 'tokenizationRequestHeld')
  world.run('release m1')
  assert.equal(world.run('complete m1'), 'mintCompleted')
})

test('a mint without a response is rejected, and the issuer is notified, because its acceptance may be lost', () => {
  const world = worldAfter(mint, 'job m1')
  assert.equal(world.run('wait 899'), '')
  assert.equal(world.run('wait 1'), 'mintRejected')
  assert.deepEqual(
    [...world.state.jobs.values()].map(({ kind }) => kind),
    ['issuerReject'],
  )
  assert.deepEqual(world.run('accept m1'), '')
  assert.equal(world.run('acknowledge m1'), 'rejectionReported')
  assert.equal(world.state.jobs.size, 0)
})

test('an issuer that was not asked, or that refused, is not notified of a rejection', () => {
  for (const [given, when] of [
    [['hold m1'], 'forbid m1'],
    [['job m1'], 'refuse m1'],
  ] as const) {
    const world = worldAfter(mint, ...given)
    assert.equal(world.run(when), 'mintRejected')
    assert.equal(world.state.jobs.size, 0)
  }
})

test('late tokens do not end a mint: the shares stay in custody', () => {
  const world = worldAfter(...linesTo.transferred)
  world.run('wait 900000')
  const { status, deadline } = world.state.requests.get(world.requests.get('m1')!)!
  assert.equal(status, 'transferred')
  assert.ok(deadline! < world.now)
  assert.equal(world.run('complete m1'), 'mintCompleted')
})

test('an issuer that accepted is notified of a rejection until it acknowledges', () => {
  const world = worldAfter(...linesTo.transferred, 'forbid m1')
  assert.deepEqual(
    [...world.state.jobs.values()].map(({ kind }) => kind),
    ['issuerReject'],
  )
  assert.equal(world.run('job m1'), 'jobStarted')
  assert.equal(world.run('acknowledge m1'), 'rejectionReported')
  assert.equal(world.state.jobs.size, 0)
  assert.equal(world.run('acknowledge m1'), '')
})

test('the behaviour of the built-in issuer can be set, and an operator can still force a request', () => {
  const world = worldAfter('behave xstocks hold', mint)
  assert.equal(world.run('job m1'), '')
  assert.equal(world.run('release m1'), 'requestReleased')
  assert.equal(world.run('job m1'), 'jobStarted')
  for (const line of ['behave xstocks never', 'accept m1', 'job m1', 'confirm m1']) world.run(line)
  assert.equal(world.state.jobs.size, 0)
  assert.equal(world.run('force m1'), 'mintCompleted')
})

test('an ended request has no agenda items', () => {
  for (const ended of ['force m1', 'forbid m1', 'refuse m1'])
    for (const way of [linesTo.received, linesTo.validating, linesTo.transferred]) {
      const world = worldAfter(...way, ended, 'acknowledge m1')
      if (world.state.requests.get(world.requests.get('m1')!)?.status === 'received') continue
      const left = world.state.agenda.dues.flatMap((due) => [...itemsAt(world.state.agenda, due)])
      const ofRequest = left.filter((item) => 'requestId' in item || item.kind === 'runJob')
      if (world.state.requests.get(world.requests.get('m1')!)?.status === 'rejected')
        assert.deepEqual(ofRequest, [])
      assert.ok(!left.some((item) => item.kind === 'giveUpRequest') || ended === 'refuse m1')
    }
})

test('an external issuer may name the custody account, and is asked once a day', () => {
  const world = new TestWorld()
  const lines = scene.map((line) => (line.startsWith('issuer') ? `${line} external custody` : line))
  for (const line of [...lines, 'open C 0', 'open D 0', 'quote AAPL 99 100']) world.run(line)
  for (const line of [mint, 'job m1']) world.run(line)
  assert.equal(world.run('accept m1'), 'mintAccepted')
  assert.equal(world.run('custody m1 A'), 'mintRejected')
  for (const line of ['mint A m2 AAPL 4', 'job m2', 'accept m2']) world.run(line)
  assert.equal(world.run('custody m2 C'), 'custodyAccountSet mintTransferred')
  const kept = (name: string) =>
    world.state.positions.get(world.accounts.get(name)!)?.get('AAPL' as Ticker)?.quantity ?? 0n
  assert.deepEqual([kept('C'), kept('I')], [4_000_000_000n, 0n])
  for (const line of ['confirm m2', 'complete m2', 'mint A m3 AAPL 2', 'job m3']) world.run(line)
  assert.equal(world.run('accept m3'), 'mintAccepted mintTransferred')
  assert.equal(world.run('deny m3'), 'mintRejected')
  assert.equal(world.run('sell C s AAPL 1'), 'accountNotAllowedToTrade')
  const { until } = world.state.issuers.get('xstocks' as IssuerCode)!.custody!.get('AAPL' as Ticker)!
  world.run(`wait ${(until - world.now) / SECOND - 60n}`)
  for (const line of ['mint A m4 AAPL 2', 'job m4']) world.run(line)
  // The custody account is valid until this time, exclusive.
  world.now = (until - 1n) as Instant
  assert.equal(world.run('accept m4'), 'mintAccepted')
  assert.equal(world.run('custody m4 D'), 'custodyAccountSet mintTransferred')
  assert.equal(world.run('redeem A r1 AAPL 4'), 'redeemRequested redeemCompleted')
  assert.deepEqual([kept('C'), kept('D')], [0n, 2_000_000_000n])
})

function worldAfter(...lines: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const line of [...scene, ...lines]) world.run(line)
  return world
}
