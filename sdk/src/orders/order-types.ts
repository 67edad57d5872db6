import type { OrderType, orderTypes } from '../contract.ts'
import type { OrderBody } from './place.ts'

/** A quantity or a price: text, or a number. */
export type Decimal = string | number

/** The fields of every order. */
export type OrderBase = {
  /** Symbol or asset id. */
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** Your own id of the order, unique per account. Default: random. */
  readonly client_order_id?: string | undefined
  readonly position_intent?: 'buy_to_open' | 'buy_to_close' | 'sell_to_open' | 'sell_to_close' | undefined
}

export type Quantity = { readonly qty: Decimal; readonly notional?: never }
export type Notional = { readonly notional: Decimal; readonly qty?: never }

/** Default: `day`, or `gtc` for crypto. */
type TimeOf<Type extends OrderType> = {
  readonly time_in_force?: (typeof orderTypes)[Type]['times'][number] | undefined
}
type DayOrGtc = { readonly time_in_force?: 'day' | 'gtc' | undefined }

/** Buys or sells at the market price. Has either a quantity or an amount of money. */
export type MarketOrder = OrderBase & TimeOf<'market'> & (Quantity | Notional)

/** Buys or sells at this price or a better one. */
export type LimitOrder = OrderBase &
  TimeOf<'limit'> &
  (Quantity | Notional) & { readonly limit_price: Decimal; readonly extended_hours?: boolean | undefined }

/** Becomes a market order when the price reaches the stop price. */
export type StopOrder = OrderBase & TimeOf<'stop'> & Quantity & { readonly stop_price: Decimal }

/** Becomes a limit order when the price reaches the stop price. */
export type StopLimitOrder = OrderBase &
  TimeOf<'stop_limit'> &
  Quantity & { readonly stop_price: Decimal; readonly limit_price: Decimal }

/** A stop order whose stop price follows the market by an amount or a percentage. */
export type TrailingStopOrder = OrderBase &
  TimeOf<'trailing_stop'> &
  Quantity &
  (
    | { readonly trail_price: Decimal; readonly trail_percent?: never }
    | { readonly trail_percent: Decimal; readonly trail_price?: never }
  )

export type TakeProfit = { readonly limit_price: Decimal }
/** With a limit price, the exit is a stop-limit order. */
export type StopLoss = { readonly stop_price: Decimal; readonly limit_price?: Decimal | undefined }

/** The entry of a group: a limit order if it has a limit price, otherwise a market order. */
type Entry = OrderBase & DayOrGtc & Quantity & { readonly limit_price?: Decimal | undefined }

/** An entry with two exits. When one exit fills, the other is canceled. */
export type BracketOrder = Entry & { readonly take_profit: TakeProfit; readonly stop_loss: StopLoss }

/** Two exits of a position. When one fills, the other is canceled. */
export type OcoOrder = OrderBase &
  DayOrGtc &
  Quantity & { readonly take_profit: TakeProfit; readonly stop_loss: StopLoss }

/** An entry with one exit. */
export type OtoOrder = Entry &
  (
    | { readonly take_profit: TakeProfit; readonly stop_loss?: never }
    | { readonly stop_loss: StopLoss; readonly take_profit?: never }
  )

/** The fields that the methods of `Orders` set. The build stops here while no method has a field of the protocol. */
export type SetField = Complete<'type' | 'order_class', Exclude<keyof OrderBody, NamedField | UnusedField>>
type Complete<Name, Missing extends never> = Exclude<Name, Missing>
type NamedField = 'type' | 'order_class' | FieldOf<AnyOrder>
type UnusedField = 'legs' | 'advanced_instructions'
type FieldOf<Kind> = Kind extends unknown ? keyof Kind : never
type AnyOrder =
  | (MarketOrder | LimitOrder | StopOrder | StopLimitOrder | TrailingStopOrder)
  | (BracketOrder | OcoOrder | OtoOrder)
