import type { Call, CallOptions, Client, Order, OrderType, Output } from '../contract.ts'
import type { Transport } from '../send.ts'
import type {
  BracketOrder,
  LimitOrder,
  MarketOrder,
  OcoOrder,
  OrderBase,
  OtoOrder,
  SetField,
  StopLimitOrder,
  StopOrder,
  TrailingStopOrder,
} from './order-types.ts'
import { type OrderBody, type PlacedOrder, type PlaceOptions, placeOrder } from './place.ts'
import { type WaitOptions, waitForOrder } from './wait.ts'

type Place<Kind> = (order: Kind, options?: PlaceOptions) => Promise<PlacedOrder>

/** Orders of the account. Every method that places an order is safe after a lost response: see `Placement`. */
export type Orders = {
  readonly market: Place<MarketOrder>
  readonly limit: Place<LimitOrder>
  readonly stop: Place<StopOrder>
  readonly stopLimit: Place<StopLimitOrder>
  readonly trailingStop: Place<TrailingStopOrder>
  readonly bracket: Place<BracketOrder>
  readonly oco: Place<OcoOrder>
  readonly oto: Place<OtoOrder>
  /** Places an order with any body of the protocol. */
  readonly place: Place<OrderBody>
  /** Places an order and waits until it is filled or ends otherwise. */
  readonly submitAndWait: (order: OrderBody, options?: PlaceOptions & WaitOptions) => Promise<PlacedOrder>
  /** Waits until an order is filled or ends otherwise. */
  readonly wait: (orderId: string, options?: WaitOptions) => Promise<Order>
  readonly get: (orderId: string, options?: CallOptions) => Promise<Order>
  readonly byClientOrderId: (clientOrderId: string, options?: CallOptions) => Promise<Order>
  readonly list: (query?: Call<'listOrders'>['query'], options?: CallOptions) => Promise<Output<'listOrders'>>
  readonly replace: (
    orderId: string,
    changes: NonNullable<Call<'replaceOrder'>['body']>,
    options?: CallOptions,
  ) => Promise<Order>
  readonly cancel: (orderId: string, options?: CallOptions) => Promise<undefined>
  readonly cancelAll: (options?: CallOptions) => Promise<Output<'cancelAllOrders'>>
}

export function createOrders(client: Client, transport: Transport): Orders {
  const place = (body: OrderBody, options?: PlaceOptions) => placeOrder(client, transport, body, options)
  const placeAs =
    (fields: Partial<Pick<OrderBody, SetField>>) =>
    (order: OrderBase & Partial<OrderBody>, options?: PlaceOptions): Promise<PlacedOrder> =>
      place({ time_in_force: usualTime(order.symbol), ...order, ...fields } as OrderBody, options)
  const entry = (order: Partial<OrderBody>) =>
    ({ type: order.limit_price == null ? 'market' : 'limit' }) as const
  return {
    market: placeAs({ type: 'market' }),
    limit: placeAs({ type: 'limit' }),
    stop: placeAs({ type: 'stop' }),
    stopLimit: placeAs({ type: 'stop_limit' }),
    trailingStop: placeAs({ type: 'trailing_stop' }),
    bracket: (order, options) => placeAs({ ...entry(order), order_class: 'bracket' })(order, options),
    oco: placeAs({ type: 'limit', order_class: 'oco' }),
    oto: (order, options) => placeAs({ ...entry(order), order_class: 'oto' })(order, options),
    place,
    submitAndWait: async (order, options) => {
      const placed = await place(order, options)
      return { ...(await waitForOrder(client, placed.id, options)), placement: placed.placement }
    },
    wait: (orderId, options) => waitForOrder(client, orderId, options),
    get: (order_id, options) => client.getOrder({ params: { order_id } }, options),
    byClientOrderId: (client_order_id, options) =>
      client.getOrderByClientOrderId({ query: { client_order_id } }, options),
    list: (query = {}, options) => client.listOrders({ query }, options),
    replace: (order_id, body, options) => client.replaceOrder({ params: { order_id }, body }, options),
    cancel: (order_id, options) => client.cancelOrder({ params: { order_id } }, options),
    cancelAll: (options) => client.cancelAllOrders({}, options),
  } satisfies Orders & TypeMethods
}

/** A method per order type, so that a new type stops the build until it has one. */
type TypeMethods = { readonly [Type in OrderType as CamelCase<Type>]: Place<never> }
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Crypto trades without days, so a day order is refused. */
const usualTime = (symbol: string): 'day' | 'gtc' => (symbol.includes('/') ? 'gtc' : 'day')
