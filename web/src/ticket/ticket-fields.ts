import { signal } from '@preact/signals'
import { type OrderPrice, type OrderType, orderTypes, pricesOfType } from '@quipu/contract/order-types.ts'
import type { Call, WireOrder as Order } from '@quipu/sdk'

export type OrderBody = Call<'placeOrder'>['body']

export const validity = {
  day: 'Today',
  gtc: 'Until canceled',
  opg: 'At the open',
  cls: 'At the close',
  ioc: 'At once, rest canceled',
  fok: 'At once, all or nothing',
} as const satisfies Readonly<Record<Order['time_in_force'], string>>
/** Exits that are placed with the order. */
export const attachments = {
  none: 'None',
  bracket: 'Take profit and stop loss',
  take_profit: 'Take profit',
  stop_loss: 'Stop loss',
  oco: 'Exits of a position (OCO)',
} as const

export type Validity = keyof typeof validity
export type Attachment = keyof typeof attachments

/** Shares, dollars, or per cent: of the buying power to buy, of the free shares to sell. */
export const sizeUnits = { shares: 'shares', money: 'USD', percent: '%' } as const
export type SizeUnit = keyof typeof sizeUnits

/** What the viewer typed. All amounts are texts, as the API expects them. */
export type TicketFields = {
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly type: OrderType
  readonly unit: SizeUnit
  readonly size: string
  readonly limitPrice: string
  readonly stopPrice: string
  readonly trail: string
  readonly trailUnit: 'percent' | 'price'
  readonly validity: Validity
  readonly attachment: Attachment
  readonly takeProfit: string
  readonly stopLoss: string
  readonly extendedHours: boolean
}

const emptyFields: TicketFields = {
  symbol: '',
  side: 'buy',
  type: 'market',
  unit: 'shares',
  size: '1',
  limitPrice: '',
  stopPrice: '',
  trail: '',
  trailUnit: 'percent',
  validity: 'day',
  attachment: 'none',
  takeProfit: '',
  stopLoss: '',
  extendedHours: false,
}

/** The ticket of the page. A screen or a key can fill it. */
export const fields = signal<TicketFields>(emptyFields)
/** The text of the symbol field while it is being edited; the symbol of the ticket follows it. */
export const typedSymbol = signal<string | undefined>(undefined)
/** The typed symbol that the world does not have, in capitals. */
export const unknownSymbol = signal<string | undefined>(undefined)
/** The cursor is to be put into the ticket. */
export const isFocusRequested = signal(false)

export function changeTicket(change: Partial<TicketFields>): void {
  if (change.symbol !== undefined) typedSymbol.value = undefined
  const next = { ...fields.value, ...change }
  const isCrypto = next.symbol.includes('/')
  // Crypto trades without days.
  const validityNow = isCrypto && next.validity === 'day' ? 'gtc' : next.validity
  fields.value = { ...next, validity: !isCrypto && fields.value.symbol.includes('/') ? 'day' : validityNow }
}

/** A typed text as a symbol. */
export const symbolIn = (text: string | undefined): string => text?.trim().toUpperCase() ?? ''

/** Puts a text into the symbol field. The ticket has a symbol only if the text is one, so it never orders another. */
export function typeSymbol(text: string, symbols: ReadonlySet<string>): void {
  const wanted = symbolIn(text)
  changeTicket({ symbol: symbols.has(wanted) ? wanted : '' })
  typedSymbol.value = text
}

/** Empties the ticket, but keeps its symbol. */
export const clearTicket = (): void => {
  fields.value = { ...emptyFields, symbol: fields.value.symbol }
}

/** Fills the ticket and puts the cursor into it. */
export function startOrder(change: Partial<TicketFields>): void {
  changeTicket(change)
  isFocusRequested.value = true
}

/** The exits of a position have their own prices. */
export const needsPrice = ({ type, attachment }: TicketFields, price: OrderPrice): boolean =>
  attachment !== 'oco' && pricesOfType(type).includes(price)
export const hasTakeProfit = ({ attachment }: TicketFields): boolean =>
  attachment === 'bracket' || attachment === 'oco' || attachment === 'take_profit'
export const hasStopLoss = ({ attachment }: TicketFields): boolean =>
  attachment === 'bracket' || attachment === 'oco' || attachment === 'stop_loss'

/** The first field that is missing or not a number, with its problem. */
export function problemOf(
  ticket: TicketFields,
): { readonly field: string; readonly message: string } | undefined {
  const needed: readonly (readonly [name: keyof TicketFields, label: string, isNeeded: boolean])[] = [
    ['symbol', 'a symbol', true],
    ['size', ticket.unit === 'money' ? 'an amount' : 'a quantity', true],
    ['limitPrice', 'a limit price', needsPrice(ticket, 'limit_price')],
    ['stopPrice', 'a stop price', needsPrice(ticket, 'stop_price')],
    ['trail', 'a distance', pricesOfType(ticket.type).includes('trail')],
    ['takeProfit', 'a price to take the profit', hasTakeProfit(ticket)],
    ['stopLoss', 'a price to stop the loss', hasStopLoss(ticket)],
  ]
  for (const [field, label, isNeeded] of needed) {
    const text = String(ticket[field])
    if (isNeeded && text === '') return { field, message: missingText(field, label) }
    if (isNeeded && field !== 'symbol' && !/^\d+(\.\d+)?$/.test(text))
      return { field, message: 'Enter a number such as 12.50' }
  }
  return undefined
}

function missingText(field: keyof TicketFields, label: string): string {
  const typed = field === 'symbol' ? typedSymbol.value?.trim() : undefined
  if (!typed) return `Enter ${label}`
  return symbolIn(typed) === unknownSymbol.value ? `${typed} is not a symbol` : 'Reading symbols'
}

/** The order as the API expects it. */
export function bodyOf(ticket: TicketFields): OrderBody {
  const { symbol, side, size, unit, attachment } = ticket
  const type = attachment === 'oco' ? 'limit' : ticket.type
  return {
    symbol,
    side,
    type,
    time_in_force: ticket.validity,
    ...(unit === 'money' ? { notional: size } : { qty: size }),
    ...(needsPrice(ticket, 'limit_price') && { limit_price: ticket.limitPrice }),
    ...(needsPrice(ticket, 'stop_price') && { stop_price: ticket.stopPrice }),
    ...(pricesOfType(ticket.type).includes('trail') &&
      (ticket.trailUnit === 'percent' ? { trail_percent: ticket.trail } : { trail_price: ticket.trail })),
    ...(attachment !== 'none' && {
      order_class: attachment === 'bracket' || attachment === 'oco' ? attachment : 'oto',
    }),
    ...(hasTakeProfit(ticket) && { take_profit: { limit_price: ticket.takeProfit } }),
    ...(hasStopLoss(ticket) && { stop_loss: { stop_price: ticket.stopLoss } }),
    ...(ticket.extendedHours && orderTypes[type].extendedHours && { extended_hours: true }),
  }
}
