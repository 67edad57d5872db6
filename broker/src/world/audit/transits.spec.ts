import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTransits, type TransitReport } from './transits.ts'

const id = 'ledger-a/j1'
const moved = { asset: 'USD', amount: '5' }
const out = (more: Partial<TransitReport> = {}): TransitReport => ({
  ...{ id, direction: 'out', world: 'b', status: 'executed', ledger: 'ledger-b' },
  ...moved,
  ...more,
})
const received = (more: Partial<TransitReport> = {}): TransitReport => ({
  ...{ id, direction: 'in', world: 'a', status: 'executed', ledger: 'ledger-b' },
  ...moved,
  ...more,
})
const pending = out({ status: 'pending', ledger: undefined })
const rejected = out({ status: 'rejected', ledger: undefined })
const refused = received({ status: 'rejected', asset: undefined, amount: undefined })

for (const [name, inA, inB, settled, problem] of [
  ['settled', [out()], [received()], 1, undefined],
  ['under way', [pending], [], 0, undefined],
  ['received and not settled yet', [pending], [received()], 0, undefined],
  ['refused and not returned yet', [pending], [refused], 0, undefined],
  ['returned', [rejected], [refused], 0, undefined],
  ['a leg is lost in the receiver', [out()], [], 0, 'executed, and not received'],
  ['a leg is doubled', [out()], [received({ amount: '10' })], 0, '5 USD sent, 10 USD received in b'],
  ['a leg is posted twice', [out()], [received(), received()], 0, 'received 2 times'],
  ['a leg is lost in the sender', [out({ amount: '0' })], [received()], 0, '0 USD sent, 5 USD received in b'],
  ['other shares', [out()], [received({ asset: 'KO' })], 0, '5 USD sent, 5 KO received in b'],
  ['returned and received', [rejected], [received()], 0, 'returned, and received in b'],
  ['received and not sent', [], [received()], 0, 'received, and not sent'],
  ['the receiver was reset', [out({ ledger: 'earlier' })], [], 1, undefined],
  ['the sender was reset', [], [received({ id: 'earlier/j1' })], 0, undefined],
  ['copied by a fork of the receiver', [out()], [received(), received({ ledger: 'original' })], 1, undefined],
] as const)
  test(`a journal between two worlds, ${name}: ${problem ?? 'no problem'}`, () => {
    const check = checkTransits([
      { world: 'a', ledgerId: 'ledger-a', transits: inA },
      { world: 'b', ledgerId: 'ledger-b', transits: inB },
      { world: 'memory', transits: [out(), received()] },
    ])
    assert.deepEqual(
      [check.settled.get('a') ?? 0, check.problems.map((one) => one.problem)],
      [settled, problem ? [`book transfer ${inB[0]?.id ?? id}: ${problem}`] : []],
    )
  })
