import type { Account } from '../account/account.ts'
import { type BlockRefusal, blockFault } from '../account/blocks.ts'
import { configOf } from '../account/config.ts'
import { NO_QUANTITY } from '../amount.ts'
import type { Decider } from '../handlers.ts'
import type { Asset } from '../market/assets/asset.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok } from '../result.ts'
import { orderIdOf, settingsOf, type View } from '../state/state.ts'
import {
  type BuyingPowerChecked,
  type BuyingPowerRefusal,
  checkBuyingPower,
  NOTHING_RELEASED,
} from './buying-power-check.ts'
import type { PlaceOrder } from './commands.ts'
import { estimatePrice, type PriceEstimate, phaseOf, quantityFor } from './estimate.ts'
import type { DecidedWith, OrderAccepted, TradingPhase } from './events.ts'
import { type GeometryRefusal, geometryFault } from './geometry.ts'
import { type IntentRefusal, intentFault, intentOf } from './intent.ts'
import { withLegs } from './legs.ts'
import { trailingStopPrice, trailOf } from './matching/trigger-prices.ts'
import type { Order, PositionIntent, Trigger } from './order.ts'
import { expiryOf, sessionEntry, type WindowRefusal, windowFault } from './session.ts'
import { isFractional, type OrderTerms, type TermsRefusal, termsFault } from './terms.ts'
import { withDoneAt } from './venue/day.ts'
import { latencyOf } from './venue/draw.ts'
import { type WashRefusal, washTrade } from './wash.ts'

export type PlaceRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'clientOrderIdTaken' }
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'noPrice'; readonly symbol: string }
  | AccountRefusal
  | TermsRefusal
  | GeometryRefusal
  | IntentRefusal
  | BuyingPowerRefusal
  | WashRefusal
  | WindowRefusal

