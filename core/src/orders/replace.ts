import { heldMoney, heldShares } from '../account/holds.ts'
import { max, NO_PRICE, NO_QUANTITY, subtract, toPrice } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Decider } from '../handlers.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import { settingsOf, type View } from '../state/state.ts'
import { checkBuyingPower } from './buying-power-check.ts'
import type { ReplaceOrder } from './commands.ts'
import { estimatePrice, phaseOf } from './estimate.ts'
import { type GeometryRefusal, geometryFault, type MemberPrices, membersFault } from './geometry.ts'
import { groupOf, withConsequences } from './groups.ts'
import { trailingStopPrice, trailOf } from './matching/trigger-prices.ts'
import { type Order, remaining, type Trigger } from './order.ts'
import { accountFault, decidedBy, isTaken, type PlaceRefusal } from './place.ts'
import { changeFault, type ReplaceRefusal, stateFault } from './replace-faults.ts'
import { expiryOf, sessionEntry, windowFault } from './session.ts'
import { type OrderTerms, termsFault } from './terms.ts'
import { latencyOf } from './venue/draw.ts'
import { replaceRequested } from './venue/replacements.ts'
import { washTrade } from './wash.ts'

/**
 * Replaces an open order, in one decision with the effects on its group. The filled part counts: the new
 * order is for the rest.
 */
export const replaceOrder: Decider<'replaceOrder', ReplaceRefusal | PlaceRefusal> = (
  view,
  moment,
  command,
) => {
  const before = view.orders.get(command.orderId)
  if (!before || before.accountId !== command.accountId)
    return fail({ code: 'orderNotFound', id: command.orderId })
  const refused = stateFault(before) ?? changeFault(before, command)
  if (refused) return fail(refused)
  if (isTaken(view, command)) return fail({ code: 'clientOrderIdTaken' })
  const after = decideReplacement(view, moment, before, command)
  if (!after.ok) return after
  const { at } = moment
  const { accountId, id: orderId } = before
  const requested = replaceRequested(settingsOf(view), moment, before, after.value)
  if (requested) return ok(requested)
  return ok(
    withConsequences(view, moment, [
      { kind: 'orderReplaced', at, accountId, orderId, by: after.value.order.id },
      { kind: 'orderAccepted', at, accountId, ...after.value },
    ]),
  )
}

type Replacement = Result<
  { readonly order: Order; readonly decidedWith: ReturnType<typeof decidedBy> },
  PlaceRefusal
>

/** Applies the checks of a new order; the holds of the replaced order count as available. */
function decideReplacement(view: View, moment: Moment, before: Order, command: ReplaceOrder): Replacement {
  const account = view.accounts.get(before.accountId)!
  const { symbol, intent } = before
  const asset = moment.asset(symbol)
  if (!asset) return fail({ code: 'assetNotFound', symbol })
  const terms = termsAfter(before, command)
  const settings = settingsOf(view)
  const refused =
    termsFault(asset, terms) ?? priceFault(view, moment, before, terms) ?? accountFault(account, asset, terms)
  if (refused) return fail(refused)
  const session = phaseOf(settings, symbol, moment.at)
  const marketEstimate = estimatePrice(moment, session, terms, intent)
  if (!marketEstimate) return fail({ code: 'noPrice', symbol })
  const estimate = { ...marketEstimate, reserve: max(marketEstimate.reserve, keptStop(before, terms)) }
  const position = view.positions.get(account.id)?.get(symbol)?.quantity ?? NO_QUANTITY
  // A leg that holds nothing while waiting needs no buying power.
  const buyingPower = isHolding(before)
    ? checkBuyingPower(view, moment, {
        account,
        asset,
        terms,
        intent,
        position,
        estimate,
        released: { money: heldMoney(before), shares: heldShares(before) },
      })
    : ok({ position, available: remaining(before) })
  if (!buyingPower.ok) return buyingPower
  const newOrder = { ...terms, accountId: account.id, kind: before.kind, group: before.group }
  const timingFault = washTrade(view, newOrder) ?? windowFault(settings, terms.timeInForce, moment.at)
  if (timingFault) return fail(timingFault)
  const order = orderAfter(view, moment, before, { terms, command, reserve: estimate.reserve })
  return ok({ order, decidedWith: decidedBy(session, estimate, buyingPower.value) })
}

/** The stop of a replaced trailing buy. It keeps its best price, so the stop may be above the last trade. */
function keptStop({ side, trigger }: Order, terms: OrderTerms): Order['reserve'] {
  const trail = trailOf(terms)
  if (side === 'sell' || !trail || trigger?.highWater === undefined) return NO_PRICE
  return trailingStopPrice(side, trigger.highWater, trail)
}

