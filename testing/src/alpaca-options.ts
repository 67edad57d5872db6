import type { AccountKey } from './types.ts'

/** The fetch function that the official SDK accepts. */
type FetchApi = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The options that `new Alpaca(…)` of the official SDK 4 needs to use an account of a world. */
export type AlpacaOptions = {
  readonly keyId: string
  readonly secret: string
  readonly paper: true
  /** The SDK's own limit of 200 requests per minute is off. */
  readonly rateLimit: false
  /** After a response without a body, a timer of the SDK would keep the process alive for half a minute. */
  readonly timeoutMs: 0
  readonly fetchApi: FetchApi
}

/** Options for `new Alpaca(…)` of the official SDK 4. */
export const alpacaOptions = ({ url, keyId, secretKey }: AccountKey): AlpacaOptions => ({
  keyId,
  secret: secretKey,
  paper: true,
  rateLimit: false,
  timeoutMs: 0,
  fetchApi: (input, init) => {
    const requested = new URL(input instanceof Request ? input.url : String(input))
    const target = url.replace(/\/+$/, '') + requested.pathname + requested.search
    return fetch(input instanceof Request ? new Request(target, input) : target, init)
  },
})

/** Options for the streams of the official SDK 4: `alpaca.trading.stream(alpacaStreams(world).trading)`. */
export function alpacaStreams({ url }: Pick<AccountKey, 'url'>): {
  readonly trading: { readonly url: string }
  readonly stocks: { readonly url: string }
  readonly crypto: { readonly url: string }
} {
  const at = (path: string) => ({ url: url.replace(/^http/, 'ws').replace(/\/+$/, '') + path })
  return { trading: at('/stream'), stocks: at('/v2/iex'), crypto: at('/v1beta3/crypto/us') }
}
