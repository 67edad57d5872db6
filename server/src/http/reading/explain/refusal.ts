import { errorResponse } from '@quipu/contract'
import {
  type ClosedPart,
  classOf,
  costInCents,
  divide,
  format,
  formatInstant,
  type PlaceOrder,
  type Price,
  parseDecimal,
  type Quantity,
  type Refusal,
  settingsOf,
  tradesAt,
  UNIT,
} from '@quipu/core'
import { refuseOrder } from '../../../wire/order-words.ts'
import type { Reason } from '../../../wire/refusal.ts'
import type { RefusedCommand } from '../../../world/request-outcomes.ts'
import type { World } from '../../../world/world.ts'
import { quoteNumbers, quoteText } from './acceptance.ts'
import { touch } from './counterfactual.ts'
import { type Numbers, type Sight, type Step, stepAt } from './step.ts'
import { replaceText, termsNumbers, termsText } from './terms.ts'

/** A refused command in a few words. */
export function commandText({ command }: RefusedCommand): string {
  switch (command.kind) {
    case 'placeOrder':
      return termsText(command)
    case 'replaceOrder':
      return replaceText(command)
    case 'cancelOrder':
      return `cancel order ${command.orderId}`
    case 'closePosition':
      return `close ${partText(command.part)} of the position in ${command.symbol}`
  }
}

function partText(part: ClosedPart): string {
  if (part.kind === 'all') return 'all'
  return part.kind === 'quantity' ? format(part.quantity) : `${format(part.percentage)} %`
}

function commandNumbers({ command }: RefusedCommand): Numbers {
  if (command.kind === 'placeOrder') return termsNumbers(command)
  return command.kind === 'closePosition' ? { symbol: command.symbol } : { order_id: command.orderId }
}

export const messageOf = ({ reason }: RefusedCommand): string => answerOf(reason).body.message

/** The error response of a refusal. */
function answerOf(reason: Refusal) {
  const worded = refuseOrder(reason).reason
  return errorResponse(worded.code, worded)
}

/** The steps of a refusal: the command, the session, the market, and the rule with its numbers. */
export function refusalSteps(world: World, refused: RefusedCommand): Step[] {
  const { at, command, reason, quote, trade } = refused
  const { body, status } = answerOf(reason)
  const { code, message, reason: word, ...numbers } = body
  const steps: Step[] = [stepAt(at, 'asked', commandNumbers(refused), `Requested: ${commandText(refused)}.`)]
  if (command.kind === 'placeOrder') steps.push(sessionStep(world, refused, command))
  if (quote)
    steps.push(
      stepAt(
        at,
        'market',
        { ...quoteNumbers(quote), traded: trade?.price },
        `The market showed ${quoteText(quote)}${trade ? `, last trade ${format(trade.price)}` : ''}.`,
      ),
    )
  const refusalNumbers = {
    ...wordsOf(refuseOrder(reason).reason),
    ...(numbers as Record<string, string>),
    status,
    code,
  }
  return [...steps, ...arithmetic(refused), stepAt(at, word, refusalNumbers, `Refused: ${message}.`)]
}

const wordsOf = ({ code: _, ...words }: Reason): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, value]) => [snake(name), String(value)]))

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function sessionStep(world: World, { at }: RefusedCommand, command: PlaceOrder): Step {
  const settings = settingsOf(world.view)
  const isOn = tradesAt(settings, classOf(command), at)
  const numbers = {
    hours: settings.hours,
    trades_now: String(isOn),
    extended_hours: String(command.extendedHours),
  }
  return stepAt(
    at,
    'session',
    numbers,
    isOn
      ? 'The market was open for this order.'
      : 'The market was closed for this order: it would have been queued.',
  )
}

