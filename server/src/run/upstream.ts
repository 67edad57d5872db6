import type { ConnectionOptions } from 'node:tls'

/** The broker behind the gateway. */
export type Upstream = {
  readonly url: string
  /** How to trust the certificate of an https broker. */
  readonly tls?: ConnectionOptions | undefined
}
