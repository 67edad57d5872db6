import { moneyText, quantityText } from '../format/amounts.ts'

/** A refusal as the API returns it. */
export type Refusal = {
  readonly message: string
  readonly reason?: string | undefined
  readonly code?: number | undefined
} & Readonly<Record<string, unknown>>

/** What is wrong in a few words, one sentence with the numbers, and the change that helps. */
export type RefusalText = {
  readonly title: string
  readonly sentence: string
  readonly fix?: { readonly kind: 'size'; readonly size: string; readonly label: string }
  readonly otherOrderId?: string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const money = (value: unknown): string =>
  /^-?\d+(\.\d+)?$/.test(text(value)) ? moneyText(text(value)) : text(value)

const templates: Readonly<Record<string, (refusal: Refusal) => RefusalText>> = {
  insufficientBuyingPower: (refusal) => ({
    title: 'Not enough buying power',
    sentence: `The order takes ${money(refusal['cost_basis'])}; you have ${money(refusal['buying_power'])}.`,
  }),
  insufficientQuantity: (refusal) => ({
    title: 'Not enough shares',
    sentence: `You want to sell ${text(refusal['requested'])}; ${text(refusal['available'])} are free. Open orders hold the others.`,
    ...(Number(refusal['available']) > 0 && {
      fix: {
        kind: 'size' as const,
        size: text(refusal['available']),
        label: `Sell ${quantityText(text(refusal['available']))}`,
      },
    }),
  }),
  washTrade: (refusal) => ({
    title: 'Opposite order',
    sentence: 'An open order of this account on the other side could trade with this one.',
    otherOrderId: text(refusal['existing_order_id']),
  }),
  subPenny: () => ({
    title: 'Too many decimal places',
    sentence: 'Prices from 1.00 on have at most 2 decimal places, lower prices at most 4.',
  }),
  fractionalMustBeDay: () => ({
    title: 'Fractions are valid today only',
    sentence: 'An order with a fraction of a share, or for an amount of money, can only be valid today.',
  }),
  fractionalMustBeSimple: () => ({
    title: 'Fractions have no exits',
    sentence: 'An order with a fraction of a share cannot have a take profit or a stop loss.',
  }),
  assetNotShortable: () => ({
    title: 'This share cannot be sold short',
    sentence: 'You hold none of it, so the order would sell it short.',
  }),
  tradingBlocked: () => ({
    title: 'Trading is blocked',
    sentence: 'An operator blocked this account for trading.',
  }),
  noPrice: () => ({
    title: 'There is no price yet',
    sentence: 'The market has not traded this symbol yet, so the order cannot be valued.',
  }),
}

/** The words for a refusal. An unknown reason shows the message of the API. */
export function refusalText(refusal: Refusal): RefusalText {
  const template = refusal.reason === undefined ? undefined : templates[refusal.reason]
  if (template) return template(refusal)
  const message = refusal.message.replace(/^\w/, (letter) => letter.toUpperCase())
  return { title: 'The order is refused', sentence: `${message}${refusal.code ? ` (${refusal.code})` : ''}.` }
}