/** Checks run in the order of the steps below; the first failure is returned. A refusal changes nothing. */
export const placeOrder: Decider<'placeOrder', PlaceRefusal> = (view, moment, command) => {
  const account = view.accounts.get(command.accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  if (isTaken(view, command)) return fail({ code: 'clientOrderIdTaken' })
  const asset = moment.asset(command.symbol)
  if (!asset) return fail({ code: 'assetNotFound', symbol: command.symbol })
  const position = view.positions.get(account.id)?.get(asset.symbol)?.quantity ?? NO_QUANTITY
  const intent = intentOf(command, position)
  const refused =
    termsFault(asset, command) ??
    geometryFault(command, moment.prices.trade(asset.symbol)?.price) ??
    intentFault(asset, command, intent, command.intent) ??
    (command.source ? undefined : accountFault(account, asset, command))
  if (refused) return fail(refused)

  const session = phaseOf(settingsOf(view), asset.symbol, moment.at)
  const estimate = estimatePrice(moment, session, command, intent)
  if (!estimate) return fail({ code: 'noPrice', symbol: asset.symbol })
  const terms = withQuantity(command, estimate)
  const buyingPower = checkBuyingPower(view, moment, {
    account,
    asset,
    terms,
    intent,
    position,
    estimate,
    released: NOTHING_RELEASED,
  })
  if (!buyingPower.ok) return buyingPower
  const { side, type: kind, limit, class: group } = command
  const timingFault =
    washTrade(view, { accountId: account.id, symbol: asset.symbol, side, kind, limit, group }) ??
    windowFault(settingsOf(view), command.timeInForce, moment.at)
  if (timingFault) return fail(timingFault)
  const order = orderFrom(view, moment, { command, terms, account, asset, intent, estimate })
  return ok(acceptedEvents(moment, account, order, terms, decidedBy(session, estimate, buyingPower.value)))
}

/** Estimates the quantity of a notional order. */
function withQuantity(command: PlaceOrder, { reserve }: PriceEstimate): OrderTerms {
  const { notional } = command
  return notional === undefined ? command : { ...command, quantity: quantityFor(notional, reserve) }
}

/** The inputs of the decision, in the field order of the journal. */
export function decidedBy(
  session: TradingPhase,
  { reserve, quote, traded }: PriceEstimate,
  checked: BuyingPowerChecked,
): DecidedWith {
  return {
    session,
    reference: reserve,
    ...(quote ? { quote } : undefined),
    ...(traded === undefined ? undefined : { traded }),
    ...checked,
  }
}

function acceptedEvents(
  { at, id }: Moment,
  account: Account,
  order: Order,
  terms: OrderTerms,
  decidedWith: DecidedWith,
): readonly OrderAccepted[] {
  const accountId = account.id
  if (!terms.class) return [{ kind: 'orderAccepted', at, accountId, order, decidedWith }]
  const [parent, ...legs] = withLegs(id, order, terms, account.events)
  return [
    { kind: 'orderAccepted', at, accountId, order: parent, decidedWith },
    ...legs.map((leg) => ({
      kind: 'orderAccepted' as const,
      at,
      accountId,
      order: leg,
      decidedWith: {},
    })),
  ]
}

export type AccountRefusal =
  | BlockRefusal<'tradingBlocked'>
  | { readonly code: 'accountNotAllowedToTrade' | 'tradingSuspended' | 'fractionalTradingDisabled' }
  | { readonly code: 'assetNotFractionable'; readonly symbol: string }

/** Restrictions of the account, independent of its balance. */
export function accountFault(
  account: Account,
  { class: assetClass, symbol, fractionable }: Asset,
  terms: OrderTerms,
): AccountRefusal | undefined {
  if (account.issuer !== undefined || account.closedAt !== undefined)
    return { code: 'accountNotAllowedToTrade' }
  const blocked = blockFault(account, 'trading', 'tradingBlocked')
  if (blocked) return blocked
  const { suspendTrade, fractionalTrading } = configOf(account)
  if (suspendTrade) return { code: 'tradingSuspended' }
  if (assetClass === 'crypto' || !isFractional(terms)) return undefined
  if (!fractionalTrading) return { code: 'fractionalTradingDisabled' }
  return fractionable ? undefined : { code: 'assetNotFractionable', symbol }
}

type OrderInput = {
  readonly command: PlaceOrder
  readonly terms: OrderTerms
  readonly account: Account
  readonly asset: Asset
  readonly intent: PositionIntent
  readonly estimate: PriceEstimate
}

/** An order takes these fields from its command, if it has them. */
type KeptField = 'limit' | 'notional' | 'source'
type OptionalField = { [Name in keyof Order]-?: undefined extends Order[Name] ? Name : never }[keyof Order]
/** A field of both commands and orders that is not kept stops the build. */
type NewOrder = Order & {
  readonly [Name in Exclude<keyof PlaceOrder & OptionalField, KeptField>]: never
}

function orderFrom(view: View, moment: Moment, input: OrderInput): Order {
  const { command, terms, account, asset } = input
  const { at } = moment
  const settings = settingsOf(view)
  const id = moment.id(account.id, account.events, 0)
  const entry = sessionEntry(settings, command, at, latencyOf(settings, moment, id))
  const { limit, notional, source } = command
  const trigger = triggerOf(command, input.estimate, entry.due)
  const order: NewOrder = {
    id,
    accountId: account.id,
    clientOrderId: command.clientOrderId ?? moment.id(account.id, account.events, 1),
    symbol: asset.symbol,
    assetId: asset.id,
    side: command.side,
    kind: command.type,
    timeInForce: command.timeInForce,
    extendedHours: command.extendedHours,
    intent: input.intent,
    quantity: terms.quantity,
    status: entry.status,
    reserve: input.estimate.reserve,
    filledQuantity: NO_QUANTITY,
    filledValue: 0n,
    createdAt: at,
    submittedAt: at,
    updatedAt: at,
    expiresAt: expiryOf(settings, command, at),
    dueAt: entry.due,
    // An absent field has no key. Written out, because it runs for every order.
    ...(limit === undefined ? undefined : { limit }),
    ...(trigger && { trigger }),
    ...(notional === undefined ? undefined : { notional }),
    ...(source && { source }),
  }
  return settings.venue && !command.class ? withDoneAt(settings, moment, order) : order
}

/** The trigger of a stop order, armed when the market has the order. */
function triggerOf(
  command: PlaceOrder,
  { traded }: PriceEstimate,
  armedAt: Order['dueAt'],
): Trigger | undefined {
  const { side, stop } = command
  if (stop !== undefined) return { stop, armedAt }
  const trail = trailOf(command)
  if (!trail) return undefined
  const highWater = found(traded, 'the last trade')
  return { stop: trailingStopPrice(side, highWater, trail), ...trail, highWater, armedAt }
}

export function isTaken(
  view: View,
  { accountId, clientOrderId, earlier }: Pick<PlaceOrder, 'accountId' | 'clientOrderId' | 'earlier'>,
): boolean {
  if (clientOrderId === undefined) return false
  return earlier !== undefined || orderIdOf(view, accountId, clientOrderId) !== undefined
}