/** The calculation of a refusal for insufficient buying power, balance or quantity. */
function arithmetic({ at, reason }: RefusedCommand): Step[] {
  switch (reason.code) {
    case 'insufficientBuyingPower': {
      const { buyingPower, costBasis } = reason
      const missing = amount(costBasis) - amount(buyingPower)
      const text = `It takes ${costBasis}; the buying power was ${buyingPower}: ${format(missing)} too little.`
      return [stepAt(at, 'buyingPower', { cost: costBasis, buying_power: buyingPower, missing }, text)]
    }
    case 'insufficientBalance': {
      const { symbol, balance, available, requested } = reason
      const text = `It takes ${requested} ${symbol}; of ${balance}, ${available} are available.`
      return [stepAt(at, 'balance', { symbol, balance, available, requested }, text)]
    }
    case 'insufficientQuantity': {
      const { existingQty, heldForOrders, available, requested } = reason
      const existing = amount(existingQty)
      const minting = (existing < 0n ? -existing : existing) - amount(heldForOrders) - amount(available)
      const mints = minting > 0n ? ` and ${format(minting)} for mint requests` : ''
      const text = `Of ${existingQty} held, ${heldForOrders} are reserved for other orders${mints}: ${available} are available, ${requested} were requested.`
      const numbers = {
        position: existingQty,
        held_for_orders: heldForOrders,
        held_for_mints: minting > 0n ? minting : undefined,
        available,
        requested,
      }
      return [stepAt(at, 'shares', numbers, text)]
    }
    default:
      return []
  }
}

function amount(text: string): bigint {
  const read = parseDecimal(text)
  return read.ok ? read.value : 0n
}

/** The quantity that was possible, and the time at which the limit would have been reached. */
export async function refusalCounterfactual(
  world: World,
  refused: RefusedCommand,
  sight: Sight,
): Promise<Step[]> {
  const { command, at, quote } = refused
  if (command.kind !== 'placeOrder') return []
  const steps = affordable(refused, command)
  const { limit, side } = command
  if (limit === undefined || !quote || world.market.live || !world.market.assets().has(command.symbol))
    return steps
  const far = side === 'buy' ? quote.ask : quote.bid
  const isReached = side === 'buy' ? far <= limit : far >= limit
  if (isReached)
    return [
      ...steps,
      stepAt(
        at,
        'limitReachedAt',
        { limit_price: limit },
        `Its limit of ${format(limit)} would have been reached at once.`,
      ),
    ]
  steps.push(
    stepAt(
      at,
      'limitAtOnce',
      { limit_price: far },
      `A limit of ${format(far)} or ${side === 'buy' ? 'more' : 'less'} would have been reached at once.`,
    ),
  )
  const to = sight === 'past' ? world.latest : ((world.latest + DAY_NS) as typeof at)
  const when = await touch(world, command, limit, { from: at, to })
  if (when !== undefined)
    steps.push(
      stepAt(
        when,
        'limitReachedAt',
        { limit_price: limit, at: formatInstant(when) },
        `Its own limit of ${format(limit)} is reached at ${formatInstant(when)}.`,
      ),
    )
  return steps
}

const DAY_NS = 86_400_000_000_000n

/** The quantity that the account could afford. */
function affordable({ at, reason }: RefusedCommand, command: PlaceOrder): Step[] {
  if (reason.code === 'insufficientQuantity') {
    const text = `At most ${reason.available} could have been ordered.`
    return [stepAt(at, 'quantityPossible', { qty: reason.available }, text)]
  }
  if (reason.code !== 'insufficientBuyingPower') return []
  const power = amount(reason.buyingPower)
  const { notional, limit, side, quantity } = command
  if (notional !== undefined)
    return [
      stepAt(
        at,
        'notionalPossible',
        { notional: power },
        `At most ${format(power)} USD could have been ordered.`,
      ),
    ]
  const price = side === 'buy' && limit !== undefined ? limit : priceIn(amount(reason.costBasis), quantity)
  const shares = wholeFor(power, price)
  const text = `At ${format(price)} the buying power was enough for ${format(shares)}.`
  return [stepAt(at, 'quantityPossible', { qty: shares, price }, text)]
}

/** The price per share from the total cost. */
const priceIn = (cost: bigint, quantity: Quantity): Price => divide(cost * UNIT, quantity, 'up') as Price

/** The largest number of whole shares whose cost, rounded up to a cent, fits the buying power. */
function wholeFor(power: bigint, price: Price): Quantity {
  let count = price > 0n && power > 0n ? divide(power, price, 'down') : 0n
  while (count > 0n && costInCents(price, (count * UNIT) as Quantity, 'up') > power) count -= 1n
  return (count * UNIT) as Quantity
}
