import type { Call, CallOptions, Client, Order } from '../contract.ts'
import { NotFoundError } from '../errors.ts'
import { isBrowser } from '../request.ts'
import { newId } from './new-id.ts'
import type { Found, SafeWrite, WriteOptions } from './safe-write.ts'

const LOOK_UP_MS = 5000

type Body = Partial<Call<'placeOrder'>['body']>
/** A call of an account, or of a partner for one of its accounts. */
type OrderCall = {
  readonly params?: { readonly account_id?: string; readonly order_id?: string }
  readonly headers?: object
  readonly body?: Body
}
type Method<Result> = (call: object, options: CallOptions) => Promise<Result>
type Maker<Result> = (client: Client, call: OrderCall, options: WriteOptions) => SafeWrite<Result>

type OrderSuffix = '' | 'ForAccount'

const method = <Result>(
  client: Client,
  name: 'placeOrder' | 'replaceOrder' | 'cancelOrder' | 'getOrder' | 'getOrderByClientOrderId',
  suffix: OrderSuffix,
): Method<Result> => client[`${name}${suffix}`] as unknown as Method<Result>

/** An order has a client order id, which the server accepts once. The order is found by it. */
const withClientOrderId =
  (name: 'placeOrder' | 'replaceOrder', suffix: OrderSuffix) =>
  (client: Client, call: OrderCall, options: WriteOptions) => {
    const { lookUpMs = LOOK_UP_MS, signal } = options
    const key = call.body?.client_order_id || newId()
    const query = { client_order_id: key, nested: true }
    const sent = { ...call, body: { ...call.body, client_order_id: key } }
    return {
      key,
      keyKind: 'clientOrderId',
      lookUpMs,
      send: () => method<Order>(client, name, suffix)(sent, options),
      lookUp: () =>
        found(method<Order>(client, 'getOrderByClientOrderId', suffix)({ ...call, query }, { signal })),
    } as const
  }

/** A lost order is found by its client order id until a deadline, and then placed again with the same id. */
export const orderPlacement =
  (suffix: OrderSuffix): Maker<Order> =>
  (client, call, options) => {
    const { body = {} } = call
    const placed = withClientOrderId('placeOrder', suffix)(client, call, options)
    const isOwnId = !body.client_order_id
    return {
      ...placed,
      // The first attempt can be a repetition too: a browser sends a request again when an idle connection turns out to
      // be closed. The order then has the fields of the body.
      async isOwnRepetition() {
        if (isOwnId || !isBrowser) return isOwnId
        const existing = await placed.lookUp().catch(() => undefined)
        return existing === undefined || isSameOrder(existing.output, body)
      },
    }
  }

/** The order that replaces another one has a client order id too. */
export const orderReplacement = (suffix: OrderSuffix): Maker<Order> =>
  withClientOrderId('replaceOrder', suffix)

/** A cancel is executed once by itself. Whether it was executed is the status of the order. */
export const orderCancel =
  (suffix: OrderSuffix): Maker<undefined> =>
  (client, call, options) => ({
    key: call.params?.order_id ?? '',
    keyKind: 'orderId',
    lookUpMs: 0,
    send: () => method<undefined>(client, 'cancelOrder', suffix)(call, options),
    async lookUp() {
      const { signal } = options
      const existing = await found(method<Order>(client, 'getOrder', suffix)(call, { signal }))
      return CANCELED.has(existing?.output.status ?? '') ? { output: undefined } : undefined
    },
  })

const CANCELED: ReadonlySet<string> = new Set(['canceled', 'pending_cancel'])

/** The result of a look-up, or undefined if there is none. */
const found = <Output>(reading: Promise<Output>): Promise<Found<Output> | undefined> =>
  reading.then(
    (output) => ({ output }),
    (error) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    },
  )

const compared = [
  'side',
  'type',
  'qty',
  'notional',
  'limit_price',
  'stop_price',
  'trail_price',
  'trail_percent',
] as const

function isSameOrder(order: Order, body: Body): boolean {
  const { symbol } = body
  if (symbol && symbol !== order.symbol && symbol !== order.asset_id) return false
  return compared.every((field) => {
    const sent = body[field]
    return sent == null || sent === order[field] || Number(sent) === Number(order[field])
  })
}
