import type { Call, OrderType, orderTypes } from '../contract.ts'
import type { Camel, CamelName } from '../records/case.ts'

/** The body of an order, as `POST /v2/orders` accepts it. */
export type OrderBody = Call<'placeOrder'>['body']

/** A quantity or a price: text, or a number. */
export type Decimal = string | number

/** The fields of every order. */
export type OrderBase = {
  /** Symbol or asset id. */
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** Your own id of the order, unique per account. Default: a new UUID. */
  readonly clientOrderId?: string | undefined
  readonly positionIntent?: 'buy_to_open' | 'buy_to_close' | 'sell_to_open' | 'sell_to_close' | undefined
}

export type Quantity = { readonly qty: Decimal; readonly notional?: never }
export type Notional = { readonly notional: Decimal; readonly qty?: never }

/** Default: `day`, or `gtc` for crypto. */
type TimeOf<Type extends OrderType> = {
  readonly timeInForce?: (typeof orderTypes)[Type]['times'][number] | undefined
}
type DayOrGtc = { readonly timeInForce?: 'day' | 'gtc' | undefined }

/** Buys or sells at the market price. Has either a quantity or an amount of money. */
export type MarketOrder = OrderBase & TimeOf<'market'> & (Quantity | Notional)

/** Buys or sells at this price or a better one. */
export type LimitOrder = OrderBase &
  TimeOf<'limit'> &
  (Quantity | Notional) & { readonly limitPrice: Decimal; readonly extendedHours?: boolean | undefined }

/** Becomes a market order when the price reaches the stop price. */
export type StopOrder = OrderBase & TimeOf<'stop'> & Quantity & { readonly stopPrice: Decimal }

/** Becomes a limit order when the price reaches the stop price. */
export type StopLimitOrder = OrderBase &
  TimeOf<'stop_limit'> &
  Quantity & { readonly stopPrice: Decimal; readonly limitPrice: Decimal }

/** A stop order whose stop price follows the market by an amount or a percentage. */
export type TrailingStopOrder = OrderBase &
  TimeOf<'trailing_stop'> &
  Quantity &
  (
    | { readonly trailPrice: Decimal; readonly trailPercent?: never }
    | { readonly trailPercent: Decimal; readonly trailPrice?: never }
  )

export type TakeProfit = { readonly limitPrice: Decimal }
/** With a limit price, the exit is a stop-limit order. */
export type StopLoss = { readonly stopPrice: Decimal; readonly limitPrice?: Decimal | undefined }

/** The entry of a group: a limit order if it has a limit price, otherwise a market order. */
type Entry = OrderBase & DayOrGtc & Quantity & { readonly limitPrice?: Decimal | undefined }

/** An entry with two exits. When one exit fills, the other is canceled. */
export type BracketOrder = Entry & { readonly takeProfit: TakeProfit; readonly stopLoss: StopLoss }

/** Two exits of a position. When one fills, the other is canceled. */
export type OcoOrder = OrderBase &
  DayOrGtc &
  Quantity & { readonly takeProfit: TakeProfit; readonly stopLoss: StopLoss }

/** An entry with one exit. */
export type OtoOrder = Entry &
  (
    | { readonly takeProfit: TakeProfit; readonly stopLoss?: never }
    | { readonly stopLoss: StopLoss; readonly takeProfit?: never }
  )

type Typed<Type extends OrderType, Kind> = {
  readonly type: Type
  readonly orderClass?: '' | 'simple' | undefined
} & Kind
type Grouped<Class extends 'bracket' | 'oto', Kind> = {
  readonly orderClass: Class
  /** Default: `limit` with a limit price, otherwise `market`. */
  readonly type?: 'market' | 'limit' | undefined
} & Kind

/** An order with its type and class, for `place` and `submitAndWait`. */
export type AnyOrder =
  | Typed<'market', MarketOrder>
  | Typed<'limit', LimitOrder>
  | Typed<'stop', StopOrder>
  | Typed<'stop_limit', StopLimitOrder>
  | Typed<'trailing_stop', TrailingStopOrder>
  | Grouped<'bracket', BracketOrder>
  | Grouped<'oto', OtoOrder>
  | ({ readonly orderClass: 'oco'; readonly type?: 'limit' | undefined } & OcoOrder)

/** The new terms of an order. Omitted fields stay. */
export type OrderChanges = Camel<NonNullable<Call<'replaceOrder'>['body']>>

/** The fields of an order that no kind has yet. The build stops here while the protocol has such a field. */
export type MissingField = Complete<Exclude<CamelName<keyof OrderBody>, FieldOf<AnyOrder> | UnusedField>>
type Complete<Missing extends never> = Missing
type UnusedField = 'legs' | 'advancedInstructions'
type FieldOf<Kind> = Kind extends unknown ? keyof Kind : never
