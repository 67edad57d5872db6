import { actionActivities } from '../actions/activities.ts'
import {
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  negate,
  type Quantity,
  subtract,
  times,
  toMoney,
  toQuantity,
} from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { BrokerEvent } from '../events.ts'
import { type AccountId, type Ticker, tickerOf } from '../ids.ts'
import { customerOf, USD } from '../ledger/chart.ts'
import type { Posting } from '../ledger/ledger.ts'
import type { OrderFilled } from '../orders/events.ts'
import { type Order, remaining } from '../orders/order.ts'
import type { AccountActivity, Activity, ActivityContent } from './activity.ts'
import type { FeesBooked } from './events.ts'
import type { InterestPosted } from './margin-calls/events.ts'
import type {
  BookTransferMade,
  BookTransferReceived,
  BookTransferReturned,
  BookTransferSent,
  TransferBooked,
} from './partner/events.ts'
import { addShares } from './positions/holdings.ts'

/** Changes of one customer's cash and shares by one posting. */
type Change = { cash: Money; readonly shares: Map<Ticker, Quantity> }

/**
 * The activities of an event, one list for all accounts it books on. An event without a row in the table
 * below becomes a book transfer of cash or shares, so every booking has an activity. `order` is the order right
 * after the event.
 */
export function activitiesOf(event: BrokerEvent, seq: number, order?: Order): readonly Activity[] {
  if (!('posting' in event) || event.kind === 'accountSettled') return []
  const activities = activitiesOfBooking(event, order)
  return activities.map(({ accountId, activity }, n) => ({ at: event.at, seq, n, accountId, ...activity }))
}

type Booking = Extract<BrokerEvent, { posting: Posting }>

/** Maps each kind of event to its activities. */
function activitiesOfBooking(event: Booking, order: Order | undefined): readonly AccountActivity[] {
  switch (event.kind) {
    case 'orderFilled':
      return fillActivities(event, order)
    case 'feesBooked':
      return feeActivities(event)
    case 'interestPosted':
      return [interestActivity(event)]
    case 'transferBooked':
      return [transferActivity(event)]
    case 'bookTransferMade':
      return bookTransferActivities(event, ['from', 'to'])
    case 'bookTransferSent':
      return bookTransferActivities(event, ['from'])
    case 'bookTransferReceived':
      return bookTransferActivities(event, ['to'])
    case 'bookTransferReturned':
      return bookTransferActivities(event, ['from'], 1n)
    case 'sharesChanged':
    case 'dividendPaid':
      return actionActivities(event)
    case 'mintTransferred':
    case 'mintRejected':
    case 'redeemCompleted':
      return bookingActivities(event.posting, { groupId: event.requestId })
    case 'accountOpened':
    case 'accountReset':
    case 'accountClosed':
    case 'accountSettled':
    case 'bookTransferSettled':
    case 'mintCompleted':
    case 'tokensRestated':
      return bookingActivities(event.posting)
  }
}

const feeSorts = { sec: 'secFee', taf: 'tafFee', cat: 'catFee' } as const

/** One activity for each regulator that charges a fee. */
function feeActivities({ accountId, fees, date }: FeesBooked): readonly AccountActivity[] {
  const all: AccountActivity[] = []
  for (const name of ['sec', 'taf', 'cat'] as const) {
    const amount = fees[name]
    if (!amount) continue
    const description = `${name.toUpperCase()} fee for trades of ${date}`
    all.push({
      accountId,
      activity: { kind: 'fee', sort: feeSorts[name], cash: negate(amount), description },
    })
  }
  return all
}

const interestActivity = ({ accountId, amount, date }: InterestPosted): AccountActivity => ({
  accountId,
  activity: {
    kind: 'interest',
    sort: 'marginInterest',
    cash: negate(amount),
    description: `Margin interest of ${date.slice(0, 7)}`,
  },
})

function transferActivity({ transfer }: TransferBooked): AccountActivity {
  const { id: groupId, accountId, direction, amount, note } = transfer
  const isIn = direction === 'in'
  const cash = toMoney(isIn ? amount : -amount)
  const kind = isIn ? 'deposit' : 'withdrawal'
  return { accountId, activity: { kind, cash, groupId, ...definedFields({ description: note }) } }
}

