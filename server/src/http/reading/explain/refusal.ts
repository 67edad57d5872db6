import type { RefusedCommand } from '@quipu/broker/world/requests/refused-orders.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { errorResponse } from '@quipu/contract'
import {
  type BuyingPowerRefusal,
  type ClosedPart,
  classOf,
  costInCents,
  divide,
  formatInstant,
  type OrderId,
  type PlaceOrder,
  type Price,
  parseDecimal,
  type Quantity,
  type Refusal,
  settingsOf,
  tickerOf,
  toPrice,
  toQuantity,
  tradesAt,
  UNIT,
} from '@quipu/core'
import { refuseOrder } from '../../../wire/order-words.ts'
import type { Reason } from '../../../wire/refusal.ts'
import { quoteNumbers } from './acceptance.ts'
import { touch } from './counterfactual.ts'
import { closeText, replaceText, termsText, type Values } from './sentences.table.ts'
import {
  type ExplainedStep,
  type ExplainedWorld,
  explainStepAt,
  type Numbers,
  refusalStep,
  type Sight,
  written,
} from './step.ts'
import { replaceNumbers, termsNumbers } from './terms.ts'

type AskedCode = 'asked' | 'askedReplace' | 'askedCancel' | 'askedClose'

/** The code of a refused command, and its numbers. */
function askedOf({ command }: RefusedCommand): readonly [AskedCode, Numbers] {
  switch (command.kind) {
    case 'placeOrder':
      return ['asked', termsNumbers(command)]
    case 'replaceOrder':
      return ['askedReplace', replaceNumbers(command)]
    case 'cancelOrder':
      return ['askedCancel', { order_id: command.orderId }]
    case 'closePosition':
      return ['askedClose', { symbol: command.symbol, ...partNumbers(command.part) }]
  }
}

function partNumbers(part: ClosedPart): Numbers {
  if (part.kind === 'all') return {}
  return part.kind === 'quantity' ? { qty: part.quantity } : { percentage: part.percentage }
}

const askedTexts: Readonly<Record<AskedCode, (values: Values) => string>> = {
  asked: termsText,
  askedReplace: replaceText,
  askedCancel: ({ order_id }) => `cancel order ${order_id}`,
  askedClose: closeText,
}

/** A refused command in a few words. */
export function commandText(refused: RefusedCommand): string {
  const [code, numbers] = askedOf(refused)
  return askedTexts[code](written(numbers))
}

/** Replaces a symbol or an order id that the world does not know: a caller can write anything there. */
export function withoutUnknown({ market }: World, refused: RefusedCommand): RefusedCommand {
  const { command, reason } = refused
  if ('symbol' in command && !market.assets().has(command.symbol)) {
    const symbol = tickerOf('REPLACED')
    return { ...refused, command: { ...command, symbol }, reason: { ...reason, symbol } as Refusal }
  }
  if ('orderId' in command && reason.code === 'orderNotFound') {
    const orderId = 'replaced' as OrderId
    return { ...refused, command: { ...command, orderId }, reason: { ...reason, id: orderId } }
  }
  return refused
}

export const refusalMessage = ({ reason }: RefusedCommand): string => responseOf(reason).body.message

/** The error response of a refusal. */
function responseOf(reason: Refusal) {
  const worded = refuseOrder(reason).reason
  return errorResponse(worded.code, worded)
}

/** The steps of a refusal: the command, the session, the market, and the rule with its numbers. */
export function refusalSteps(world: ExplainedWorld, refused: RefusedCommand): ExplainedStep[] {
  const { at, command, reason, quote, trade } = refused
  const { body, status } = responseOf(reason)
  const { code, message, reason: word, ...numbers } = body
  const steps: ExplainedStep[] = [explainStepAt(at, ...askedOf(refused))]
  if (command.kind === 'placeOrder') steps.push(sessionStep(world, refused, command))
  if (quote) steps.push(explainStepAt(at, 'market', { ...quoteNumbers(quote), traded: trade?.price }))
  const refusalNumbers = {
    ...wordsOf(refuseOrder(reason).reason),
    ...(numbers as Record<string, string>),
    status,
    code,
    message,
  }
  return [...steps, ...arithmetic(refused), refusalStep(formatInstant(at), word, refusalNumbers)]
}

