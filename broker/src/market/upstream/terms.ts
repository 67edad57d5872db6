import type { AssetClass } from '@quipu/core'
import type { StreamSource } from './socket.ts'

/** The address, credentials and limits of a provider. */
export type UpstreamTerms = {
  /** Base URL of market data. */
  readonly url: string
  /** Base URL of the data streams. Default: see `streamUrlOf`. */
  readonly streamUrl?: string | undefined
  /** Base URL of `/v2/assets`. Default: `url`. */
  readonly tradingUrl?: string | undefined
  readonly keyId: string
  readonly secretKey: string
  /** The feed of stocks: `iex`, `sip`, … */
  readonly feed: string
  /** The location of crypto: `us`, … */
  readonly crypto: string
  /** Total timeout of a request, including retries. */
  readonly timeoutMs: number
  /** Concurrent requests. */
  readonly requestsMax: number
  /** Maximum number of symbols with live prices. */
  readonly symbolsMax: number
  /** Maximum number of missed trades per symbol that are published after a gap. */
  readonly gapTradesMax: number
  /** Maximum number of cached rows. */
  readonly cacheRowsMax: number
}

/** A host `data.…` has its streams at `stream.data.…`; other hosts have them at the same host. */
export function streamUrlOf({ url, streamUrl }: Pick<UpstreamTerms, 'url' | 'streamUrl'>): string {
  const at = new URL(streamUrl ?? url)
  at.protocol = at.protocol === 'https:' || at.protocol === 'wss:' ? 'wss:' : 'ws:'
  if (streamUrl === undefined && at.hostname.startsWith('data.')) at.hostname = `stream.${at.hostname}`
  return at.href.replace(/\/$/, '')
}

/**
 * Where this process gets a stream of the provider: from the provider, from another node of a cluster, or from nowhere
 * at the moment.
 */
export type StreamsFrom = (of: AssetClass) => 'provider' | StreamSource | undefined

/** The source of the stream with this path. */
export function termsSource(
  terms: UpstreamTerms,
  path: string,
  from: ReturnType<StreamsFrom>,
): StreamSource | undefined {
  if (from !== 'provider') return from
  const { keyId, secretKey } = terms
  return { url: streamUrlOf(terms) + path, login: { action: 'auth', key: keyId, secret: secretKey } }
}
