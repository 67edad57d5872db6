import type { ObservedResponse, Observer } from '../run/gateway/traffic.ts'

/** An order that the program sent. */
export type ObservedPlacement = ObservedResponse & {
  readonly clientOrderId: string | undefined
  readonly symbol: string | undefined
  readonly side: string | undefined
}

/** What passed the gateway between the program and the broker. */
export type Observed = {
  readonly placements: readonly ObservedPlacement[]
  /** The newest journal number that a complete response about orders, positions or the account showed. */
  readonly seqRead: number
  /** Trade updates that reached the program: the id of a fill, or order and event. */
  readonly updates: readonly string[]
  /** Whether the program opened a stream of trade updates. */
  readonly hasStream: boolean
}

/** Paths whose responses show what became of orders. */
const showsOrders = /^\/v2\/(orders|positions|account)\b/

/** Records what a drill is judged by. */
export class DrillObserver implements Observer {
  readonly watchesMessages = true
  readonly #placements: ObservedPlacement[] = []
  readonly #updates: string[] = []
  #seqRead = 0
  #hasStream = false

  request(method: string, path: string) {
    const isPlacement = method === 'POST' && /^\/v2\/orders(\?|$)/.test(path)
    const isRead = method === 'GET' && showsOrders.test(path)
    return (body: string, response: ObservedResponse): void => {
      if (isPlacement) this.#placements.push({ ...termsIn(body), ...response })
      if (isRead && response.isComplete && response.status === 200)
        this.#seqRead = Math.max(this.#seqRead, response.seq ?? 0)
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

type Terms = { readonly client_order_id?: string; readonly symbol?: string; readonly side?: string }

function termsIn(body: string): Pick<ObservedPlacement, 'clientOrderId' | 'symbol' | 'side'> {
  const { client_order_id: clientOrderId, symbol, side } = (parsed(body) ?? {}) as Terms
  return { clientOrderId, symbol, side }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
