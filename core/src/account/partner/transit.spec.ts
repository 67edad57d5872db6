import assert from 'node:assert/strict'
import test from 'node:test'
import { auditFaults } from '../../audit.ts'
import { activitiesOf } from '../activities.ts'
import { holdings, isTransit, pair, requestOf } from './testing/two-worlds.ts'

// What leaves A of world a for an account of world b, lines in b before, the outcome in b, and both accounts at the end.
for (const [terms, to, lines, outcome, sender, receiver] of [
  ['400.25', 'B', [], 'bookTransferReceived', '599.75 10 AAPL@700', '900.25'],
  ['AAPL 4', 'B', [], 'bookTransferReceived', '1000 6 AAPL@420', '500 4 AAPL@280'],
  ['AAPL 4', 'A', [], 'bookTransferReceived', '1000 6 AAPL@420', '500'],
  ['1', 'X', [], 'account not found', '1000 10 AAPL@700', '500'],
  ['1', 'B', ['close B empty'], 'account is closed', '1000 10 AAPL@700', '0'],
  ['1', 'B', ['block B transfers'], 'transfers of the account are blocked', '1000 10 AAPL@700', '500'],
  [
    'AAPL 10',
    'B',
    ['reset B 5000', 'sell B s AAPL 1 @120'],
    'the account is short of AAPL',
    '1000 10 AAPL@700',
    '5000',
  ],
] as const)
  test(`a book transfer of ${terms} to ${to} of a world with "${lines.join('; ')}": ${outcome}`, () => {
    const { a, b } = pair(lines)
    assert.equal(a.send(b, 'A', to, terms), 'bookTransferSent')
    const [job] = a.pending
    const response = b.receive(requestOf(job!, a))
    assert.equal(response.ok ? b.world.events.at(-1)!.kind : response.reason, outcome)
    assert.deepEqual(b.receive(requestOf(job!, a)), response)
    a.world.submit({ kind: 'answerBookTransfer', bookTransferId: job!.bookTransfer!.id, response })
    assert.deepEqual([holdings(a, 'A'), holdings(b, 'B')], [sender, receiver])
    assert.deepEqual([a.pending, auditFaults(a.world.state), auditFaults(b.world.state)], [[], [], []])
    assert.equal(a.sum('USD', isTransit) + b.sum('USD', isTransit), 0n)
    const activities = a.world.events.flatMap((event, index) => activitiesOf(event, index + 1))
    const moved = activities.filter(({ groupId }) => groupId === job!.bookTransfer!.id)
    assert.equal(moved.length, response.ok ? 1 : 2)
  })

test('the sender is checked at once, as in a book transfer within a world', () => {
  const { a, b } = pair()
  assert.equal(a.send(b, 'A', 'B', '1000.01'), 'insufficientWithdrawable')
  assert.equal(a.send(b, 'A', 'B', 'AAPL 10.1'), 'insufficientShares')
  assert.equal(a.send(b, 'X', 'B', '1'), 'accountNotFound')
  a.world.run('block A transfers')
  assert.equal(a.send(b, 'A', 'B', '1'), 'transfersBlocked')
})

test('a symbol that the other world does not have is refused there', () => {
  const { a, b } = pair()
  a.send(b, 'C', 'B', 'TSLA 1')
  assert.deepEqual(b.receive(requestOf(a.pending[0]!, a)), {
    ok: false,
    reason: 'the world has no asset TSLA',
  })
})

test('while a book transfer is pending, its sender cannot be closed or reset, and cannot sell its shares short', () => {
  const { a, b } = pair()
  a.send(b, 'A', 'B', 'AAPL 10')
  assert.equal(a.world.run('close A empty'), 'journalsPending')
  assert.equal(a.world.run('reset A 1'), 'journalsPending')
  a.world.run('quote AAPL 100 100')
  assert.equal(a.world.run('sell A o AAPL 1'), 'sharesInTransit')
})
