import { computed } from '@preact/signals'
import { decimal, decimalOfNumber, ZERO } from '../format/decimal.ts'
import type { Position } from '../live/account-store.ts'
import { current } from '../live/current.ts'
import { type Sizing, sharesOf, textOrNone } from './size-amounts.ts'
import { fields, needsPrice, problemOf, type TicketFields } from './ticket-fields.ts'

/** The position in the symbol of the ticket. */
export const ticketPosition = computed<Position | undefined>(() => {
  const { symbol } = fields.value
  const plain = symbol.replace('/', '')
  return current.value?.store.positions.value?.find((one) => one.symbol.replace('/', '') === plain)
})

export const sizing = computed<Sizing>(() => {
  const ticket = fields.value
  const live = current.value
  const account = live?.store.account.value
  const isCrypto = ticket.symbol.includes('/')
  const power = isCrypto ? account?.non_marginable_buying_power : account?.buying_power
  const quote = ticket.symbol === '' ? undefined : live?.market.state(ticket.symbol).quote.value
  const quoted = ticket.side === 'buy' ? quote?.ap : quote?.bp
  const position = ticketPosition.value
  const isLimit = needsPrice(ticket, 'limit_price') && isNumber(ticket.limitPrice)
  return {
    buyingPower: power == null ? undefined : decimal(power),
    free: position?.side === 'long' ? decimal(position.qty_available ?? position.qty) : ZERO,
    price: isLimit
      ? decimal(ticket.limitPrice)
      : quoted === undefined || quoted <= 0
        ? undefined
        : decimalOfNumber(quoted),
    isCrypto,
  }
})

const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

/** The ticket with its size in shares or dollars, as it is sent: a percentage is a number of shares. */
export const ticketOrder = computed<TicketFields>(() => {
  const ticket = fields.value
  if (ticket.unit !== 'percent' || !isNumber(ticket.size)) return ticket
  const size = textOrNone(sharesOf(decimal(ticket.size), ticket.side, sizing.value)) ?? ''
  return { ...ticket, unit: 'shares', size }
})

/** What is missing before the order can be sent. */
export const ticketProblem = computed(() => {
  const problem = problemOf(ticketOrder.value)
  const { unit, side, size } = fields.value
  if (unit !== 'percent' || problem?.field !== 'size' || size === '') return problem
  const message = side === 'sell' ? 'No shares are free to sell' : 'This is less than one share'
  return isNumber(size) ? { field: 'size', message } : problem
})
