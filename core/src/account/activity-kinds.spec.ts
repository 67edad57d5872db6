import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Money, type Price, type Quantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { customer, FEES, type LedgerAsset, STREET, shares, USD } from '../ledger/chart.ts'
import { move } from '../ledger/ledger.ts'
import type { Instant } from '../time.ts'
import { activitiesOf, changesOf } from './activities.ts'
import type { Activity } from './activity.ts'

const account = 'account' as AccountId
const coin = 'BTC/USD' as Ticker
const units = (count: number) => BigInt(Math.round(count * 1e9))
const legs = (asset: LedgerAsset, amount: number, from: string, to: string) =>
  move(asset, units(amount), { from: from as never, to: to as never })
const ledgerAccount = customer(account, 'unsettled')

function activityText({ kind, cash, symbol, quantity, price }: Activity): string {
  const words: string[] = [kind, format(cash)]
  if (symbol && quantity !== undefined) words.push(symbol, format(quantity))
  if (price) words.push(`@${format(price)}`)
  return words.join(' ')
}

/** Events with a posting, and their activities. */
const bookings: readonly (readonly [BrokerEvent, string])[] = [
  [
    {
      kind: 'feesBooked',
      at: 1n as Instant,
      accountId: account,
      date: '2026-11-02' as never,
      fees: { sec: units(0.03) as Money, cat: units(0.01) as Money },
      posting: legs(USD, 0.04, ledgerAccount, FEES),
    },
    'fee -0.03 | fee -0.01',
  ],
  [
    {
      kind: 'transferBooked',
      at: 1n as Instant,
      accountId: account,
      transfer: { id: 't', accountId: account, direction: 'out', amount: units(5) } as never,
      posting: legs(USD, 5, ledgerAccount, 'bank'),
    },
    'withdrawal -5',
  ],
  [
    {
      kind: 'transferBooked',
      at: 1n as Instant,
      accountId: account,
      transfer: { id: 't', accountId: account, direction: 'in', amount: units(5) } as never,
      posting: legs(USD, 5, 'bank', ledgerAccount),
    },
    'deposit 5',
  ],
  [
    {
      kind: 'bookTransferMade',
      at: 1n as Instant,
      accountId: account,
      bookTransfer: {
        id: 'j',
        from: account,
        to: 'other',
        what: { kind: 'cash', amount: units(5) },
      } as never,
      decidedWith: {} as never,
      posting: legs(USD, 5, ledgerAccount, customer('other' as AccountId, 'settled')),
    },
    'cashBookTransfer -5 | cashBookTransfer 5',
  ],
  [
    {
      kind: 'bookTransferMade',
      at: 1n as Instant,
      accountId: account,
      bookTransfer: {
        id: 'j',
        from: account,
        to: 'other',
        what: { kind: 'shares', symbol: coin, quantity: units(2), price: units(7) },
      } as never,
      decidedWith: {} as never,
      posting: legs(shares(coin), 2, ledgerAccount, customer('other' as AccountId, 'settled')),
    },
    'shareBookTransfer 0 BTC/USD -2 @7 | shareBookTransfer 0 BTC/USD 2 @7',
  ],
  [changed('split', 10, 25, 0, legs(shares(coin), 15, STREET, ledgerAccount)), 'split 0 BTC/USD 15'],
  [
    changed('split', 10, 3, 2, [
      ...legs(shares(coin), 7, ledgerAccount, STREET),
      ...legs(USD, 2, STREET, ledgerAccount),
    ]),
    'split 2 BTC/USD -7',
  ],
  [
    changed('symbolChange', 4, 4, 0, [
      ...legs(shares(coin), 4, ledgerAccount, STREET),
      ...legs(shares('NEW' as Ticker), 4, STREET, ledgerAccount),
    ]),
    'nameChange 0 BTC/USD -4 | nameChange 0 NEW 4',
  ],
  [
    changed('delisting', 4, 0, 8, [
      ...legs(shares(coin), 4, ledgerAccount, STREET),
      ...legs(USD, 8, STREET, ledgerAccount),
    ]),
    'reorganization 8 BTC/USD -4',
  ],
  [
    {
      kind: 'dividendPaid',
      at: 1n as Instant,
      actionId: 'd' as never,
      accountId: account,
      symbol: coin,
      quantity: units(4) as Quantity,
      rate: units(0.25) as Price,
      special: false,
      amount: units(1) as Money,
      posting: legs(USD, 1, STREET, ledgerAccount),
    },
    'dividend 1',
  ],
]

function changed(
  why: 'split' | 'symbolChange' | 'delisting',
  before: number,
  after: number,
  cash: number,
  posting: ReturnType<typeof move>,
): BrokerEvent {
  return {
    kind: 'sharesChanged',
    at: 1n as Instant,
    actionId: 'a' as never,
    accountId: account,
    why,
    symbol: coin,
    ...definedFields({ newSymbol: why === 'symbolChange' ? ('NEW' as Ticker) : undefined }),
    before: units(before) as Quantity,
    after: units(after) as Quantity,
    costBasis: 0n as Money,
    unsettled: [],
    cash: units(cash) as Money,
    posting,
  }
}

for (const [event, then] of bookings)
  test(`${event.kind}: ${then}, the sum of its posting`, () => {
    const activities = activitiesOf(event, 1)
    assert.equal(activities.map(activityText).join(' | '), then)
    if (!('posting' in event)) throw new Error('expected a posting')
    for (const [id, { cash, shares }] of changesOf(event.posting)) {
      const ofAccount = activities.filter(({ accountId }) => accountId === id)
      assert.equal(
        ofAccount.reduce((sum, each) => sum + each.cash, 0n),
        cash,
      )
      for (const [symbol, quantity] of shares)
        assert.equal(
          ofAccount
            .filter((each) => each.symbol === symbol)
            .reduce((sum, each) => sum + (each.quantity ?? 0n), 0n),
          quantity,
        )
    }
  })
