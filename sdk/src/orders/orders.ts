import type { Call, CallOptions, Client, OrderType, Output } from '../contract.ts'
import { iterate } from '../lists/iterate.ts'
import { type Camel, type CamelName, camelCase, snakeCase } from '../records/case.ts'
import type { Order, WireOrder } from '../records/records.ts'
import type { WriteOptions, WriteReport, Written } from '../write/safe-write.ts'
import type { Write } from '../write/write.ts'
import type {
  AnyOrder,
  BracketOrder,
  LimitOrder,
  MarketOrder,
  OcoOrder,
  OrderBody,
  OrderChanges,
  OtoOrder,
  StopLimitOrder,
  StopOrder,
  TrailingStopOrder,
} from './order-types.ts'
import { type WaitOptions, waitForOrder } from './wait.ts'

/** An order, and what happened when it was sent. */
export type PlacedOrder = Order & { readonly report: WriteReport }

type Place<Kind> = (order: Kind, options?: WriteOptions) => Promise<PlacedOrder>

/** Which orders to list. */
export type OrdersQuery = Camel<NonNullable<Call<'listOrders'>['query']>>

/** Orders of the account. Every method that places, replaces or cancels one is safe after a lost response: see `WriteReport`. */
export type Orders = {
  readonly market: Place<MarketOrder>
  readonly limit: Place<LimitOrder>
  readonly stop: Place<StopOrder>
  readonly stopLimit: Place<StopLimitOrder>
  readonly trailingStop: Place<TrailingStopOrder>
  readonly bracket: Place<BracketOrder>
  readonly oco: Place<OcoOrder>
  readonly oto: Place<OtoOrder>
  /** Places an order of any type or class. */
  readonly place: Place<AnyOrder>
  /** Places an order and waits until it is filled or ends otherwise. */
  readonly submitAndWait: (order: AnyOrder, options?: WriteOptions & WaitOptions) => Promise<PlacedOrder>
  /** Waits until an order is filled or ends otherwise. */
  readonly wait: (orderId: string, options?: WaitOptions) => Promise<Order>
  readonly get: (orderId: string, options?: CallOptions) => Promise<Order>
  readonly byClientOrderId: (clientOrderId: string, options?: CallOptions) => Promise<Order>
  readonly list: (query?: OrdersQuery, options?: CallOptions) => Promise<readonly Order[]>
  /** Yields orders of all pages. */
  readonly iterate: (query?: OrdersQuery, options?: CallOptions) => AsyncGenerator<Order, undefined>
  /** Replaces an order by a new one. */
  readonly replace: (orderId: string, changes: OrderChanges, options?: WriteOptions) => Promise<PlacedOrder>
  readonly cancel: (orderId: string, options?: WriteOptions) => Promise<WriteReport>
  /**
   * Cancels all open orders. It is sent once, because the server takes no key for a call of many orders; after a
   * `NetworkError`, call it again, which cancels the orders that are still open.
   */
  readonly cancelAll: (options?: CallOptions) => Promise<Camel<Output<'cancelAllOrders'>>>
}

type Terms = { readonly symbol: string; readonly limitPrice?: unknown; readonly orderClass?: unknown }

export function createOrders(client: Client, write: Write): Orders {
  const placeAs =
    (fields: { readonly type?: OrderType; readonly orderClass?: AnyOrder['orderClass'] }) =>
    (order: Terms, options?: WriteOptions): Promise<PlacedOrder> => {
      const terms: Terms = { ...order, ...fields }
      const isLimit = terms.limitPrice != null || terms.orderClass === 'oco'
      const body = {
        type: isLimit ? 'limit' : 'market',
        time_in_force: usualTime(order.symbol),
        ...(snakeCase(terms) as object),
      }
      return write('placeOrder', { body: body as OrderBody }, options).then(placedOf)
    }
  const place = placeAs({})
  return {
    market: placeAs({ type: 'market' }),
    limit: placeAs({ type: 'limit' }),
    stop: placeAs({ type: 'stop' }),
    stopLimit: placeAs({ type: 'stop_limit' }),
    trailingStop: placeAs({ type: 'trailing_stop' }),
    bracket: placeAs({ orderClass: 'bracket' }),
    oco: placeAs({ orderClass: 'oco' }),
    oto: placeAs({ orderClass: 'oto' }),
    place,
    submitAndWait: async (order, options) => {
      const { id, report } = await place(order, options)
      return { ...(await waitForOrder(client, id, options)), report }
    },
    wait: (orderId, options) => waitForOrder(client, orderId, options),
    get: (order_id, options) => client.getOrder({ params: { order_id } }, options).then(orderOf),
    byClientOrderId: (client_order_id, options) =>
      client.getOrderByClientOrderId({ query: { client_order_id } }, options).then(orderOf),
    list: async (query = {}, options) =>
      (await client.listOrders({ query: snakeCase(query) }, options)).map(orderOf),
    async *iterate(query = {}, options) {
      const rows = iterate(client, 'listOrders', { query: snakeCase(query) }, options)
      for await (const row of rows) yield orderOf(row)
      return undefined
    },
    replace: (order_id, changes, options) =>
      write('replaceOrder', { params: { order_id }, body: snakeCase(changes) }, options).then(placedOf),
    cancel: async (order_id, options) =>
      (await write('cancelOrder', { params: { order_id } }, options)).report,
    cancelAll: (options) => client.cancelAllOrders({}, options).then(camelCase),
  } satisfies Orders & TypeMethods
}

const orderOf = (order: WireOrder): Order => camelCase(order) as Order
export const placedOf = ({ output, report }: Written<WireOrder>): PlacedOrder => ({
  ...orderOf(output),
  report,
})

/** A method per order type, so that a new type stops the build until it has one. */
type TypeMethods = { readonly [Type in OrderType as CamelName<Type>]: Place<never> }

/** Crypto trades without days, so a day order is refused. */
const usualTime = (symbol: string): 'day' | 'gtc' => (symbol.includes('/') ? 'gtc' : 'day')
