import { isWhole, type Quantity } from '../amount.ts'
import { isPair } from '../market/assets/asset.ts'
import type { ReplaceOrder } from './commands.ts'
import { type GroupClass, kindRow, type OrderKind, type ReplaceableField } from './kinds.ts'
import type { Order } from './order.ts'
import { isOpen, type OrderStatus } from './transitions.ts'

export type ReplaceRefusal =
  | { readonly code: 'orderNotFound'; readonly id: string }
  | { readonly code: 'cannotReplaceIn'; readonly status: OrderStatus }
  | { readonly code: 'orderAlreadyReplaced' | 'orderNotOpen' | 'orderNotChanged' }
  | { readonly code: 'replaceNotSupported'; readonly what: 'notional' | 'oto' }
  | {
      readonly code: 'replaceFieldNotAllowed'
      readonly field: ReplaceableField
      readonly what: OrderKind | GroupClass
    }
  | { readonly code: 'replaceQuantityFractional' | 'quantityAlreadyFilled' }
  | { readonly code: 'trailPercentTooSmall' | 'trailPercentTooLarge' }

/** An order that the market does not have yet, or that has ended, cannot be replaced. */
export function stateFault({ status }: Order): ReplaceRefusal | undefined {
  if (status === 'replaced') return { code: 'orderAlreadyReplaced' }
  if (!isOpen({ status })) return { code: 'orderNotOpen' }
  const isReplaceable = status === 'new' || status === 'partiallyFilled' || status === 'held'
  return isReplaceable ? undefined : { code: 'cannotReplaceIn', status }
}

const FIELDS: readonly ReplaceableField[] = ['quantity', 'timeInForce', 'limit', 'stop', 'trail']

export function changeFault(before: Order, command: ReplaceOrder): ReplaceRefusal | undefined {
  const { kind, group } = before
  if (before.notional !== undefined) return { code: 'replaceNotSupported', what: 'notional' }
  if (group?.class === 'oto') return { code: 'replaceNotSupported', what: 'oto' }
  for (const field of FIELDS) {
    if (command[field] === undefined) continue
    if (!kindRow(kind).replaceable.includes(field))
      return { code: 'replaceFieldNotAllowed', field, what: kind }
    // Members of a group share size and time in force; the parent's size applies to all.
    const isCommon = field === 'timeInForce' || (field === 'quantity' && group?.parentId !== undefined)
    if (group && isCommon) return { code: 'replaceFieldNotAllowed', field, what: group.class }
  }
  // An elected stop can no longer be changed.
  if (before.trigger?.electedAt !== undefined && (command.stop ?? command.trail) !== undefined)
    return {
      code: 'replaceFieldNotAllowed',
      field: command.stop === undefined ? 'trail' : 'stop',
      what: kind,
    }
  return (
    quantityFault(before, command.quantity) ?? trailFault(before, command.trail) ?? sameFault(before, command)
  )
}

const PERCENT_MIN = 100_000_000n
const PERCENT_END = 100_000_000_000n

/** A percentage has fixed bounds; a price is bounded by the market. */
function trailFault({ trigger }: Order, trail: ReplaceOrder['trail']): ReplaceRefusal | undefined {
  if (trail === undefined || trigger?.trailPercent === undefined) return undefined
  if (trail < PERCENT_MIN) return { code: 'trailPercentTooSmall' }
  return trail < PERCENT_END ? undefined : { code: 'trailPercentTooLarge' }
}

function quantityFault(before: Order, quantity: Quantity | undefined): ReplaceRefusal | undefined {
  if (quantity === undefined || quantity === before.quantity) return undefined
  const isFractional = !isWhole(quantity) || !isWhole(before.quantity)
  if (isFractional && !isPair(before.symbol)) return { code: 'replaceQuantityFractional' }
  return quantity > before.filledQuantity ? undefined : { code: 'quantityAlreadyFilled' }
}

function sameFault(before: Order, command: ReplaceOrder): ReplaceRefusal | undefined {
  const { trigger } = before
  const trail = trigger?.trailPrice ?? trigger?.trailPercent
  const isSame =
    (command.quantity ?? before.quantity) === before.quantity &&
    (command.timeInForce ?? before.timeInForce) === before.timeInForce &&
    (command.limit ?? before.limit) === before.limit &&
    (command.stop ?? trigger?.stop) === trigger?.stop &&
    (command.trail ?? trail) === trail
  return isSame ? { code: 'orderNotChanged' } : undefined
}
