import type { Account } from '../account/account.ts'
import { buyingPowerIn, mayShort, nonMarginableIn, worthOfAccount } from '../account/balances.ts'
import type { Worth } from '../account/positions/position-totals.ts'
import {
  add,
  costInCents,
  format,
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  type Quantity,
  sizeOf,
  subtract,
  toMoney,
} from '../amount.ts'
import type { Asset } from '../market/assets/asset.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import { awaitsShares, heldByMints } from '../tokenization/shorts.ts'
import type { PriceEstimate } from './estimate.ts'
import { opens, type PositionIntent } from './order.ts'
import type { OrderTerms } from './terms.ts'

export type BuyingPowerRefusal =
  | { readonly code: 'accountRestricted' | 'shortingNotAllowed' }
  | { readonly code: 'longBuyOpen' | 'shortSellOpen' | 'closingOrdersOpen' }
  | { readonly code: 'sharesInTransit'; readonly symbol: string }
  | {
      readonly code: 'insufficientQuantity'
      readonly symbol: string
      readonly requested: string
      readonly existingQty: string
      readonly heldForOrders: string
      readonly available: string
    }
  | {
      readonly code: 'insufficientBalance'
      /** A coin, or USD. */
      readonly symbol: string
      readonly requested: string
      readonly balance: string
      readonly available: string
    }
  | { readonly code: 'cryptoCostTooSmall' | 'cryptoCostTooLarge'; readonly amount: string }
  | { readonly code: 'insufficientBuyingPower'; readonly buyingPower: string; readonly costBasis: string }

/** Holds that a replaced order releases. */
export type ReleasedHolds = { readonly money: Money; readonly shares: Quantity }
export const NOTHING_RELEASED: ReleasedHolds = { money: NO_MONEY, shares: NO_QUANTITY }

export type BuyingPowerInput = {
  readonly account: Account
  readonly asset: Asset
  readonly terms: OrderTerms
  readonly intent: PositionIntent
  /** Signed. */
  readonly position: Quantity
  readonly estimate: PriceEstimate
  readonly released: ReleasedHolds
}

/** The values of a passed check, in the field order of the journal. */
export type BuyingPowerChecked =
  | { readonly cost: Money; readonly buyingPower: Money; readonly multiplier: Worth['multiplier'] }
  | { readonly position: Quantity; readonly available: Quantity }

type BuyingPowerResult = Result<BuyingPowerChecked, BuyingPowerRefusal>

/** Checks that the account can afford an order: money if it opens a position, shares if it closes one. */
export function checkBuyingPower(view: View, moment: Moment, input: BuyingPowerInput): BuyingPowerResult {
  const { asset, terms, intent, estimate } = input
  const cost = terms.notional ?? costInCents(estimate.reserve, terms.quantity, 'up')
  const refused =
    oppositeFault(view, input) ?? (asset.class === 'crypto' ? sizeFault(input, cost) : undefined)
  if (refused) return fail(refused)
  return opens(intent) ? checkMoney(view, moment, input, cost) : checkShares(view, input)
}

/**
 * An account cannot open a long and a short at once, nor short a symbol while shares from a redemption are
 * pending. A notional order closes as much as its price allows, so no other closing order may be open beside
 * it.
 */
function oppositeFault(
  view: View,
  { account, terms, intent }: BuyingPowerInput,
): BuyingPowerRefusal | undefined {
  if (intent === 'sellToOpen' && awaitsShares(view, account.id, terms.symbol))
    return { code: 'sharesInTransit', symbol: terms.symbol }
  const openOrders = view.selfTradeIndex.get(account.id)?.get(terms.symbol)
  if (!openOrders) return undefined
  if (intent === 'buyToOpen') return openOrders.sell.opening > 0 ? { code: 'shortSellOpen' } : undefined
  if (intent === 'sellToOpen') return openOrders.buy.opening > 0 ? { code: 'longBuyOpen' } : undefined
  const sameSide = terms.side === 'buy' ? openOrders.buy : openOrders.sell
  const closing = sameSide.open - sameSide.opening
  const isConflict = terms.notional === undefined ? sameSide.inMoney > 0 : closing > 0
  return isConflict ? { code: 'closingOrdersOpen' } : undefined
}

/** Minimum and maximum value of a crypto order, in dollars. */
const COIN_MIN = toMoney(10_000_000_000n)
const COIN_MAX = toMoney(200_000_000_000_000n)

/** Selling a whole position may be below the minimum, because fees reduce it. */
function sizeFault(
  { terms, intent, position }: BuyingPowerInput,
  cost: Money,
): BuyingPowerRefusal | undefined {
  if (cost < COIN_MIN && (opens(intent) || terms.quantity !== position))
    return { code: 'cryptoCostTooSmall', amount: format(COIN_MIN) }
  return cost > COIN_MAX ? { code: 'cryptoCostTooLarge', amount: format(COIN_MAX) } : undefined
}

function checkMoney(view: View, moment: Moment, input: BuyingPowerInput, cost: Money): BuyingPowerResult {
  const { account, asset, intent, released } = input
  const worth = worthOfAccount(view, moment, account)
  if (worth.isRestricted || view.marginCalls.has(account.id)) return fail({ code: 'accountRestricted' })
  if (intent === 'sellToOpen' && !mayShort(worth)) return fail({ code: 'shortingNotAllowed' })
  const buyingPower = asset.marginable ? buyingPowerIn(view, worth) : nonMarginableIn(view, worth)
  if (cost <= add(buyingPower, released.money)) return ok({ cost, buyingPower, multiplier: worth.multiplier })
  return fail(
    asset.class === 'crypto' ? dollarRefusal(worth, cost, buyingPower) : powerRefusal(cost, buyingPower),
  )
}

const powerRefusal = (cost: Money, buyingPower: Money): BuyingPowerRefusal => ({
  code: 'insufficientBuyingPower',
  buyingPower: format(buyingPower),
  costBasis: format(cost),
})

const dollarRefusal = ({ cash }: Worth, cost: Money, available: Money): BuyingPowerRefusal => ({
  code: 'insufficientBalance',
  symbol: 'USD',
  requested: format(cost),
  balance: format(cash),
  available: format(available),
})

function checkShares(
  view: View,
  { account, asset, terms, position, released }: BuyingPowerInput,
): BuyingPowerResult {
  const existing = sizeOf(position)
  const held = subtract(view.holds.get(account.id)?.shares.get(asset.symbol) ?? NO_QUANTITY, released.shares)
  const available = subtract(existing, held)
  const { quantity } = terms
  if (quantity <= available) return ok({ position, available })
  const numbers = { requested: format(quantity), available: format(available) }
  if (asset.class === 'crypto') {
    const [symbol = ''] = asset.symbol.split('/')
    return fail({ code: 'insufficientBalance', symbol, balance: format(existing), ...numbers })
  }
  return fail({
    code: 'insufficientQuantity',
    symbol: asset.symbol,
    existingQty: format(position),
    heldForOrders: format(subtract(held, heldByMints(view, account.id, asset.symbol))),
    ...numbers,
  })
}
