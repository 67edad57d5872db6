import type { FeeSetting } from '../account/fee-rates.ts'
import { type CoinFee, coinFeeLegs, feeOfFill } from '../account/fees.ts'
import {
  costInCents,
  divide,
  type Money,
  min,
  NO_MONEY,
  NO_QUANTITY,
  type Price,
  type Quantity,
  subtract,
  UNIT,
} from '../amount.ts'
import type { AccountId, ExecutionId, Ticker } from '../ids.ts'
import { customer, STREET, shares, USD } from '../ledger/chart.ts'
import type { Posting } from '../ledger/posting.ts'
import { isPair } from '../market/asset.ts'
import { settlementDate } from '../market/calendar.ts'
import type { Quote } from '../market/prices.ts'
import type { Moment } from '../moment.ts'
import { found } from '../result.ts'
import { settingsOf, type View } from '../state.ts'
import { type CivilDate, newYorkDate } from '../time.ts'
import type { OrderFilled } from './events.ts'
import { type Order, remaining, type Side } from './order.ts'

/** What the fills of one decision and one symbol lead to; the state does not know of them yet. */
type Reckoned = { readonly position: Quantity; readonly events: number }

type Settlement = { readonly date: CivilDate; readonly settles: CivilDate }

/** Makes the fills of one decision, all at one quote: each knows what those before it did to its account. */
export class Filler {
  readonly #view: View
  readonly #moment: Moment
  readonly #quote: Quote
  readonly #reckoned = new Map<AccountId, Reckoned>()
  readonly #fees: FeeSetting | undefined
  #settlement: Settlement | undefined

  constructor(view: View, moment: Moment, quote: Quote) {
    this.#view = view
    this.#moment = moment
    this.#quote = quote
    this.#fees = settingsOf(view).fees
  }

  fill(order: Order, quantity: Quantity): OrderFilled {
    const { accountId, symbol, side } = order
    const { at, id } = this.#moment
    const price = priceFor(side, this.#quote)
    const cash = costInCents(price, quantity, side === 'buy' ? 'up' : 'down')
    const { position, events } = this.#reckoned.get(accountId) ?? this.#standing(accountId, symbol)
    const { date, settles } = this.#day
    const { fees, coinFee } = feeOfFill(this.#fees, { symbol, side, quantity, cash, date })
    const kept = coinFee && side === 'buy' ? coinFee.amount : 0n
    const positionAfter = (side === 'buy' ? position + quantity - kept : position - quantity) as Quantity
    this.#reckoned.set(accountId, { position: positionAfter, events: events + 1 })
    const filled = {
      kind: 'orderFilled',
      at,
      accountId,
      orderId: order.id,
      executionId: id(accountId, events, 0) as ExecutionId,
      symbol,
      price,
      quantity,
      cash,
      settles,
      positionAfter,
      quote: this.#quote,
      posting: legs(accountId, { symbol, side, quantity, cash, coinFee }),
    } as const
    if (fees && order.notional === undefined) return { ...filled, fees }
    return {
      ...filled,
      ...(fees && { fees }),
      ...(coinFee && { coinFee }),
      ...(order.notional !== undefined && { rest: restOf(order, { price, quantity, cash }) }),
    }
  }

  get #day(): Settlement {
    if (this.#settlement) return this.#settlement
    const date = newYorkDate(this.#moment.at)
    return (this.#settlement = { date, settles: settlementDate(date) })
  }

  #standing(accountId: AccountId, symbol: Ticker): Reckoned {
    return {
      position: this.#view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY,
      events: found(this.#view.accounts.get(accountId), accountId).events,
    }
  }
}

/** Buys pay the ask, sells get the bid. */
export const priceFor = (side: Side, { bid, ask }: Quote): Price => (side === 'buy' ? ask : bid)

/** What is left for others of what a quote shows on one side. */
export function shownTo(view: View, symbol: Ticker, side: Side, quote: Quote): Quantity | 'unlimited' {
  if (settingsOf(view).fillSize === 'unlimited') return 'unlimited'
  const taken = view.taken.get(symbol)
  const given = taken?.quoteAt === quote.at ? (side === 'buy' ? taken.bought : taken.sold) : NO_QUANTITY
  return subtract(side === 'buy' ? quote.askSize : quote.bidSize, given)
}

/** What an order would take at a price. One in dollars takes what the rest of them buys, nine places, rounded down. */
export function wantedAt(order: Order, price: Price): Quantity {
  if (order.notional === undefined) return remaining(order)
  const buys = boughtBy(subtract(order.notional, order.spent ?? NO_MONEY), price)
  // A sale never gives more than it holds, however far the price fell.
  return order.side === 'buy' ? buys : min(buys, remaining(order))
}

/** What an order in dollars is still to take after a fill, reckoned at the price of that fill. */
function restOf(
  order: Order,
  { price, quantity, cash }: { readonly price: Price; readonly quantity: Quantity; readonly cash: Money },
): Quantity {
  if (quantity === wantedAt(order, price)) return NO_QUANTITY
  const money = (order.notional! - (order.spent ?? NO_MONEY) - cash) as Money
  const rest = boughtBy(money, price)
  return order.side === 'buy' ? rest : min(rest, subtract(remaining(order), quantity))
}

const boughtBy = (money: Money, price: Price): Quantity =>
  money <= NO_MONEY ? NO_QUANTITY : (divide(money * UNIT, price, 'down') as Quantity)

type Moved = {
  readonly symbol: Ticker
  readonly side: Side
  readonly quantity: Quantity
  readonly cash: Money
  readonly coinFee: CoinFee | undefined
}

/**
 * Cash one way, shares the other, both unsettled, and coins settled at once; the street stands on the other side. What
 * is kept of coins is a second pair.
 */
function legs(accountId: AccountId, { symbol, side, quantity, cash, coinFee }: Moved): Posting {
  const mine = customer(accountId, isPair(symbol) ? 'settled' : 'unsettled')
  const [payer, seller] = side === 'buy' ? [mine, STREET] : [STREET, mine]
  const asset = shares(symbol)
  const moved = [
    { account: seller, asset, amount: -quantity },
    { account: payer, asset, amount: quantity },
  ]
  // What costs less than a cent may bring nothing.
  if (cash === NO_MONEY) return coinFee ? [...moved, ...coinFeeLegs(accountId, coinFee)] : moved
  const both = [
    { account: payer, asset: USD, amount: -cash },
    { account: seller, asset: USD, amount: cash },
    moved[0]!,
    moved[1]!,
  ]
  return coinFee ? [...both, ...coinFeeLegs(accountId, coinFee)] : both
}
