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
