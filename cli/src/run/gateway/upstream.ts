import type { Duplex } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { ClientOptions } from 'ws'

/** How to trust the certificate of an https broker. */
export type UpstreamTls = ConnectionOptions & {
  /** Opens the connection, and checks the certificate itself. Default: the usual checks. */
  readonly createConnection?: (
    options: object,
    done: (error: Error | null, socket: Duplex) => void,
  ) => Duplex | undefined
}

/** The broker behind the gateway. */
export type GatewayUpstream = {
  readonly url: string
  readonly tls?: UpstreamTls | undefined
  /** Opens a connection to a broker in this process. Absent: another process. */
  readonly connect?: (() => Duplex) | undefined
}

/** The options of a WebSocket in lock-step: many small messages, so a connection inside the process is used if possible. */
export function lockStepOptions({ tls, connect }: GatewayUpstream): ClientOptions {
  const options: object = { ...tls, ...(connect && { createConnection: connect }), perMessageDeflate: false }
  return options
}
