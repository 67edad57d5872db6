import { costInCents, min, NO_QUANTITY, type Price, type Quantity, subtract } from '../amount.ts'
import type { AccountId, ExecutionId, Ticker } from '../ids.ts'
import { customer, STREET, shares, USD } from '../ledger/chart.ts'
import { move, type Posting } from '../ledger/posting.ts'
import { settlementDate } from '../market/calendar.ts'
import type { Quote } from '../market/prices.ts'
import type { Moment } from '../moment.ts'
import { found, ok, type Result } from '../result.ts'
import { settingsOf, type View } from '../state.ts'
import { newYorkDate } from '../time.ts'
import { type BookClass, reached } from './book.ts'
import type { ObserveQuote } from './commands.ts'
import type { OrderFilled } from './events.ts'
import { type Order, remaining, type Side } from './order.ts'
import { tradesAt } from './session.ts'

/**
 * Fills whatever the quote of this instant reaches: buys at the ask, sells at the bid, best price first, then
 * first come. Sized by the world's setting: without limit, or by what the quote shows and has not given yet.
 */
export function observeQuote(
  view: View,
  moment: Moment,
  { symbol }: ObserveQuote,
): Result<OrderFilled[], never> {
  const book = view.books.get(symbol)
  const quote = moment.prices.quote(symbol)
  if (!book || !quote) return ok([])
  const fills: OrderFilled[] = []
  const reckoned: Reckoned = new Map()
  for (const side of SIDES) {
    let left = shownTo(view, symbol, side, quote)
    for (const order of candidates(view, moment, symbol, side, quote)) {
      const quantity = left === 'unlimited' ? remaining(order) : min(remaining(order), left)
      if (quantity === NO_QUANTITY) break
      if (left !== 'unlimited') left = subtract(left, quantity)
      fills.push(fill(view, moment, { order, quote, quantity, reckoned }))
    }
  }
  return ok(fills)
}

const SIDES: readonly Side[] = ['buy', 'sell']
const CLASSES: readonly BookClass[] = ['regular', 'extended']

/** Both classes of orders, merged by price and then by time, where both may trade now. */
function candidates(view: View, { at }: Moment, symbol: Ticker, side: Side, quote: Quote): Order[] {
  const book = view.books.get(symbol)!
  const settings = settingsOf(view)
  const quoted = side === 'buy' ? quote.ask : quote.bid
  const lists: Order[][] = []
  for (const kind of CLASSES) {
    const levels = book[kind][side]
    if (levels.prices.length === 0 || !tradesAt(settings, kind, at)) continue
    const ids = reached(levels, side, quoted)
    if (ids.length > 0) lists.push(ids.map((id) => found(view.orders.get(id), id)))
  }
  const [only, other] = lists
  if (!only || !other) return only ?? []
  return [...only, ...other].sort(
    (a, b) => before(b.limit, a.limit, side) || (a.createdAt < b.createdAt ? -1 : 1),
  )
}

/** Negative when `b` stands before `a`; a market order stands before all. */
function before(a: Price | undefined, b: Price | undefined, side: Side): number {
  if (a === b) return 0
  if (b === undefined) return -1
  if (a === undefined) return 1
  return (side === 'buy' ? b > a : b < a) ? -1 : 1
}

function shownTo(view: View, symbol: Ticker, side: Side, quote: Quote): Quantity | 'unlimited' {
  if (settingsOf(view).fillSize === 'unlimited') return 'unlimited'
  const taken = view.taken.get(symbol)
  const given = taken?.quoteAt === quote.at ? (side === 'buy' ? taken.bought : taken.sold) : NO_QUANTITY
  return subtract(side === 'buy' ? quote.askSize : quote.bidSize, given)
}

/** What an account's earlier fills of the same decision lead to; the state does not know of them yet. */
type Reckoned = Map<AccountId, { readonly position: Quantity; readonly events: number }>

type Filling = {
  readonly order: Order
  readonly quote: Quote
  readonly quantity: Quantity
  readonly reckoned: Reckoned
}

function fill(view: View, { at, id }: Moment, { order, quote, quantity, reckoned }: Filling): OrderFilled {
  const { accountId, symbol, side } = order
  const price = side === 'buy' ? quote.ask : quote.bid
  const cash = costInCents(price, quantity, side === 'buy' ? 'up' : 'down')
  const { position, events } = reckoned.get(accountId) ?? {
    position: view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY,
    events: found(view.accounts.get(accountId), accountId).events,
  }
  const positionAfter = (side === 'buy' ? position + quantity : position - quantity) as Quantity
  reckoned.set(accountId, { position: positionAfter, events: events + 1 })
  return {
    kind: 'orderFilled',
    at,
    accountId,
    orderId: order.id,
    executionId: id(accountId, events, 0) as ExecutionId,
    symbol,
    price,
    quantity,
    cash,
    settles: settlementDate(newYorkDate(at)),
    positionAfter,
    quote,
    posting: legs(accountId, symbol, side, quantity, cash),
  }
}

/** Cash one way, shares the other, both unsettled; the street stands on the other side. */
function legs(accountId: AccountId, symbol: Ticker, side: Side, quantity: Quantity, cash: bigint): Posting {
  const mine = customer(accountId, 'unsettled')
  const [payer, seller] = side === 'buy' ? [mine, STREET] : [STREET, mine]
  return [
    ...move(USD, cash, { from: payer, to: seller }),
    ...move(shares(symbol), quantity, { from: seller, to: payer }),
  ]
}