/** One activity for each end in this world. A book transfer that returns gives back what it took. */
function bookTransferActivities(
  { bookTransfer }: BookTransferMade | BookTransferSent | BookTransferReceived | BookTransferReturned,
  ends: readonly ('from' | 'to')[],
  signOfFrom: 1n | -1n = -1n,
): readonly AccountActivity[] {
  const { id: groupId, what, description } = bookTransfer
  const common = { groupId, ...definedFields({ description }) }
  return ends.map((end) => {
    const accountId = bookTransfer[end]
    const sign = end === 'from' ? signOfFrom : 1n
    if (what.kind === 'cash')
      return { accountId, activity: { kind: 'cashBookTransfer', cash: times(what.amount, sign), ...common } }
    const { symbol, price } = what
    const quantity = times(what.quantity, sign)
    return {
      accountId,
      activity: {
        kind: 'shareBookTransfer',
        cash: NO_MONEY,
        symbol,
        quantity,
        ...definedFields({ price }),
        ...common,
      },
    }
  })
}

/** The fill, plus the fee that its posting contains, in coins or in dollars. */
function fillActivities(event: OrderFilled, order: Order | undefined): readonly AccountActivity[] {
  if (!order) throw new Error(`bug: a fill of ${event.orderId} without its order`)
  const { accountId, symbol, price } = event
  const sign = order.side === 'buy' ? 1n : -1n
  const cash = times(event.cash, -sign)
  const quantity = times(event.quantity, sign)
  const { id: orderId, status, filledQuantity: cumulative } = order
  const leaves = status === 'filled' ? NO_QUANTITY : remaining(order)
  const filled: ActivityContent = {
    kind: 'fill',
    cash,
    symbol,
    quantity,
    price,
    fill: { orderId, status, cumulative, leaves },
  }
  const fee = feeOf(event.posting, accountId, { symbol, cash, quantity })
  return fee
    ? [
        { accountId, activity: filled },
        { accountId, activity: { ...fee, symbol, price } },
      ]
    : [{ accountId, activity: filled }]
}

function feeOf(
  posting: Posting,
  accountId: AccountId,
  fill: { readonly symbol: Ticker; readonly cash: Money; readonly quantity: Quantity },
): ActivityContent | undefined {
  // A posting without a fee has two legs of dollars and two of shares.
  if (posting.length <= 4) return undefined
  const change = changesOf(posting).get(accountId)
  if (!change) return undefined
  const cash = subtract(change.cash, fill.cash)
  const quantity = toQuantity((change.shares.get(fill.symbol) ?? 0n) - fill.quantity)
  if (cash === 0n && quantity === 0n) return undefined
  return { kind: 'coinFee', cash, quantity }
}

/** One cash book transfer, and one share book transfer per symbol, for every customer in the posting. */
function bookingActivities(
  posting: Posting,
  common: Pick<ActivityContent, 'groupId'> = {},
): readonly AccountActivity[] {
  const all: AccountActivity[] = []
  for (const [accountId, { cash, shares }] of changesOf(posting)) {
    if (cash !== 0n) all.push({ accountId, activity: { kind: 'cashBookTransfer', cash, ...common } })
    for (const [symbol, quantity] of shares)
      all.push({
        accountId,
        activity: { kind: 'shareBookTransfer', cash: NO_MONEY, symbol, quantity, ...common },
      })
  }
  return all
}

/** Net changes of each customer, settled and unsettled together. */
export function changesOf(posting: Posting): ReadonlyMap<AccountId, Change> {
  const changes = new Map<AccountId, Change>()
  for (const { account, asset, amount } of posting) {
    const accountId = customerOf(account)
    if (accountId === undefined) continue
    let change = changes.get(accountId)
    if (!change) changes.set(accountId, (change = { cash: NO_MONEY, shares: new Map() }))
    if (asset === USD) change.cash = toMoney(change.cash + amount)
    else addShares(change.shares, tickerOf(asset), toQuantity(amount))
  }
  return changes
}
