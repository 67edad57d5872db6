import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BookTransfer,
  type BrokerEvent,
  customer,
  type LedgerAccount,
  type LedgerId,
  TRANSIT,
  type TransitId,
  transit,
  USD,
  type WorldId,
} from '@quipu/core'
import { TransitList } from './transit-list.ts'
import { checkTransits } from './transits.ts'

const id = 'ledger-a/j1' as TransitId
const amount = 5_000_000_000n
const bookTransfer = {
  id: 'j1',
  partnerId: 'p',
  from: 'sender',
  to: 'receiver',
  what: { kind: 'cash', amount },
  createdAt: 0n,
  transitId: id,
} as unknown as BookTransfer
const out = { ...bookTransfer, toWorld: 'b' as WorldId }
const ledgerId = 'ledger-b' as LedgerId
const of = { at: 1n, accountId: 'sender' }
const sender = customer('sender' as never, 'settled')
const receiver = customer('receiver' as never, 'settled')

const posting = (from: LedgerAccount, to: LedgerAccount) => [
  { account: from, asset: USD, amount: -amount },
  { account: to, asset: USD, amount },
]
const event = (fields: object) => ({ ...of, ...fields }) as unknown as BrokerEvent

const sent = event({ kind: 'bookTransferSent', bookTransfer: out, posting: posting(sender, transit(id)) })
const settled = (to = TRANSIT) =>
  event({ kind: 'bookTransferSettled', bookTransfer: out, ledgerId, posting: posting(transit(id), to) })
const returned = event({
  kind: 'bookTransferReturned',
  bookTransfer: { ...out, status: 'rejected' },
  posting: posting(transit(id), sender),
})
const received = (from = TRANSIT, times = 1) =>
  event({
    kind: 'bookTransferReceived',
    bookTransfer: { ...bookTransfer, fromWorld: 'a' },
    ledgerId,
    posting: Array(times).fill(posting(from, receiver)).flat(),
  })
const refused = event({ kind: 'bookTransferRefused', transitId: id, reason: 'no' })
const bank = 'bank' as LedgerAccount

const reports = (events: readonly BrokerEvent[]) => {
  const list = new TransitList()
  for (const one of events) list.add(one)
  return list.reports()
}

for (const [name, inA, inB, problem] of [
  ['settled', [sent, settled()], [received()], undefined],
  ['under way', [sent], [received()], undefined],
  ['returned', [sent, returned], [refused], undefined],
  ['the leg of the sender is lost', [sent, settled(bank)], [received()], 'nothing sent, 5 USD received in b'],
  [
    'the leg of the receiver is lost',
    [sent, settled()],
    [received(bank)],
    '5 USD sent, nothing received in b',
  ],
  [
    'the leg of the receiver is doubled',
    [sent, settled()],
    [received(TRANSIT, 2)],
    '5 USD sent, 10 USD received in b',
  ],
  ['the event of the receiver is doubled', [sent, settled()], [received(), received()], 'received 2 times'],
  ['returned and received', [sent, returned], [received()], 'returned, and received in b'],
] as const)
  test(`events of a book transfer between two worlds, ${name}: ${problem ?? 'no problem'}`, () => {
    const { problems } = checkTransits([
      { world: 'a', ledgerId: 'ledger-a', transits: reports(inA) },
      { world: 'b', ledgerId: 'ledger-b', transits: reports(inB) },
    ])
    assert.deepEqual(
      problems.map((one) => one.problem),
      problem ? [`book transfer ${id}: ${problem}`] : [],
    )
  })
