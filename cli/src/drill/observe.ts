import type { ObservedResponse, Observer } from '../run/gateway/traffic.ts'

/** An order that the program sent. */
export type ObservedPlacement = ObservedResponse & {
  readonly clientOrderId: string | undefined
  readonly symbol: string | undefined
  readonly side: string | undefined
}

/** A request of the program, in a few words. */
export type ObservedRequest = {
  /** By the clock of the world. */
  readonly at: string
  /** `POST /v2/orders buy 2 AAPL`, without ids. */
  readonly what: string
  readonly clientOrderId?: string | undefined
}

/** What passed the gateway between the program and the broker. */
export type Observed = {
  readonly placements: readonly ObservedPlacement[]
  /** In the order in which they ended. */
  readonly requests: readonly ObservedRequest[]
  /** The newest journal number that a complete response about orders, positions or the account showed. */
  readonly seqRead: number
  /** Trade updates that reached the program: the id of a fill, or order and event. */
  readonly updates: readonly string[]
  /** Whether the program opened a stream of trade updates. */
  readonly hasStream: boolean
}

/** Paths whose responses show what became of orders. */
const showsOrders = /^\/v2\/(orders|positions|account)\b/

/** Of a program that never ends. */
const REQUESTS_MAX = 100_000

/** Records what a drill is judged by. */
export class DrillObserver implements Observer {
  readonly watchesMessages = true
  readonly #placements: ObservedPlacement[] = []
  readonly #requests: ObservedRequest[] = []
  readonly #onPlacement: () => void
  #now: () => number = Date.now
  readonly #updates: string[] = []
  #seqRead = 0
  #hasStream = false

  /** The function is called at the end of each placement. */
  constructor(onPlacement: () => void = () => undefined) {
    this.#onPlacement = onPlacement
  }

  useClock(now: () => number): void {
    this.#now = now
  }

  request(method: string, path: string) {
    const at = new Date(this.#now()).toISOString()
    const isPlacement = method === 'POST' && /^\/v2\/orders(\?|$)/.test(path)
    const isRead = method === 'GET' && showsOrders.test(path)
    return (body: string, response: ObservedResponse): void => {
      const terms = isPlacement ? termsIn(body) : undefined
      if (this.#requests.length < REQUESTS_MAX) this.#requests.push(requestOf(at, method, path, terms))
      if (terms) this.#placements.push({ ...terms, ...response })
      if (isRead && response.isComplete && response.status === 200)
        this.#seqRead = Math.max(this.#seqRead, response.seq ?? 0)
      if (isPlacement) this.#onPlacement()
    }
  }

  message(path: string, data: Buffer): void {
    if (!path.startsWith('/stream')) return
    this.#hasStream = true
    const update = parsed(data.toString('utf8')) as TradeUpdate | undefined
    if (update?.stream !== 'trade_updates' || !update.data?.order) return
    const { event, execution_id: execution, order } = update.data
    this.#updates.push(execution ?? updateKey(order.id, event))
  }

  observed(): Observed {
    return {
      placements: this.#placements,
      requests: this.#requests,
      seqRead: this.#seqRead,
      updates: this.#updates,
      hasStream: this.#hasStream,
    }
  }
}

export const updateKey = (orderId: string, event: string): string => `${orderId} ${event}`

type TradeUpdate = {
  readonly stream?: string
  readonly data?: {
    readonly event: string
    readonly execution_id?: string
    readonly order?: { readonly id: string }
  }
}

type PlacedTerms = Pick<ObservedPlacement, 'clientOrderId' | 'symbol' | 'side'> & { readonly qty?: string }

function termsIn(body: string): PlacedTerms {
  const terms = (parsed(body) ?? {}) as Readonly<Record<string, unknown>>
  const word = (name: string): string | undefined =>
    terms[name] === undefined ? undefined : String(terms[name])
  const qty = word('qty') ?? word('notional')
  return {
    clientOrderId: word('client_order_id'),
    symbol: word('symbol'),
    side: word('side'),
    ...(qty !== undefined && { qty }),
  }
}

const ID = /\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}(?=\/|$)/g

function requestOf(
  at: string,
  method: string,
  path: string,
  terms: PlacedTerms | undefined,
): ObservedRequest {
  const [plain = ''] = path.split('?')
  const words = terms ? [terms.side, terms.qty, terms.symbol].filter((word) => word !== undefined) : []
  const what = [method, plain.replace(ID, '/{id}'), ...words].join(' ')
  return { at, what, ...(terms && { clientOrderId: terms.clientOrderId }) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
