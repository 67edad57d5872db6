import type { Call, CallOptions, Client, Order } from '../contract.ts'
import { ApiError, NetworkError, NotFoundError, UnknownOutcomeError } from '../errors.ts'
import { isDecision, isRepeatable, mayBeExecuted, onceMessage } from '../once.ts'
import { randomId } from '../random-id.ts'
import { isBrowser } from '../request.ts'
import { delayBeforeRetry, isTransient, pause, RETRY_AFTER_MAX_MS, type Transport } from '../send.ts'

/** The body of an order, as `POST /v2/orders` accepts it. */
export type OrderBody = Call<'placeOrder'>['body']

export type PlaceOptions = CallOptions & {
  /** Milliseconds to look for an order whose response was lost, before it is placed again. Default: 5000. */
  readonly lookUpMs?: number
  /** Number of times that an order is placed again after a lost response. Default: 2. */
  readonly placements?: number
}

/**
 * What happened to an order:
 * placed: the server confirmed it; found: the response was lost, and the order was found by its client order id;
 * placed again: the response was lost, no order had this client order id, and the server confirmed the next attempt.
 */
export type Placement = {
  readonly outcome: 'placed' | 'found' | 'placed again'
  readonly clientOrderId: string
  /** Number of times that the order was sent. */
  readonly attempts: number
  /** Number of times that the order was looked up. */
  readonly lookUps: number
}

export type PlacedOrder = Order & { readonly placement: Placement }

const LOOK_UP_MS = 5000
const PLACEMENTS = 2

/**
 * Places an order at most once. A lost response is never repeated blindly: the order is looked up by its client order
 * id until a deadline, and then placed again with the same id, which the server accepts only once.
 */
export async function placeOrder(
  client: Client,
  transport: Transport,
  body: OrderBody,
  options: PlaceOptions = {},
): Promise<PlacedOrder> {
  const attempt = new Attempt(client, transport, body, options)
  const { placements = PLACEMENTS, signal } = options
  signal?.throwIfAborted()
  for (;;) {
    const order = (await attempt.place()) ?? (await attempt.lookUp())
    if (order !== undefined) return order
    if (attempt.count > placements) throw attempt.unknown()
    await attempt.waitAsAsked()
  }
}

class Attempt {
  count = 0
  readonly #client: Client
  readonly #transport: Transport
  readonly #body: OrderBody & { readonly client_order_id: string }
  readonly #options: PlaceOptions
  readonly #isOwnId: boolean
  #lookUps = 0
  #isUnknown = false
  #problem: unknown
  /** When the server accepts the next attempt. */
  #notBeforeMs = 0

  constructor(client: Client, transport: Transport, body: OrderBody, options: PlaceOptions) {
    this.#client = client
    this.#transport = transport
    this.#options = options
    this.#isOwnId = !body.client_order_id
    this.#body = { ...body, client_order_id: body.client_order_id || randomId() }
  }

  /** The order, or undefined if its outcome is unknown. */
  async place(): Promise<PlacedOrder | undefined> {
    this.count += 1
    try {
      const order = await this.#client.placeOrder({ body: this.#body }, this.#options)
      return this.#placed(order, this.count === 1 ? 'placed' : 'placed again')
    } catch (error) {
      this.#isUnknown ||= mayBeExecuted(error, this.#options.signal)
      const isTaken = isIdTaken(error) && (await this.#isTakenByUs())
      if (!isTaken && (!this.#isUnknown || isDecision(error))) throw error
      if (!isTaken && !isRepeatable(error)) throw this.unknown(error)
      this.#problem = error
      this.#notBeforeMs = Date.now() + ((error instanceof ApiError && error.retryAfterMs) || 0)
      return undefined
    }
  }

  /** Waits as long as the server asks before it accepts the order again. */
  async waitAsAsked(): Promise<void> {
    const delay = this.#notBeforeMs - Date.now()
    if (delay > RETRY_AFTER_MAX_MS) throw this.unknown()
    if (delay > 0) await this.#pause(delay)
  }

  /**
   * Whether an attempt of this function has the client order id. The first attempt can be a repetition too: a browser
   * sends a request again when an idle connection turns out to be closed. The order then has the fields of the body.
   */
  async #isTakenByUs(): Promise<boolean> {
    if (this.count > 1 || this.#isOwnId) return true
    if (!isBrowser) return false
    const order = await this.#find()
    return order === undefined || isSameOrder(order, this.#body)
  }

  /** The order with the client order id, or undefined if there is none at the deadline. */
  async lookUp(): Promise<PlacedOrder | undefined> {
    const { lookUpMs = LOOK_UP_MS } = this.#options
    const deadline = Date.now() + lookUpMs
    for (let turn = 0; ; turn++) {
      this.#lookUps += 1
      const order = await this.#find()
      if (order !== undefined) return this.#placed(order, 'found')
      const delay = delayBeforeRetry(this.#transport, turn, new NetworkError(''))
      if (Date.now() + delay >= deadline) return undefined
      await this.#pause(delay)
    }
  }

  unknown(cause = this.#problem): UnknownOutcomeError {
    const { client_order_id: clientOrderId } = this.#body
    return new UnknownOutcomeError(
      `the outcome of order ${clientOrderId} is unknown after ${this.count} attempts: ${onceMessage(cause)}`,
      { clientOrderId, cause },
    )
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, this.#options.signal).catch((reason) => Promise.reject(this.unknown(reason)))
  }

  async #find(): Promise<Order | undefined> {
    const { signal } = this.#options
    try {
      const query = { client_order_id: this.#body.client_order_id, nested: true }
      return await this.#client.getOrderByClientOrderId({ query }, { signal })
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      if ((error instanceof ApiError || error instanceof NetworkError) && isTransient(error)) return undefined
      throw this.unknown(error)
    }
  }

  #placed(order: Order, outcome: Placement['outcome']): PlacedOrder {
    const { client_order_id: clientOrderId } = this.#body
    return {
      ...order,
      placement: { outcome, clientOrderId, attempts: this.count, lookUps: this.#lookUps },
    }
  }
}

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

function isSameOrder(order: Order, body: OrderBody): boolean {
  const { symbol } = body
  if (symbol && symbol !== order.symbol && symbol !== order.asset_id) return false
  return compared.every((field) => {
    const sent = body[field]
    return sent == null || sent === order[field] || Number(sent) === Number(order[field])
  })
}

const isIdTaken = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.reason === 'clientOrderIdTaken' || /client_order_id must be unique/.test(error.message))
