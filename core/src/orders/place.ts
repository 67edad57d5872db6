import type { Account } from '../account/account.ts'
import { buyingPowerOf } from '../account/standing.ts'
import { costInCents, format, isWhole, NO_QUANTITY, type Price, subtract } from '../amount.ts'
import type { ClientOrderId, OrderId } from '../ids.ts'
import type { Asset } from '../market/asset.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import { orderIdOf, settingsOf, type View } from '../state.ts'
import type { PlaceOrder } from './commands.ts'
import type { OrderAccepted } from './events.ts'
import type { Order } from './order.ts'
import { entryOf, expiryOf } from './session.ts'

export type PlaceRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'clientOrderIdTaken' }
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'assetNotTradable'; readonly symbol: string }
  | { readonly code: 'noPrice'; readonly symbol: string }
  | { readonly code: 'subPenny'; readonly price: string }
  | { readonly code: 'fractionalMustBeDay' }
  | { readonly code: 'assetNotFractionable'; readonly symbol: string }
  | { readonly code: 'extendedMustBeLimit' }
  | { readonly code: 'accountNotAllowedToTrade' }
  | { readonly code: 'shortingNotAllowed' }
  | {
      readonly code: 'insufficientQuantity'
      readonly symbol: string
      readonly requested: string
      readonly existingQty: string
      readonly heldForOrders: string
      readonly available: string
    }
  | { readonly code: 'insufficientBuyingPower'; readonly buyingPower: string; readonly costBasis: string }

/** Refuses by the first check that fails, in the order of the steps below; a refusal changes nothing. */
export function placeOrder(
  view: View,
  moment: Moment,
  command: PlaceOrder,
): Result<[OrderAccepted], PlaceRefusal> {
  const account = view.accounts.get(command.accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  if (isTaken(view, command)) return fail({ code: 'clientOrderIdTaken' })

  const asset = moment.asset(command.symbol)
  if (!asset) return fail({ code: 'assetNotFound', symbol: command.symbol })
  const terms = checkTerms(asset, command)
  if (!terms.ok) return terms
  if (account.issuer !== undefined) return fail({ code: 'accountNotAllowedToTrade' })

  const reference = referencePrice(moment, command)
  if (reference === undefined) return fail({ code: 'noPrice', symbol: command.symbol })
  const means =
    command.side === 'buy'
      ? checkMoney(view, moment, command, reference)
      : checkShares(view, command, reference)
  if (!means.ok) return means
  const order = orderFrom(view, moment, { command, account, asset, reserve: reference })
  return ok([
    { kind: 'orderAccepted', at: moment.at, accountId: account.id, order, decidedWith: means.value },
  ])
}

type Accepting = {
  readonly command: PlaceOrder
  readonly account: Account
  readonly asset: Asset
  readonly reserve: Price
}

function orderFrom(view: View, moment: Moment, { command, account, asset, reserve }: Accepting): Order {
  const { at } = moment
  const settings = settingsOf(view)
  const entry = entryOf(settings, command, at)
  const order = {
    id: moment.id(account.id, account.events, 0) as OrderId,
    accountId: account.id,
    clientOrderId: command.clientOrderId ?? (moment.id(account.id, account.events, 1) as ClientOrderId),
    symbol: asset.symbol,
    assetId: asset.id,
    side: command.side,
    kind: command.type,
    timeInForce: command.timeInForce,
    extendedHours: command.extendedHours,
    intent: command.side === 'buy' ? ('buyToOpen' as const) : ('sellToClose' as const),
    quantity: command.quantity,
    limit: command.limit,
    status: entry.status,
    reserve,
    filledQuantity: NO_QUANTITY,
    filledValue: 0n,
    createdAt: at,
    submittedAt: at,
    updatedAt: at,
    expiresAt: expiryOf(settings, command, at),
    dueAt: entry.due,
  }
  return hasLimit(order) ? order : withoutLimit(order)
}

type Limited<Limit> = Omit<Order, 'limit'> & { readonly limit: Limit }

const hasLimit = (order: Limited<Price | undefined>): order is Limited<Price> => order.limit !== undefined

/** What is absent has no key. Taken out here, not left out above: a record made in one piece is made far faster. */
function withoutLimit({ limit: _, ...order }: Limited<Price | undefined>): Order {
  return order
}

function isTaken(view: View, { accountId, clientOrderId, earlier }: PlaceOrder): boolean {
  if (clientOrderId === undefined) return false
  return earlier !== undefined || orderIdOf(view, accountId, clientOrderId) !== undefined
}

/** From a dollar on, prices step by a cent; below, by a hundredth of one. */
const DOLLAR = 1_000_000_000n
const stepOf = (price: Price): bigint => (price >= DOLLAR ? 10_000_000n : 100_000n)

function checkTerms(asset: Asset, command: PlaceOrder): Result<null, PlaceRefusal> {
  const { symbol } = asset
  if (!asset.tradable || asset.status !== 'active') return fail({ code: 'assetNotTradable', symbol })
  if (command.limit !== undefined && command.limit % stepOf(command.limit) !== 0n)
    return fail({ code: 'subPenny', price: format(command.limit) })
  if (!isWhole(command.quantity)) {
    if (command.timeInForce !== 'day') return fail({ code: 'fractionalMustBeDay' })
    if (!asset.fractionable) return fail({ code: 'assetNotFractionable', symbol })
  }
  if (command.extendedHours && command.type !== 'limit') return fail({ code: 'extendedMustBeLimit' })
  return ok(null)
}

/** What a share is reckoned to cost: its limit, or else the far side of the quote, or the last trade. */
function referencePrice({ prices }: Moment, { symbol, side, limit }: PlaceOrder): Price | undefined {
  if (limit !== undefined) return limit
  const quote = prices.quote(symbol)
  if (quote) return side === 'buy' ? quote.ask : quote.bid
  return prices.trade(symbol)?.price
}

function checkMoney(
  view: View,
  moment: Moment,
  { accountId, quantity }: PlaceOrder,
  reference: Price,
): Result<OrderAccepted['decidedWith'], PlaceRefusal> {
  const cost = costInCents(reference, quantity, 'up')
  const buyingPower = buyingPowerOf(view, moment.prices, accountId)
  if (cost <= buyingPower) return ok({ reference, cost, buyingPower })
  return fail({
    code: 'insufficientBuyingPower',
    buyingPower: format(buyingPower),
    costBasis: format(cost),
  })
}

function checkShares(
  view: View,
  { accountId, symbol, quantity }: PlaceOrder,
  reference: Price,
): Result<OrderAccepted['decidedWith'], PlaceRefusal> {
  const existing = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  if (existing === NO_QUANTITY) return fail({ code: 'shortingNotAllowed' })
  const held = view.holds.get(accountId)?.shares.get(symbol) ?? NO_QUANTITY
  const available = subtract(existing, held)
  if (quantity <= available) return ok({ reference, available })
  return fail({
    code: 'insufficientQuantity',
    symbol,
    requested: format(quantity),
    existingQty: format(existing),
    heldForOrders: format(held),
    available: format(available),
  })
}
