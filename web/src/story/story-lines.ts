import type { Output } from '@quipu/sdk'
import { moneyText, priceText, quantityText } from '../format/amounts.ts'
import { compare, decimal, negate, signOf, subtract } from '../format/decimal.ts'
import { reasonWords } from '../format/request-sentence.ts'
import { stepText } from '../format/step-text.ts'
import { dayText, secondText } from '../format/times.ts'

export type Explanation = Output<'explainOrder'>
type Step = Explanation['steps'][number]
type Numbers = Readonly<Record<string, string>>

/** What was asked, how it ended, and the reason in numbers. A line that has nothing to say is empty. */
export type StoryLines = readonly [asked: string, ended: string, why: string]

/** The three lines of an explanation. `limit` is the own limit of the order, if it has one. */
export function storyLines(explanation: Explanation): StoryLines {
  const [first] = explanation.steps
  if (first === undefined) return [explanation.summary, '', '']
  if (first.code === 'placed' || first.code === 'asked') {
    const asked = orderText(first.numbers)
    const limit = first.numbers['limit_price']
    return explanation.outcome === 'refused'
      ? [asked, refusedText(explanation), possibleText(explanation)]
      : [asked, endText(explanation), quoteText(explanation, limit)]
  }
  return [explanation.summary, explanation.steps.at(-1)?.sentence ?? '', '']
}

/** `Buy 30 AAPL at 308.90 or better` */
function orderText({ side, qty, notional, symbol, limit_price: limit, stop_price: stop }: Numbers): string {
  const size = qty === undefined ? `$${moneyText(notional ?? '0')} of` : quantityText(qty)
  const from = stop === undefined ? '' : `, stop ${priceText(stop)}`
  const price =
    limit === undefined ? (stop === undefined ? ' at the market' : '') : ` at ${priceText(limit)} or better`
  return `${side === 'sell' ? 'Sell' : 'Buy'} ${size} ${symbol ?? ''}${price}${from}`
}

/** The day and the month stay on one line. */
const when = (at: string): string => `${dayText(at).replace(' ', '\u00a0')} ${secondText(at)}`

const ends = new Set(['canceled', 'expired', 'rejected', 'replaced', 'liquidation'])

/** `Filled 45 at 205.38 on 5 Jan 10:31:30.` */
function endText({ steps, outcome }: Explanation): string {
  const fills = steps.filter(({ code }) => code === 'filled')
  const last = fills.at(-1)
  if (outcome === 'filled' && last) {
    const parts = fills.length === 1 ? '' : ` in ${fills.length} parts, the last`
    const { filled_qty: filled, qty, price } = last.numbers
    return `Filled ${quantityText(filled ?? qty ?? '0')}${parts} at ${priceText(price ?? '0')}, ${when(last.at)}.`
  }
  const end = steps.findLast(({ code }) => ends.has(code)) ?? steps.at(-1)
  const part =
    last === undefined ? 'Nothing filled' : `Filled ${quantityText(last.numbers['filled_qty'] ?? '0')}`
  if (end === undefined) return `${part}.`
  const { title } = stepText(end)
  return outcome === 'open' ? `${part} yet. ${waitingText(end)}` : `${part}. ${title} ${when(end.at)}.`
}

function waitingText(step: Step): string {
  const { numbers } = step
  if (step.code !== 'waiting' || numbers['for'] !== 'quote') return stepText(step).sentence
  const [far, word] = numbers['side'] === 'sell' ? [numbers['bid'], 'bid'] : [numbers['ask'], 'ask']
  if (far === undefined || numbers['limit_price'] === undefined) return stepText(step).sentence
  return `The ${word} is ${priceText(far)}, ${distance(far, numbers['limit_price'])} away.`
}

/** `0.30` */
function distance(one: string, other: string): string {
  const apart = subtract(decimal(one), decimal(other))
  return priceText(signOf(apart) < 0 ? negate(apart) : apart)
}

/** The quote that filled the order, or the nearest one that missed it. */
function quoteText({ quotes, steps }: Explanation, limit: string | undefined): string {
  const fill = quotes.findLast(({ relation }) => relation === 'fill')
  if (fill) {
    const { volume_cap: cap } = steps.findLast(({ code }) => code === 'filled')?.numbers ?? {}
    const had = cap === undefined || cap === 'unlimited' ? '' : `, size ${quantityText(fill.size)}`
    return `The quote: bid ${priceText(fill.bid)}, ask ${priceText(fill.ask)}${had}.`
  }
  const closest = quotes.find(({ relation }) => relation === 'closest')
  if (!closest || limit === undefined) return ''
  if (compare(decimal(closest.price), decimal(limit)) === 0) return ''
  const by = distance(closest.price, limit)
  return `The market came to ${priceText(closest.price)}, ${by} from the limit, ${when(closest.at)}.`
}

/** `Refused: not enough buying power. It takes 39,000.00; 12,500.00 are free.` */
function refusedText({ steps }: Explanation): string {
  const last = steps.at(-1)
  if (last === undefined) return 'Refused.'
  const words = reasonWords(last.code)
  const { cost, buying_power: power } = steps.find(({ code }) => code === 'buyingPower')?.numbers ?? {}
  if (cost !== undefined && power !== undefined)
    return `Refused: ${words}. It takes ${moneyText(cost)}; ${moneyText(power)} are free.`
  return `Refused: ${words}. ${last.numbers['message'] ?? ''}`.trim()
}

/** `12 were possible at 130.50.` */
function possibleText({ counterfactual }: Explanation): string {
  for (const { code, numbers, sentence } of counterfactual) {
    const { qty, price, notional } = numbers
    if (code === 'quantityPossible' && qty !== undefined)
      return `${quantityText(qty)} ${qty === '1' ? 'was' : 'were'} possible${price === undefined ? '' : ` at ${priceText(price)}`}.`
    if (code === 'notionalPossible' && notional !== undefined) return `$${moneyText(notional)} were possible.`
    if (code === 'limitReachedAt') return sentence
  }
  return ''
}