const isHolding = (order: Order): boolean => heldMoney(order) > 0n || heldShares(order) > NO_QUANTITY

/** The terms of the new order, for the remaining quantity. */
function termsAfter(before: Order, command: ReplaceOrder): OrderTerms {
  const { trigger } = before
  const waits = trigger !== undefined && trigger.electedAt === undefined
  const trailPrice =
    trigger?.trailPrice === undefined ? undefined : toPrice(command.trail ?? trigger.trailPrice)
  const trailPercent =
    trigger?.trailPercent === undefined ? undefined : (command.trail ?? trigger.trailPercent)
  const trails = trailPrice !== undefined || trailPercent !== undefined
  return {
    symbol: before.symbol,
    side: before.side,
    type: before.kind,
    timeInForce: command.timeInForce ?? before.timeInForce,
    extendedHours: before.extendedHours,
    quantity: subtract(command.quantity ?? before.quantity, before.filledQuantity),
    limit: command.limit ?? before.limit,
    stop: waits && !trails ? (command.stop ?? trigger.stop) : undefined,
    trailPrice: waits ? trailPrice : undefined,
    trailPercent: waits ? trailPercent : undefined,
  }
}

/**
 * Prices within a group must be consistent. A stop that waits for its parent is not compared with the market
 * yet.
 */
function priceFault(
  view: View,
  { prices }: Moment,
  before: Order,
  terms: OrderTerms,
): GeometryRefusal | undefined {
  const { group, side } = before
  const exit = group?.role === 'entry' ? (side === 'buy' ? 'sell' : 'buy') : side
  const fault = group && membersFault(exit, pricesAfter(view, before, terms))
  if (fault) return fault
  const waits = before.status === 'held' && before.trigger?.armedAt === undefined
  return waits ? undefined : geometryFault(terms, prices.trade(before.symbol)?.price)
}

const PRICE_OF_ROLE = { entry: 'entry', takeProfit: 'profit', stopLoss: 'stop' } as const

/** Prices of the open members of a group after the replacement. */
function pricesAfter(view: View, before: Order, terms: OrderTerms): MemberPrices {
  const prices: { -readonly [Name in keyof MemberPrices]: MemberPrices[Name] } = {}
  for (const id of view.groups.get(groupOf(before)) ?? []) {
    const member = view.orders.get(id)
    if (!member?.group) continue
    const { limit, stop } = id === before.id ? terms : { limit: member.limit, stop: member.trigger?.stop }
    const name = PRICE_OF_ROLE[member.group.role]
    prices[name] = name === 'stop' ? stop : limit
  }
  return prices
}

type ReplacementInput = {
  readonly terms: OrderTerms
  readonly command: ReplaceOrder
  readonly reserve: Order['reserve']
}

function orderAfter(
  view: View,
  moment: Moment,
  before: Order,
  { terms, command, reserve }: ReplacementInput,
): Order {
  const { at } = moment
  const { events } = found(view.accounts.get(before.accountId), before.accountId)
  const settings = settingsOf(view)
  const id = moment.id(before.accountId, events, 0)
  const entry = sessionEntry(settings, terms, at, latencyOf(settings, moment, id))
  const isHeld = before.status === 'held'
  return definedFields({
    ...before,
    id,
    clientOrderId: command.clientOrderId ?? moment.id(before.accountId, events, 1),
    timeInForce: terms.timeInForce,
    quantity: terms.quantity,
    limit: terms.limit,
    trigger: before.trigger && triggerAfter(before, before.trigger, terms, isHeld ? undefined : entry.due),
    spent: undefined,
    venue: undefined,
    replaces: before.id,
    status: isHeld ? 'held' : entry.status,
    reserve,
    filledQuantity: NO_QUANTITY,
    filledValue: 0n,
    createdAt: at,
    submittedAt: at,
    updatedAt: at,
    expiresAt: before.group ? before.expiresAt : expiryOf(settings, terms, at),
    dueAt: entry.due,
  })
}

/** A stop is armed again; an elected one stays elected, and a trailing one keeps its best price. */
function triggerAfter(
  { side }: Order,
  trigger: Trigger,
  terms: OrderTerms,
  armedAt: Order['dueAt'] | undefined,
): Trigger {
  if (trigger.electedAt !== undefined) return trigger
  const { stop = trigger.stop } = terms
  const armed = trigger.armedAt === undefined ? {} : { armedAt: armedAt ?? trigger.armedAt }
  if (trigger.highWater === undefined) return { stop, ...armed }
  const trail = found(trailOf(terms), 'the trail')
  const { highWater } = trigger
  return { stop: trailingStopPrice(side, highWater, trail), ...trail, highWater, ...armed }
}