const wordsOf = ({ code: _, ...words }: Reason): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, value]) => [snake(name), String(value)]))

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function sessionStep(world: ExplainedWorld, { at }: RefusedCommand, command: PlaceOrder): ExplainedStep {
  const settings = settingsOf(world.view)
  return explainStepAt(at, 'tradingHours', {
    hours: settings.hours,
    trades_now: tradesAt(settings, classOf(command), at),
    extended_hours: command.extendedHours,
  })
}

/** The calculation of a refusal for insufficient buying power, balance or quantity. */
function arithmetic({ at, reason }: RefusedCommand): ExplainedStep[] {
  if (!isShortage(reason)) return []
  switch (reason.code) {
    case 'insufficientBuyingPower': {
      const { buyingPower, costBasis } = reason
      const missing = amount(costBasis) - amount(buyingPower)
      return [explainStepAt(at, 'buyingPower', { cost: costBasis, buying_power: buyingPower, missing })]
    }
    case 'insufficientBalance': {
      const { symbol, balance, available, requested } = reason
      return [explainStepAt(at, 'balance', { symbol, balance, available, requested })]
    }
    case 'insufficientQuantity': {
      const { existingQty, heldForOrders, available, requested } = reason
      const existing = amount(existingQty)
      const minting = (existing < 0n ? -existing : existing) - amount(heldForOrders) - amount(available)
      const numbers = {
        position: existingQty,
        held_for_orders: heldForOrders,
        held_for_mints: minting > 0n ? minting : undefined,
        available,
        requested,
      }
      return [explainStepAt(at, 'shares', numbers)]
    }
  }
}

/** Refusals of the buying-power check that say how much was available. */
type Shortage = Extract<BuyingPowerRefusal, { readonly buyingPower: string } | { readonly available: string }>
const shortages: Readonly<Record<Shortage['code'], true>> = {
  insufficientBuyingPower: true,
  insufficientBalance: true,
  insufficientQuantity: true,
}
const isShortage = (reason: Refusal): reason is Shortage => reason.code in shortages

function amount(text: string): bigint {
  const read = parseDecimal(text)
  return read.ok ? read.value : 0n
}

/** The quantity that was possible, and the time at which the limit would have been reached. */
export async function refusalCounterfactual(
  world: World,
  refused: RefusedCommand,
  sight: Sight,
): Promise<ExplainedStep[]> {
  const { command, at, quote } = refused
  if (command.kind !== 'placeOrder') return []
  const steps = affordable(refused, command)
  const { limit, side } = command
  if (limit === undefined || !quote || world.market.live || !world.market.assets().has(command.symbol))
    return steps
  const far = side === 'buy' ? quote.ask : quote.bid
  const isReached = side === 'buy' ? far <= limit : far >= limit
  const own = { limit_price: limit, order_is: 'refused' }
  if (isReached) return [...steps, explainStepAt(at, 'limitReachedAt', own)]
  steps.push(explainStepAt(at, 'limitAtOnce', { limit_price: far, side, order_is: 'refused' }))
  const to = sight === 'past' ? world.engine.latest : ((world.engine.latest + DAY_NS) as typeof at)
  const when = await touch(world, command, limit, { from: at, to })
  if (when !== undefined)
    steps.push(explainStepAt(when, 'limitReachedAt', { ...own, at: formatInstant(when) }))
  return steps
}

const DAY_NS = 86_400_000_000_000n

/** The quantity that the account could afford. */
export function affordable({ at, reason }: RefusedCommand, command: PlaceOrder): ExplainedStep[] {
  if (reason.code === 'insufficientQuantity') {
    return [explainStepAt(at, 'quantityPossible', { qty: reason.available })]
  }
  if (reason.code !== 'insufficientBuyingPower') return []
  const power = amount(reason.buyingPower)
  const { notional, limit, side, quantity } = command
  if (notional !== undefined) return [explainStepAt(at, 'notionalPossible', { notional: power })]
  const price = side === 'buy' && limit !== undefined ? limit : priceIn(amount(reason.costBasis), quantity)
  const shares = wholeFor(power, price)
  return [explainStepAt(at, 'quantityPossible', { qty: shares, price })]
}

/** The price per share from the total cost. */
const priceIn = (cost: bigint, quantity: Quantity): Price => toPrice(divide(cost * UNIT, quantity, 'up'))

/** The largest number of whole shares whose cost, rounded up to a cent, fits the buying power. */
function wholeFor(power: bigint, price: Price): Quantity {
  let count = price > 0n && power > 0n ? divide(power, price, 'down') : 0n
  while (count > 0n && costInCents(price, toQuantity(count * UNIT), 'up') > power) count -= 1n
  return toQuantity(count * UNIT)
}
