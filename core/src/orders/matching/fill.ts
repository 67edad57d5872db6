import type { FeeSetting } from '../../account/fees/fee-rates.ts'
import { type CoinFee, coinFeeLegs, feeOfFill } from '../../account/fees/fees.ts'
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
  toMoney,
  toQuantity,
  UNIT,
} from '../../amount.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { customer, type LedgerAccount, STREET, shares, USD } from '../../ledger/chart.ts'
import { move, type Posting } from '../../ledger/ledger.ts'
import { isPair } from '../../market/assets/asset.ts'
import type { Quote } from '../../market/prices.ts'
import { settlementDate } from '../../market/settlement.ts'
import type { Moment } from '../../moment.ts'
import { found } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import { newYorkDate } from '../../time.ts'
import type { OrderFilled } from '../events.ts'
import { type Order, remaining, type Side } from '../order.ts'

/**
 * Position and event count of an account after the fills of this decision so far, which the state does not
 * contain yet.
 */
type AccountProgress = { position: Quantity; events: number; readonly account: LedgerAccount }

/** Creates the fills of one decision at one quote. Each fill takes the previous ones into account. */
export class Filler {
  readonly #view: View
  readonly #moment: Moment
  readonly #quote: Quote
  readonly #progress = new Map<AccountId, AccountProgress>()
  readonly #fees: FeeSetting | undefined

  constructor(view: View, moment: Moment, quote: Quote) {
    this.#view = view
    this.#moment = moment
    this.#quote = quote
    this.#fees = settingsOf(view).fees
  }

  /** At the far side of the quote, unless the venue settings give another price. */
  fill(order: Order, quantity: Quantity, price = priceFor(order.side, this.#quote)): OrderFilled {
    const { accountId, symbol, side } = order
    const { at, id } = this.#moment
    const date = newYorkDate(at)
    const cash = costInCents(price, quantity, side === 'buy' ? 'up' : 'down')
    const { fees, coinFee } = feeOfFill(this.#fees, { symbol, side, quantity, cash, date })
    const progress = this.#progressOf(accountId, symbol)
    const executionId = id(accountId, progress.events++, 0)
    const gross = side === 'buy' ? progress.position + quantity : progress.position - quantity
    const positionAfter = toQuantity(coinFee && side === 'buy' ? gross - coinFee.amount : gross)
    progress.position = positionAfter
    return {
      kind: 'orderFilled',
      at,
      accountId,
      orderId: order.id,
      executionId,
      symbol,
      price,
      quantity,
      cash,
      settles: settlementDate(date),
      positionAfter,
      quote: this.#quote,
      posting: postingOf({ symbol, side, quantity, cash, coinFee }, progress.account, accountId),
      ...(fees && { fees }),
      ...(coinFee && { coinFee }),
      ...(order.notional !== undefined && { rest: restOf(order, order.notional, { price, quantity, cash }) }),
    }
  }

  #progressOf(accountId: AccountId, symbol: Ticker): AccountProgress {
    let progress = this.#progress.get(accountId)
    if (!progress) {
      const position = this.#view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
      const { events } = found(this.#view.accounts.get(accountId), accountId)
      const account = customer(accountId, isPair(symbol) ? 'settled' : 'unsettled')
      this.#progress.set(accountId, (progress = { position, events, account }))
    }
    return progress
  }
}

/** Buys pay the ask, sells get the bid. */
export const priceFor = (side: Side, { bid, ask }: Quote): Price => (side === 'buy' ? ask : bid)

/** The remaining displayed size of a quote on one side. */
export function remainingSize(view: View, symbol: Ticker, side: Side, quote: Quote): Quantity | 'unlimited' {
  if (settingsOf(view).fillSize === 'unlimited') return 'unlimited'
  const displayed = side === 'buy' ? quote.askSize : quote.bidSize
  const used = view.usedSizes.get(symbol)
  if (used?.quoteAt !== quote.at) return displayed
  return subtract(displayed, side === 'buy' ? used.bought : used.sold)
}

/**
 * The quantity an order takes at a price. A notional order takes the quantity that its remaining money buys,
 * rounded down to nine decimals.
 */
export function quantityAt(order: Order, price: Price): Quantity {
  if (order.notional === undefined) return remaining(order)
  const quantity = boughtBy(subtract(order.notional, order.spent ?? NO_MONEY), price)
  // A sale never exceeds the held shares, even if the price fell.
  return order.side === 'buy' ? quantity : min(quantity, remaining(order))
}

/** The remaining quantity of a notional order after a fill, estimated at its price. */
function restOf(
  order: Order,
  notional: Money,
  { price, quantity, cash }: { readonly price: Price; readonly quantity: Quantity; readonly cash: Money },
): Quantity {
  if (quantity === quantityAt(order, price)) return NO_QUANTITY
  const money = toMoney(notional - (order.spent ?? NO_MONEY) - cash)
  const rest = boughtBy(money, price)
  return order.side === 'buy' ? rest : min(rest, subtract(remaining(order), quantity))
}

const boughtBy = (money: Money, price: Price): Quantity =>
  money <= NO_MONEY ? NO_QUANTITY : toQuantity(divide(money * UNIT, price, 'down'))

export type FillTerms = {
  readonly symbol: Ticker
  readonly side: Side
  readonly quantity: Quantity
  readonly cash: Money
  readonly coinFee?: CoinFee | undefined
}

/**
 * The posting of a fill: cash one way, shares the other, unsettled (crypto is settled immediately), against
 * the street. Debits come first. A crypto fee adds a second pair of legs. A value below one cent may round to no cash.
 */
export function postingOf(
  { symbol, side, quantity, cash, coinFee }: FillTerms,
  account: LedgerAccount,
  accountId: AccountId,
): Posting {
  const [buyer, seller] = side === 'buy' ? [account, STREET] : [STREET, account]
  return [
    ...move(USD, cash, { from: buyer, to: seller }),
    ...move(shares(symbol), quantity, { from: seller, to: buyer }),
    ...(coinFee ? coinFeeLegs(accountId, coinFee) : []),
  ]
}
