import type { JournalEvent } from '@quipu/sdk'
import { priceText, quantityText } from './amounts.ts'
import { sizeOf } from './orders.ts'

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `orderFilled` as `order filled`. */
export const kindWords = (kind: string): string =>
  kind.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)

/** What happened, in the words of the screen: `filled 60 at 309.20`. */
export function eventTitle({ kind, event }: JournalEvent): string {
  return titles[kind]?.(event) ?? kindWords(kind)
}

/** Kinds whose name does not say enough. */
const titles: Readonly<Record<string, (event: Fields) => string>> = {
  orderAcknowledged: () => 'working',
  orderFilled: ({ quantity, price }) =>
    `filled ${quantityText(textOf(quantity))} at ${priceText(textOf(price))}`,
  orderCanceled: ({ why }) =>
    why === 'asked' ? 'order canceled' : `order canceled: ${kindWords(textOf(why))}`,
}

/** What the event is about: `Buy 45 AAPL`, `AAPL`, or nothing. */
export function eventSubject({ kind, event }: JournalEvent): string {
  const order = event['order'] as Fields | undefined
  if (kind === 'orderAccepted' && order) {
    const { quantity, notional, symbol, side } = order
    const size = { qty: quantity ?? null, notional: notional ?? null, symbol } as Parameters<typeof sizeOf>[0]
    return `${side === 'buy' ? 'Buy' : 'Sell'} ${sizeOf(size)}`
  }
  return textOf(event['symbol']) || textOf(event['date']) || textOf(event['name'])
}

/** The id that the program of the account chose, from an accepted order. */
export function clientOrderId({ event }: JournalEvent): string | undefined {
  return textOf((event['order'] as Fields | undefined)?.['clientOrderId']) || undefined
}
