import type { OrderRecord, OrderType, orderTypes } from '@quipu/contract'
import type { OrderKind, OrderStatus, orderKinds, PositionIntent, Refusal } from '@quipu/core'
import { type Reason, type Refused, refuse } from './refusal.ts'

/** The wire spelling of order statuses. */
export const statuses = {
  accepted: 'accepted',
  pendingNew: 'pending_new',
  held: 'held',
  new: 'new',
  partiallyFilled: 'partially_filled',
  filled: 'filled',
  canceled: 'canceled',
  expired: 'expired',
  replaced: 'replaced',
  rejected: 'rejected',
  pendingCancel: 'pending_cancel',
  pendingReplace: 'pending_replace',
  doneForDay: 'done_for_day',
} as const satisfies Record<OrderStatus, OrderRecord['status']>

export const intents = {
  buyToOpen: 'buy_to_open',
  buyToClose: 'buy_to_close',
  sellToOpen: 'sell_to_open',
  sellToClose: 'sell_to_close',
} as const satisfies Record<PositionIntent, OrderRecord['position_intent']>

/** The wire spelling of order kinds. The build stops here while the core and the contract have different kinds. */
export const orderTypeWords: { readonly [Kind in OrderKind]: TypeOfKind<Kind> } = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stopLimit: 'stop_limit',
  trailingStop: 'trailing_stop',
}

type KindRows = typeof orderKinds
type TypeRows = typeof orderTypes
type WirePrice = { readonly limit: 'limit_price'; readonly stop: 'stop_price'; readonly trail: 'trail' }

/** The order types with the prices, times in force and extended hours of a kind. */
export type TypeOfKind<Kind extends OrderKind> = {
  [Type in OrderType]: Same<
    [WirePrice[KindRows[Kind]['prices'][number]], TimesOf<Kind>, KindRows[Kind]['mayTradeExtended']],
    [TypeRows[Type]['prices'][number], TypeRows[Type]['times'][number], TypeRows[Type]['extendedHours']]
  > extends true
    ? Type
    : never
}[OrderType]
type TimesOf<Kind extends OrderKind> = KindRows[Kind]['times']['shares'][number]
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false

/** The same tables, read from the wire. */
const inverse = <Core extends string, Wire extends string>(
  table: Readonly<Record<Core, Wire>>,
): Readonly<Record<Wire, Core>> =>
  Object.fromEntries((Object.entries(table) as [Core, Wire][]).map(([core, wire]) => [wire, core])) as Record<
    Wire,
    Core
  >
export const kindOf: Readonly<Record<OrderType, OrderKind>> = inverse(orderTypeWords)
export const positionIntent = inverse(intents)

const fields = {
  quantity: 'qty',
  timeInForce: 'time_in_force',
  limit: 'limit_price',
  stop: 'stop_price',
  trail: 'trail',
  takeProfitLimit: 'take_profit.limit_price',
  stopLossStop: 'stop_loss.stop_price',
  stopLossLimit: 'stop_loss.limit_price',
} as const

/** A refusal of an order, with the wire spelling of its fields and values. */
export const refuseOrder = (reason: Refusal): Refused => refuse(toWire(reason))

function toWire(reason: Refusal): Reason {
  if (!hasOrderWords(reason)) return reason
  switch (reason.code) {
    case 'subPenny':
    case 'priceIncrement':
      return { ...reason, field: fields[reason.field] }
    case 'timeInForceNotForType':
      return { ...reason, type: orderTypeWords[reason.type] }
    case 'stopBeyondMarket':
      return { ...reason, relation: reason.bound === 'above' ? 'greater' : 'less' }
    case 'exitsCrossed':
      return { ...reason, relation: reason.bound === 'above' ? '>' : '<' }
    case 'exitTooNear': {
      const relation = reason.bound === 'above' ? '>= base_price +' : '<= base_price -'
      return { ...reason, field: fields[reason.field], relation }
    }
    case 'positionIntentMismatch':
      return { ...reason, inferred: intents[reason.inferred], specified: intents[reason.specified] }
    case 'washTrade':
      return { ...reason, rejectReason: rejectReasons[reason.existing] }
    case 'orderAlreadyTerminal':
    case 'cannotReplaceIn':
      return { ...reason, status: statuses[reason.status] }
    case 'replaceFieldNotAllowed':
      return { ...reason, field: fields[reason.field], what: wordOf(reason.what) }
  }
}

/** Refusals with a word of the core that has another spelling on the wire. */
type WithOrderWords = Extract<
  Refusal,
  | { readonly field: keyof typeof fields }
  | { readonly type: OrderKind }
  | { readonly bound: 'above' | 'below' }
  | { readonly inferred: keyof typeof intents }
  | { readonly existing: keyof typeof rejectReasons }
  | { readonly status: keyof typeof statuses }
>
const withOrderWords: Readonly<Record<WithOrderWords['code'], true>> = {
  subPenny: true,
  priceIncrement: true,
  timeInForceNotForType: true,
  stopBeyondMarket: true,
  exitsCrossed: true,
  exitTooNear: true,
  positionIntentMismatch: true,
  washTrade: true,
  orderAlreadyTerminal: true,
  cannotReplaceIn: true,
  replaceFieldNotAllowed: true,
}
const hasOrderWords = (reason: Refusal): reason is WithOrderWords => reason.code in withOrderWords

const rejectReasons = {
  limit: 'opposite side limit order exists',
  any: 'opposite side market/stop order exists',
} as const

/** Order kinds have a wire spelling; order classes are the same on the wire. */
const wordOf = (what: string): string => (what in orderTypeWords ? orderTypeWords[what as OrderKind] : what)
