import { format, type Price } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { customer, USD } from '../../ledger/chart.ts'
import { balance } from '../../ledger/ledger.ts'
import type { Order } from '../../orders/order.ts'
import { amount } from '../../testing/script-lines.ts'
import { TestWorld } from '../../testing/world.ts'
import type { ActionTerms } from '../action.ts'

/** The day after the start of a test world; it starts at 05:00 UTC. */
export const TUESDAY = '2026-11-03' as CivilDate
export const BEFORE_EX_DATE = 'until 2026-11-03T04:59:59Z'
export const EX_DATE_START = 'until 2026-11-03T05:00:00Z'

export const split = (newRate: string, oldRate: string): ActionTerms => ({
  kind: 'split',
  newRate: amount(newRate),
  oldRate: amount(oldRate),
})
export const dividend = (rate: string, payDate = TUESDAY): ActionTerms => ({
  kind: 'dividend',
  rate: amount(rate) as Price,
  recordDate: TUESDAY,
  payDate: payDate as CivilDate,
  special: false,
})
export const rename = (newSymbol: string): ActionTerms => ({
  kind: 'symbolChange',
  newSymbol: newSymbol as Ticker,
})
export const delist = (price?: string): ActionTerms =>
  price === undefined ? { kind: 'delisting' } : { kind: 'delisting', price: amount(price) as Price }

/** A test world with helpers for corporate actions. */
export class ActionWorld extends TestWorld {
  get account(): AccountId {
    return this.accounts.get('A')!
  }
  schedule(terms: ActionTerms, { symbol = 'AAPL', exDate = TUESDAY as string } = {}): string {
    const decision = this.submit({
      kind: 'scheduleAction',
      symbol: symbol as Ticker,
      exDate: exDate as CivilDate,
      terms,
    })
    if (decision.ok) return decision.value[0]!.kind
    const { reason } = decision
    return reason.code === 'actionInvalid' ? `${reason.field} ${reason.rule}` : reason.code
  }
  holding(symbol = 'AAPL'): string {
    const position = this.state.positions.get(this.account)?.get(symbol as Ticker)
    return position ? `${format(position.quantity)} for ${format(position.costBasis)}` : 'nothing'
  }
  cash(): string {
    return format(
      balance(this.state.ledger, customer(this.account, 'settled'), USD) +
        balance(this.state.ledger, customer(this.account, 'unsettled'), USD),
    )
  }
  order(name: string): Order {
    return this.state.orders.get(this.orders.get(name)!)!
  }
  orderText(name: string): string {
    const { quantity, limit, status, symbol } = this.order(name)
    return `${symbol} ${format(quantity)}${limit === undefined ? '' : ` @${format(limit)}`} ${status}`
  }
}

export const actionWorld = (...lines: readonly string[]): ActionWorld => {
  const world = new ActionWorld()
  for (const line of lines) world.run(line)
  return world
}

/** Lines that open account A and buy this quantity at 100. */
export const HOLDING = (quantity: string): readonly string[] => [
  'open A 100000',
  'quote AAPL 100 100',
  'trade AAPL 100',
  `buy A o1 AAPL ${quantity}`,
]

/** The terms as text for a test title. */
export const termsText = (terms: ActionTerms): string =>
  JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? format(value) : value))
