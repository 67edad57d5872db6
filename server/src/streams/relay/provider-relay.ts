import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Upstream } from '@quipu/broker/market/upstream/upstream.ts'
import { WebSocketServer } from 'ws'
import { providerStreamOf } from '../../http/forwarding/provider-streams.ts'
import type { Services } from '../../http/services.ts'
import type { Reason } from '../../wire/refusal.ts'

/** A request lists symbols; this is enough for a hundred thousand. */
const REQUEST_MAX_BYTES = 4 * 1024 * 1024

/** Sends the streams of the market data provider to other nodes, while this node holds `main`. */
export class ProviderRelay {
  readonly #cluster: NonNullable<Services['cluster']>
  readonly #upstream: Upstream
  readonly #handshakes = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: REQUEST_MAX_BYTES,
  })

  constructor(cluster: NonNullable<Services['cluster']>, upstream: Upstream) {
    this.#cluster = cluster
    this.#upstream = upstream
  }

  /** Accepts a stream of another node, or returns why it does not. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, endpoint: string): Reason | undefined {
    const requested = providerStreamOf(this.#cluster, request, endpoint)
    if (!requested.ok) return requested.refusal
    this.#handshakes.handleUpgrade(request, socket, head, (ws) => this.#upstream.serve(requested.of, ws))
    return undefined
  }

  close(): void {
    for (const ws of this.#handshakes.clients) ws.terminate()
  }
}
