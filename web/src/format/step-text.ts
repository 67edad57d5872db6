import type { Output } from '@quipu/sdk'
import { moneyText, priceText, quantityText } from './amounts.ts'
import { longDayText, minuteText, secondText } from './times.ts'

type Step = Output<'explainOrder'>['steps'][number]

/** A step in the words of the screen: a title, a sentence, and its knot on the cord. */
export type StepText = {
  readonly title: string
  readonly sentence: string
  readonly knot: 'event' | 'check' | 'absent' | 'end' | 'refused' | 'gap'
}

type Numbers = Readonly<Record<string, string>>

const price = (text: string | undefined): string => (text === undefined ? '–' : priceText(text))
const quantity = (text: string | undefined): string => (text === undefined ? '–' : quantityText(text))
const money = (text: string | undefined): string => (text === undefined ? '–' : moneyText(text))
const quoteOf = ({ bid, bid_size, ask, ask_size }: Numbers): string =>
  bid === undefined || ask === undefined
    ? ''
    : ` Bid ${price(bid)} × ${quantity(bid_size)}, ask ${price(ask)} × ${quantity(ask_size)}.`

const templates: Readonly<Record<string, (numbers: Numbers) => StepText>> = {
  placed: () => ({ title: 'Placed', sentence: 'Accepted.', knot: 'event' }),
  session: ({ session, due_at }) => ({
    title: 'Session',
    sentence: `${session === 'regular' ? 'Regular session' : `Session: ${session ?? 'none'}`}.${
      due_at === undefined ? '' : ` The market gets the order at ${secondText(due_at)}.`
    }`,
    knot: 'check',
  }),
  buyingPower: ({ cost, buying_power, left, missing }) => ({
    title: 'Buying power',
    sentence: `Takes ${money(cost)} of ${money(buying_power)}. ${
      missing === undefined
        ? `Enough${left === undefined ? '' : `: ${money(left)} left`}`
        : `${money(missing)} are missing`
    }.`,
    knot: missing === undefined ? 'check' : 'refused',
  }),
  shares: ({ qty, available }) => ({
    title: 'Shares',
    sentence: `Sells ${quantity(qty)} of ${quantity(available)} free shares.`,
    knot: 'check',
  }),
  timeInForce: ({ expires_at }) => ({
    title: 'Valid',
    sentence:
      expires_at === undefined
        ? 'Until it is filled or canceled.'
        : `Until ${longDayText(expires_at)} ${minuteText(expires_at)}.`,
    knot: 'check',
  }),
  worked: (numbers) => ({
    title: 'Working',
    sentence: `The market has it.${quoteOf(numbers)}${
      numbers['limit_price'] === undefined
        ? ''
        : ` The limit of ${price(numbers['limit_price'])} is compared with each quote.`
    }`,
    knot: 'event',
  }),
  filled: (numbers) => ({
    title: `Filled ${quantity(numbers['qty'])} at ${price(numbers['price'])}`,
    sentence: `${quoteOf(numbers).trim()} ${
      numbers['volume_cap'] === undefined || numbers['volume_cap'] === 'unlimited'
        ? ''
        : `The quote had ${quantity(numbers['volume_cap'])}.`
    } ${numbers['remaining_qty'] === '0' ? 'Nothing is left.' : `${quantity(numbers['remaining_qty'])} left.`}`,
    knot: numbers['remaining_qty'] === '0' ? 'end' : 'event',
  }),
  canceled: ({ why }) => ({
    title: 'Canceled',
    sentence: why === 'asked' || why === undefined ? 'At the request of its owner.' : `Reason: ${why}.`,
    knot: 'end',
  }),
  expired: () => ({ title: 'Expired', sentence: 'Its time was over.', knot: 'end' }),
}

/** Codes without a template have the sentence of the API; its title is the code as words. */
export function stepText({ code, numbers, sentence }: Step): StepText {
  const template = templates[code]
  if (template) return template(numbers)
  const title = code.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return { title: title.charAt(0).toUpperCase() + title.slice(1), sentence, knot: knotOf(code) }
}

function knotOf(code: string): StepText['knot'] {
  if (code === 'waiting') return 'gap'
  return code === 'market' || code === 'group' ? 'check' : 'event'
}
