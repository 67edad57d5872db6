import type { Duplex } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { ClientOptions } from 'ws'

/** The broker behind the gateway. */
export type Upstream = {
  readonly url: string
  /** How to trust the certificate of an https broker. */
  readonly tls?: ConnectionOptions | undefined
  /** Opens a connection to a broker in this process. Absent: another process. */
  readonly connect?: (() => Duplex) | undefined
}

/** The options of a WebSocket in lock-step: many small messages, so a connection inside the process is used if possible. */
export function lockStepOptions({ tls, connect }: Upstream): ClientOptions {
  const options: object = { ...tls, ...(connect && { createConnection: connect }), perMessageDeflate: false }
  return options
}
